/* One call of an entry point: its tensors go to the device, its launches into the queue, its results come back. */
#include "state.h"

#include <limits.h>
#include <string.h>

/* Launches --------------------------------------------------------------------------------------------------------- */

static void fail_call(struct cuda_call *call, cu_result error, const char *what) {
  call->error = error;
  call->what = what;
}

/* Hands over what waits. */
static void flush(attn_cuda *cuda) {
  const char *what = 0;
  if (cuda->call.what)
    return;
  cu_result error = cuda_queue_flush(&cuda->queue, &cuda->driver, cuda->stream, &what);
  if (error)
    fail_call(&cuda->call, error, what);
}

static int32_t answer_in(const int32_t *words) { return words[1] != ATTN_OK ? words[1] : words[0]; }

/* Generated code wants a word of what kernels have computed (attn_device_code::fetch). The place of the status in the
 * staging memory has room for both. */
static void fetch(attn_cuda *cuda, const attn_kernel_args *args) {
  struct cuda_call *call = &cuda->call;
  int32_t *words = (int32_t *)(void *)(cuda->staging + call->status);
  flush(cuda);
  if (!call->what) {
    cu_result error =
        cuda->driver.cuMemcpyDtoHAsync(words, cuda->memory + (cu_address)call->status, 2 * sizeof *words, cuda->stream);
    if (!error)
      error = cuda->driver.cuMemcpyDtoHAsync(words + 2, (cu_address)(uintptr_t)args->buffers[0], sizeof *words,
                                             cuda->stream);
    if (!error)
      error = cuda->driver.cuStreamSynchronize(cuda->stream);
    if (error)
      fail_call(call, error, "its kernels");
  }
  *args->status = call->what ? ATTN_DEVICE_FAULT : answer_in(words);
  if (!call->what)
    memcpy(args->shared, words + 2, sizeof *words);
}

static int64_t phase_number(const attn_device_code *code, attn_kernel_fn fn) {
  int64_t number = 0;
  while (code->phases[number].phase != fn)
    ++number;
  return number;
}

void cuda_launch_phase(void *self, attn_kernel_fn fn, const attn_kernel_args *args, int64_t chunks, char *scratch,
                       int64_t scratch_stride) {
  (void)scratch; /* the threads of a device have none */
  (void)scratch_stride;
  attn_cuda *cuda = self;
  const attn_device_code *code = cuda->model->device;
  if (fn == code->fetch) {
    fetch(cuda, args);
    return;
  }
  if (cuda->call.what || chunks <= 0)
    return;
  int64_t number = phase_number(code, fn);
  cuda_launch launch = {.phase = &code->phases[number], .function = cuda->functions[number]};
  if (!launch.function) /* another image has this form of the kernel */
    return;
  cuda->call.is_beyond_grid = chunks > INT_MAX;
  if (cuda->call.is_beyond_grid) {
    cuda->call.what = launch.phase->name;
    return;
  }
  launch.blocks = (unsigned)chunks;
  if (!cuda_queue_add(&cuda->queue, &launch, args, cuda->memory + (cu_address)cuda->call.status))
    fail_call(&cuda->call, CU_OUT_OF_MEMORY, "no memory of the host for its launches");
}

/* Tensors ---------------------------------------------------------------------------------------------------------- */

/* Which part of the call's memory a tensor of the host lies in. */
enum part { PART_INPUT, PART_STATE, PART_RESULT };

static enum part part_of(const attn_entry_info *entry, int32_t number) {
  if (number >= entry->input_count)
    return PART_RESULT;
  return number >= entry->input_count - entry->state_count ? PART_STATE : PART_INPUT;
}

