#include "state.h"

#include <limits.h>
#include <string.h>

static void fail_call(struct cuda_call *call, cu_result error, const char *what) {
  call->error = error;
  call->failed = what;
}

static void flush(attn_cuda *cuda) {
  struct cuda_call *call = &cuda->call;
  if (!call->error)
    call->error = cuda_queue_flush(&cuda->queue, &cuda->driver, cuda->stream, &call->failed);
}

/* Returns the status of the kernels: attn_device_phase describes its two words. */
static attn_code kernel_status(const int32_t *words) { return (attn_code)(words[1] != ATTN_OK ? words[1] : words[0]); }

/* Copies the status to words[0] and words[1], and the word at `address` to words[2]. */
static cu_result fetch_words(attn_cuda *cuda, int32_t *words, cu_address address) {
  cu_address status = cuda->memory + (cu_address)cuda->call.status;
  ATTN_TRY(cuda->driver.cuMemcpyDtoHAsync(words, status, 2 * sizeof *words, cuda->stream));
  ATTN_TRY(cuda->driver.cuMemcpyDtoHAsync(words + 2, address, sizeof *words, cuda->stream));
  return cuda->driver.cuStreamSynchronize(cuda->stream);
}

/* Implements attn_device_code::fetch, through the bytes of the status in the staging memory. */
static void fetch(attn_cuda *cuda, const attn_kernel_args *args) {
  struct cuda_call *call = &cuda->call;
  int32_t *words = (int32_t *)(void *)(cuda->staging + call->status);
  flush(cuda);
  if (!call->error)
    fail_call(call, fetch_words(cuda, words, (cu_address)args->buffers[0]), "its kernels");
  *args->status = call->error ? ATTN_DEVICE_FAULT : kernel_status(words);
  if (!call->error)
    memcpy(args->shared, words + 2, sizeof *words);
}

void cuda_launch_phase(void *self, attn_kernel_fn fn, const attn_kernel_args *args, int64_t chunks, char *scratch,
                       int64_t scratch_stride) {
  (void)scratch, (void)scratch_stride; /* threads of a device have no scratch */
  attn_cuda *cuda = self;
  const attn_device_code *code = cuda->model->device;
  if (fn == code->fetch) {
    fetch(cuda, args);
    return;
  }
  int64_t number = 0;
  while (code->phases[number].phase != fn)
    ++number;
  cuda_launch launch = {&code->phases[number], cuda->functions[number], (unsigned)chunks, 0, 0};
  if (cuda->call.error || chunks <= 0 || !launch.function) /* a device image without the function launches nothing */
    return;
  if (chunks > INT_MAX)
    fail_call(&cuda->call, CUDA_BEYOND_GRID, launch.phase->name);
  else if (!cuda_queue_add(&cuda->queue, &launch, args, cuda->memory + (cu_address)cuda->call.status))
    fail_call(&cuda->call, CU_OUT_OF_MEMORY, "no memory of the host for its launches");
}

/* Assigns offsets in the memory of the call to the host's tensors [from, to). Returns 0 if one exceeds 64 bits. */
static int place_tensors(struct cuda_call *call, int32_t from, int32_t to) {
  for (int32_t i = from; i < to; ++i) {
    if (call->offsets[i] < 0)
      continue;
    if (call->bytes[i] > INT64_MAX - 2 * CUDA_ALIGNMENT - call->total)
      return 0;
    call->offsets[i] = call->total;
    call->total += cuda_align(call->bytes[i], CUDA_ALIGNMENT);
  }
  return 1;
}

/* Records the tensors that are in device memory. */
static attn_code find_on_device(attn_cuda *cuda, const attn_entry_info *entry, const attn_tensor *tensors,
                                attn_status *status) {
  struct cuda_call *call = &cuda->call;
  for (int32_t i = 0; i < entry->input_count + entry->result_count; ++i) {
    const attn_tensor *tensor = &tensors[i];
    int64_t owned;
    call->given[i] = tensor->data;
    call->bytes[i] = attn_tensor_bytes(tensor->dtype, tensor->shape, tensor->rank);
    call->offsets[i] = 0;
    if (call->bytes[i] == 0 || !cuda_owns(cuda, tensor->data, &owned))
      continue;
    if (owned < call->bytes[i] || (uintptr_t)tensor->data % ATTN_DEVICE_ALIGNMENT)
      return attn_fail(status, ATTN_BAD_ARGUMENT,
                       owned < call->bytes[i] ? "%s: '%s' has %lld bytes, but its memory on the device ends before that"
                                              : "%s: '%s' (%lld bytes) is not aligned to 16 bytes",
                       entry->name, entry->tensors[i].name, (long long)call->bytes[i]);
    call->offsets[i] = -1;
    call->data[i] = tensor->data;
  }
  return ATTN_OK;
}

static attn_code lay_out(attn_cuda *cuda, const attn_entry_info *entry, attn_status *status) {
  struct cuda_call *call = &cuda->call;
  int32_t first_state = entry->input_count - entry->state_count, first_result = entry->input_count;
  int64_t arena = entry->arena_bytes(call->dimensions, cuda->executor.workers);
  call->total = CUDA_ALIGNMENT; /* offset 0 means no tensor */
  int fits = arena >= 0 && place_tensors(call, 0, first_state);
  call->status = call->total;
  call->total += CUDA_ALIGNMENT;
  fits = fits && place_tensors(call, first_state, first_result);
  call->uploaded = call->total;
  fits = fits && place_tensors(call, first_result, first_result + entry->result_count);
  call->arena = call->total;
  if (!fits || arena > INT64_MAX - call->total)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: the memory for these dimensions is beyond 64 bits", entry->name);
  call->total += arena;
  return ATTN_OK;
}