/* Gives tensors of the host that belong to `part` their places. 0: the memory is beyond 64 bits. */
static int place(struct cuda_call *call, const attn_entry_info *entry, enum part part) {
  for (int32_t i = 0; i < entry->input_count + entry->result_count; ++i)
    if (call->offsets[i] == 0 && part_of(entry, i) == part) {
      if (call->bytes[i] > INT64_MAX - 2 * CUDA_ALIGNMENT - call->total)
        return 0;
      call->offsets[i] = call->total;
      call->total += cuda_align(call->bytes[i]);
    }
  return 1;
}

/* Tensors that are on the device already stay where they are; others have no offset yet. */
static attn_code find_on_device(attn_cuda *cuda, const attn_entry_info *entry, const attn_tensor *tensors,
                                attn_status *status) {
  struct cuda_call *call = &cuda->call;
  for (int32_t i = 0; i < entry->input_count + entry->result_count; ++i) {
    const attn_tensor *tensor = &tensors[i];
    int64_t owned;
    call->bytes[i] = cuda_tensor_bytes(tensor->dtype, tensor->shape, tensor->rank);
    call->offsets[i] = 0;
    if (call->bytes[i] == 0 || !cuda_owns(cuda, tensor->data, &owned))
      continue;
    if (owned < call->bytes[i] || (uintptr_t)tensor->data % ATTN_DEVICE_ALIGNMENT)
      return attn_fail(status, ATTN_BAD_ARGUMENT,
                       owned < call->bytes[i] ? "%s: '%s' has %lld bytes, but its memory on the device ends before that"
                                              : "%s: '%s' (%lld bytes) does not begin at a multiple of 16 bytes",
                       entry->name, entry->tensors[i].name, (long long)call->bytes[i]);
    call->offsets[i] = -1;
    call->data[i] = tensor->data;
  }
  return ATTN_OK;
}

static attn_code lay_out(attn_cuda *cuda, const attn_entry_info *entry, const attn_tensor *tensors,
                         attn_status *status) {
  struct cuda_call *call = &cuda->call;
  attn_code code = find_on_device(cuda, entry, tensors, status);
  if (code != ATTN_OK)
    return code;
  int64_t arena = entry->arena_bytes(call->dimensions, cuda->executor.workers);
  call->total = CUDA_ALIGNMENT; /* no place is 0 */
  int fits = arena >= 0 && place(call, entry, PART_INPUT);
  call->status = call->total;
  call->total += CUDA_ALIGNMENT;
  fits = fits && place(call, entry, PART_STATE);
  call->uploaded = call->total;
  fits = fits && place(call, entry, PART_RESULT);
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
    call->data[i] = (void *)(uintptr_t)(cuda->memory + (cu_address)call->offsets[i]);
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

/* Calls ------------------------------------------------------------------------------------------------------------ */

static attn_code call_fails(const attn_cuda *cuda, const struct cuda_call *call, attn_status *status) {
  if (call->is_beyond_grid)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: kernel %s has more blocks than a launch can have",
                     call->entry->name, call->what);
  return cuda_fails(cuda, call->error, call->what, status);
}

/* Behind a call that does not go on nothing of it is left on the device. */
static void abandon(attn_cuda *cuda) {
  cuda_queue_drop(&cuda->queue);
  cuda->driver.cuStreamSynchronize(cuda->stream);
  cuda->call.entry = 0;
}

static attn_code have_call_memory(attn_cuda *cuda, const struct cuda_call *call, attn_status *status) {
  cu_result error = cuda_have_memory(cuda, call->total);
  if (error)
    return cuda_fails(cuda, error, "can't have memory for the call", status);
  error = cuda_have_staging(cuda, call->arena);
  return error ? cuda_fails(cuda, error, "can't have page-locked memory for the call", status) : ATTN_OK;
}