static cu_result upload(attn_cuda *cuda) {
  struct cuda_call *call = &cuda->call;
  memset(cuda->staging + call->status, 0, CUDA_ALIGNMENT);
  for (int32_t i = 0; i < call->entry->input_count + call->entry->result_count; ++i) {
    if (call->offsets[i] < 0)
      continue;
    call->data[i] = (void *)(cuda->memory + (cu_address)call->offsets[i]);
    if (call->bytes[i] > 0 && i < call->entry->input_count)
      memcpy(cuda->staging + call->offsets[i], call->given[i], (size_t)call->bytes[i]);
  }
  return cuda->driver.cuMemcpyHtoDAsync(cuda->memory, cuda->staging, (size_t)call->uploaded, cuda->stream);
}

static void copy_results(const attn_cuda *cuda, const attn_entry_info *entry) {
  const struct cuda_call *call = &cuda->call;
  for (int32_t i = entry->input_count - entry->state_count; i < entry->input_count + entry->result_count; ++i)
    if (call->offsets[i] > 0 && call->bytes[i] > 0)
      memcpy(call->given[i], cuda->staging + call->offsets[i], (size_t)call->bytes[i]);
}

static attn_code start_in_context(attn_cuda *cuda, attn_status *status) {
  struct cuda_call *call = &cuda->call;
  ATTN_TRY(cuda_copy_parameters(cuda, status));
  ATTN_TRY(cuda_check(cuda, cuda_reserve_memory(cuda, call->total), "can't allocate memory for the call", status));
  ATTN_TRY(cuda_check(cuda, cuda_reserve_staging(cuda, call->arena), "can't allocate page-locked memory", status));
  ATTN_TRY(cuda_check(cuda, upload(cuda), "can't copy the inputs", status));
  attn_frame frame = {call->data, call->dimensions, cuda->table, (char *)(cuda->memory + (cu_address)call->arena),
                      &cuda->executor};
  attn_code code = (attn_code)call->entry->run(&frame);
  flush(cuda);
  if (call->error == CUDA_BEYOND_GRID)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: kernel %s has more blocks than a launch can have",
                     call->entry->name, call->failed);
  ATTN_TRY(cuda_check(cuda, call->error, call->failed, status));
  ATTN_TRY(attn_report(cuda->model, call->entry, code, status));
  cu_address from = cuda->memory + (cu_address)call->status;
  size_t bytes = (size_t)(call->arena - call->status);
  cu_result error = cuda->driver.cuMemcpyDtoHAsync(cuda->staging + call->status, from, bytes, cuda->stream);
  return cuda_check(cuda, error, "can't copy the results", status);
}

ATTN_PUBLIC attn_code attn_cuda_start(attn_cuda *cuda, int64_t number, const attn_tensor *tensors, int64_t tensor_count,
                                      attn_status *status) {
  ATTN_TRY(attn_check_pointer(cuda, "the attn_cuda", status));
  struct cuda_call *call = &cuda->call;
  if (call->entry)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: a call is running; call attn_cuda_wait first", call->entry->name);
  attn_context context = {cuda->weights, &cuda->executor, 0, 0};
  ATTN_TRY(attn_check_call(cuda->model, number, &context, tensors, tensor_count, status));
  ATTN_TRY(attn_infer_dimensions(cuda->model, number, tensors, tensor_count, call->dimensions, status));
  const attn_entry_info *entry = &cuda->model->entries[number];
  ATTN_TRY(find_on_device(cuda, entry, tensors, status));
  ATTN_TRY(lay_out(cuda, entry, status));
  ATTN_TRY(cuda_enter(cuda, status));
  call->entry = entry;
  call->error = 0;
  attn_code code = start_in_context(cuda, status);
  if (code != ATTN_OK) { /* the device may still run part of the call */
    cuda_queue_drop(&cuda->queue);
    cuda->driver.cuStreamSynchronize(cuda->stream);
    call->entry = 0;
  }
  cuda_leave(cuda);
  return code;
}

ATTN_PUBLIC attn_code attn_cuda_wait(attn_cuda *cuda, attn_status *status) {
  ATTN_TRY(attn_check_pointer(cuda, "the attn_cuda", status));
  const attn_entry_info *entry = cuda->call.entry;
  if (!entry)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: there is no call to wait for", cuda->model->name);
  ATTN_TRY(cuda_enter(cuda, status));
  cu_result error = cuda->driver.cuStreamSynchronize(cuda->stream);
  cuda_leave(cuda);
  cuda->call.entry = 0;
  ATTN_TRY(cuda_check(cuda, error, "its kernels", status));
  attn_code code = kernel_status((const int32_t *)(const void *)(cuda->staging + cuda->call.status));
  ATTN_TRY(attn_report(cuda->model, entry, code, status));
  copy_results(cuda, entry);
  return ATTN_OK;
}

ATTN_PUBLIC attn_code attn_cuda_run(attn_cuda *cuda, int64_t number, const attn_tensor *tensors, int64_t tensor_count,
                                    attn_status *status) {
  ATTN_TRY(attn_cuda_start(cuda, number, tensors, tensor_count, status));
  return attn_cuda_wait(cuda, status);
}