static attn_code start_in_context(attn_cuda *cuda, attn_status *status) {
  struct cuda_call *call = &cuda->call;
  attn_code code = cuda_renew_parameters(cuda, status);
  if (code == ATTN_OK)
    code = have_call_memory(cuda, call, status);
  if (code != ATTN_OK)
    return code;
  cu_result error = upload(cuda);
  if (error)
    return cuda_fails(cuda, error, "can't copy the inputs", status);
  attn_frame frame = {call->data, call->dimensions, cuda->table,
                      (char *)(uintptr_t)(cuda->memory + (cu_address)call->arena), &cuda->executor};
  call->answer = call->entry->run(&frame);
  flush(cuda);
  if (call->what)
    return call_fails(cuda, call, status);
  if (call->answer != ATTN_OK)
    return attn_report(cuda->model, call->entry, (attn_code)call->answer, status);
  error = cuda->driver.cuMemcpyDtoHAsync(cuda->staging + call->status, cuda->memory + (cu_address)call->status,
                                         (size_t)(call->arena - call->status), cuda->stream);
  return error ? cuda_fails(cuda, error, "can't copy the results", status) : attn_succeed(status);
}

static attn_code check_start(attn_cuda *cuda, int64_t number, const attn_tensor *tensors, int64_t tensor_count,
                             attn_status *status) {
  struct cuda_call *call = &cuda->call;
  if (call->entry)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: a call is under way: attn_cuda_wait comes first",
                     call->entry->name);
  attn_context context = {cuda->weights, &cuda->executor, 0, 0};
  attn_code code = attn_check_call(cuda->model, number, &context, tensors, tensor_count, status);
  if (code != ATTN_OK)
    return code;
  const attn_entry_info *entry = &cuda->model->entries[number];
  code = attn_infer_dimensions(cuda->model, number, tensors, tensor_count, call->dimensions, status);
  if (code != ATTN_OK)
    return code;
  call->what = 0;
  call->error = 0;
  call->is_beyond_grid = 0;
  for (int64_t i = 0; i < tensor_count; ++i)
    call->given[i] = tensors[i].data;
  return lay_out(cuda, entry, tensors, status);
}

ATTN_PUBLIC attn_code attn_cuda_start(attn_cuda *cuda, int64_t number, const attn_tensor *tensors, int64_t tensor_count,
                                      attn_status *status) {
  attn_code code = attn_check_pointer(cuda, "the attn_cuda", status);
  if (code == ATTN_OK)
    code = check_start(cuda, number, tensors, tensor_count, status);
  if (code == ATTN_OK)
    code = cuda_enter(cuda, status);
  if (code != ATTN_OK)
    return code;
  cuda->call.entry = &cuda->model->entries[number];
  code = start_in_context(cuda, status);
  if (code != ATTN_OK)
    abandon(cuda);
  cuda_leave(cuda);
  return code;
}

ATTN_PUBLIC attn_code attn_cuda_wait(attn_cuda *cuda, attn_status *status) {
  attn_code code = attn_check_pointer(cuda, "the attn_cuda", status);
  if (code != ATTN_OK)
    return code;
  struct cuda_call *call = &cuda->call;
  const attn_entry_info *entry = call->entry;
  if (!entry)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: there is no call to wait for", cuda->model->name);
  code = cuda_enter(cuda, status);
  if (code != ATTN_OK)
    return code;
  cu_result error = cuda->driver.cuStreamSynchronize(cuda->stream);
  cuda_leave(cuda);
  call->entry = 0;
  if (error)
    return cuda_fails(cuda, error, "its kernels", status);
  int32_t answer = answer_in((const int32_t *)(const void *)(cuda->staging + call->status));
  if (answer != ATTN_OK)
    return attn_report(cuda->model, entry, (attn_code)answer, status);
  copy_results(cuda, entry);
  return attn_succeed(status);
}

ATTN_PUBLIC attn_code attn_cuda_run(attn_cuda *cuda, int64_t number, const attn_tensor *tensors, int64_t tensor_count,
                                    attn_status *status) {
  attn_code code = attn_cuda_start(cuda, number, tensors, tensor_count, status);
  return code == ATTN_OK ? attn_cuda_wait(cuda, status) : code;
}
