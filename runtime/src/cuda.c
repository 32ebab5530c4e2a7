#include "attn/cuda.h"
#include "cuda_driver.h"
#include "internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_ALIGNMENT = 256, NAME_BYTES = 256 };

struct attn_cuda {
  attn_executor executor; /* launches phases; what they return is known when the device has run them */
  const attn_model *model;
  attn_weights *weights;
  cuda_driver driver;
  cu_device device;
  cu_context context;
  cu_module module;
  cu_function *functions; /* one a phase of model->device */
  void **arguments;       /* addresses of the parameters of one launch: room for those of any phase */
  cu_address parameters;  /* the values of all parameters */
  const void **table;     /* where each of them begins: attn_frame::parameters */
  cu_address memory;      /* of a call: the status, tensors, the arena */
  int64_t bytes;
  /* Of a call: the first that failed, and in which phase. */
  cu_result error;
  const char *failed_phase;
  int is_beyond_grid;
  char name[NAME_BYTES];
};

static int64_t align(int64_t bytes) { return (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT; }

static attn_code driver_fails(const attn_cuda *cuda, cu_result error, const char *what, attn_status *status) {
  attn_code code = error == CU_OUT_OF_MEMORY ? ATTN_NO_MEMORY : ATTN_DEVICE_FAULT;
  return attn_fail(status, code, "%s: %s on %s: %s", cuda->model->name, what, cuda->name,
                   cuda_error_name(&cuda->driver, error));
}

/* Launches -------------------------------------------------------------------------------------------------------- */

static int64_t phase_number(const attn_device_code *code, attn_kernel_fn fn) {
  int64_t number = 0;
  while (code->phases[number].phase != fn)
    ++number;
  return number;
}

static void launch(void *self, attn_kernel_fn fn, const attn_kernel_args *args, int64_t chunks, char *scratch,
                   int64_t scratch_stride) {
  (void)scratch; /* the threads of a device have none */
  (void)scratch_stride;
  attn_cuda *cuda = self;
  int64_t number = phase_number(cuda->model->device, fn);
  const attn_device_phase *phase = &cuda->model->device->phases[number];
  if (cuda->failed_phase || chunks <= 0)
    return;
  void **argument = cuda->arguments;
  for (int32_t i = 0; i < phase->buffer_count; ++i)
    *argument++ = (void *)&args->buffers[i];
  for (int32_t i = 0; i < phase->size_count; ++i)
    *argument++ = (void *)&args->sizes[i];
  *argument++ = (void *)&args->shared;
  *argument++ = &cuda->memory; /* which begins with the status */
  cuda->is_beyond_grid = chunks > INT_MAX;
  if (!cuda->is_beyond_grid)
    cuda->error = cuda->driver.cuLaunchKernel(cuda->functions[number], (unsigned)chunks, 1, 1,
                                              (unsigned)phase->threads, 1, 1, (unsigned)phase->block_bytes, 0,
                                              cuda->arguments, 0);
  if (cuda->is_beyond_grid || cuda->error)
    cuda->failed_phase = phase->name;
}

/* Opening --------------------------------------------------------------------------------------------------------- */

static attn_code choose_device(attn_cuda *cuda, int32_t wanted, attn_status *status) {
  const char *text = getenv("ATTN_DEVICE");
  char *end = 0;
  long number = wanted;
  if (wanted == ATTN_ANY_DEVICE) {
    number = text && *text ? strtol(text, &end, 10) : 0;
    if (end && *end)
      return attn_fail(status, ATTN_BAD_ARGUMENT, "ATTN_DEVICE is '%s', expected the number of a device", text);
  }
  int count = 0;
  cu_result error = cuda->driver.cuDeviceGetCount(&count);
  if (!error && (number < 0 || number >= count))
    return attn_fail(status, ATTN_BAD_ARGUMENT, "device %ld is wanted, expected one of the %d that there are, from 0",
                     number, count);
  if (!error)
    error = cuda->driver.cuDeviceGet(&cuda->device, (int)number);
  if (!error)
    error = cuda->driver.cuDeviceGetName(cuda->name, NAME_BYTES, cuda->device);
  return error ? driver_fails(cuda, error, "can't ask for the device", status) : ATTN_OK;
}

/* "sm_80" runs on that and all newer ones, "sm_90a" on that alone, "sm_100f" on those of its generation. */
static attn_code check_architecture(const attn_cuda *cuda, attn_status *status) {
  int major = 0, minor = 0;
  cu_result error = cuda->driver.cuDeviceGetAttribute(&major, CU_CAPABILITY_MAJOR, cuda->device);
  if (!error)
    error = cuda->driver.cuDeviceGetAttribute(&minor, CU_CAPABILITY_MINOR, cuda->device);
  if (error)
    return driver_fails(cuda, error, "can't ask for the architecture", status);
  char *suffix;
  const char *target = cuda->model->device->target;
  long found = 10 * major + minor, wanted = strtol(target + strlen("sm_"), &suffix, 10);
  int fits = *suffix == 'a' ? found == wanted : found >= wanted && (*suffix != 'f' || found / 10 == wanted / 10);
  if (!fits)
    return attn_fail(status, ATTN_UNSUPPORTED, "%s: compiled for %s, but %s has the architecture sm_%ld",
                     cuda->model->name, target, cuda->name, found);
  return ATTN_OK;
}

/* Blocks get little shared memory unless a function asks for more. */
static attn_code allow_block_memory(attn_cuda *cuda, attn_status *status) {
  const attn_device_code *code = cuda->model->device;
  int most = 0;
  cu_result error = cuda->driver.cuDeviceGetAttribute(&most, CU_MOST_BLOCK_BYTES, cuda->device);
  for (int64_t i = 0; !error && i < code->phase_count; ++i) {
    const attn_device_phase *phase = &code->phases[i];
    if (phase->block_bytes > most)
      return attn_fail(status, ATTN_UNSUPPORTED, "%s: %s wants %d bytes of shared memory for a block, but %s has %d",
                       cuda->model->name, phase->name, (int)phase->block_bytes, cuda->name, most);
    if (phase->block_bytes > 0)
      error = cuda->driver.cuFuncSetAttribute(cuda->functions[i], CU_FUNCTION_BLOCK_BYTES, phase->block_bytes);
  }
  return error ? driver_fails(cuda, error, "can't ask for shared memory", status) : ATTN_OK;
}

static attn_code load_code(attn_cuda *cuda, attn_status *status) {
  const attn_device_code *code = cuda->model->device;
  cu_result error = cuda->driver.cuModuleLoadData(&cuda->module, code->ptx);
  if (error == CU_UNSUPPORTED_PTX_VERSION)
    return attn_fail(status, ATTN_UNSUPPORTED, "%s: the NVIDIA driver is older than code for %s", cuda->model->name,
                     code->target);
  if (error)
    return driver_fails(cuda, error, "can't load the code", status);
  int64_t most = 0;
  for (int64_t i = 0; i < code->phase_count; ++i)
    if (code->phases[i].buffer_count + code->phases[i].size_count > most)
      most = code->phases[i].buffer_count + code->phases[i].size_count;
  cuda->functions = calloc((size_t)code->phase_count + 1, sizeof *cuda->functions);
  cuda->arguments = calloc((size_t)most + 2, sizeof *cuda->arguments);
  if (!cuda->functions || !cuda->arguments)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for the device's functions", cuda->model->name);
  for (int64_t i = 0; !error && i < code->phase_count; ++i)
    error = cuda->driver.cuModuleGetFunction(&cuda->functions[i], cuda->module, code->phases[i].name);
  return error ? driver_fails(cuda, error, "can't find a kernel", status) : allow_block_memory(cuda, status);
}

static int64_t parameter_bytes(const attn_parameter_info *parameter) {
  int64_t bytes = 4;
  for (int32_t d = 0; d < parameter->rank; ++d)
    bytes *= parameter->shape[d];
  return bytes;
}

/* Calls `visit` for each place of the parameter table that has values, with where they lie on the device. */
static cu_result visit_parameters(attn_cuda *cuda, cu_result (*visit)(attn_cuda *, int64_t, int64_t, int64_t),
                                  int64_t *total) {
  const attn_model *model = cuda->model;
  const void *const *values = attn_weights_table(cuda->weights);
  cu_result error = 0;
  *total = 0;
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    int64_t count = 1, bytes = parameter_bytes(parameter);
    for (int32_t d = 0; d < parameter->list_rank; ++d)
      count *= parameter->counts[d];
    for (int64_t i = parameter->first; !error && i < parameter->first + count; ++i)
      if (values[i]) {
        if (visit)
          error = visit(cuda, i, *total, bytes);
        *total += align(bytes);
      }
  }
  return error;
}

static cu_result copy_parameter(attn_cuda *cuda, int64_t place, int64_t offset, int64_t bytes) {
  cu_address to = cuda->parameters + (cu_address)offset;
  cuda->table[place] = (const void *)(uintptr_t)to;
  const void *from = attn_weights_table(cuda->weights)[place];
  return bytes > 0 ? cuda->driver.cuMemcpyHtoD(to, from, (size_t)bytes) : 0;
}

static attn_code copy_parameters(attn_cuda *cuda, attn_status *status) {
  if (cuda->model->loaded_count == 0)
    return ATTN_OK;
  cuda->table = calloc((size_t)cuda->model->loaded_count, sizeof *cuda->table);
  if (!cuda->table)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for the parameter table", cuda->model->name);
  int64_t total;
  visit_parameters(cuda, 0, &total);
  cu_result error = total > 0 ? cuda->driver.cuMemAlloc(&cuda->parameters, (size_t)total) : 0;
  if (!error)
    error = visit_parameters(cuda, copy_parameter, &total);
  return error ? driver_fails(cuda, error, "can't copy the parameters", status) : ATTN_OK;
}

static attn_code open_in_context(attn_cuda *cuda, attn_status *status) {
  attn_code code = load_code(cuda, status);
  return code == ATTN_OK ? copy_parameters(cuda, status) : code;
}

static attn_code open_device(attn_cuda *cuda, int32_t device, attn_status *status) {
  attn_code code = choose_device(cuda, device, status);
  if (code == ATTN_OK)
    code = check_architecture(cuda, status);
  if (code != ATTN_OK)
    return code;
  cu_result error = cuda->driver.cuDevicePrimaryCtxRetain(&cuda->context, cuda->device);
  if (error) {
    cuda->context = 0;
    return driver_fails(cuda, error, "can't make a context", status);
  }
  error = cuda->driver.cuCtxPushCurrent(cuda->context);
  if (error)
    return driver_fails(cuda, error, "can't use the context", status);
  code = open_in_context(cuda, status);
  cuda->driver.cuCtxPopCurrent(&cuda->context);
  return code;
}

static attn_code check_open(const attn_model *model, attn_weights *weights, attn_status *status) {
  attn_code code = attn_check_model(model, status);
  if (code != ATTN_OK)
    return code;
  if (!model->device)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: compiled for %s, expected a model of --target cuda", model->name,
                     model->target);
  if (model->loaded_count > 0 && !weights)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: the model has parameters, but there are no weights", model->name);
  if (weights && attn_weights_model(weights) != model)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: the weights are those of another model", model->name);
  return ATTN_OK;
}

ATTN_PUBLIC attn_code attn_cuda_open(const attn_model *model, attn_weights *weights, int32_t device, attn_cuda **out,
                                     attn_status *status) {
  *out = 0;
  attn_code code = check_open(model, weights, status);
  if (code != ATTN_OK)
    return code;
  attn_cuda *cuda = calloc(1, sizeof *cuda);
  if (!cuda)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to open a device", model->name);
  cuda->executor = (attn_executor){launch, cuda, 1};
  cuda->model = model;
  cuda->weights = weights;
  code = cuda_driver_load(&cuda->driver, status);
  if (code != ATTN_OK) {
    free(cuda);
    return code;
  }
  code = open_device(cuda, device, status);
  if (code != ATTN_OK) {
    attn_cuda_close(cuda);
    return code;
  }
  *out = cuda;
  return attn_succeed(status);
}

ATTN_PUBLIC void attn_cuda_close(attn_cuda *cuda) {
  if (!cuda)
    return;
  if (cuda->context) {
    cuda->driver.cuCtxPushCurrent(cuda->context);
    if (cuda->memory)
      cuda->driver.cuMemFree(cuda->memory);
    if (cuda->parameters)
      cuda->driver.cuMemFree(cuda->parameters);
    if (cuda->module)
      cuda->driver.cuModuleUnload(cuda->module);
    cuda->driver.cuCtxPopCurrent(&cuda->context);
    cuda->driver.cuDevicePrimaryCtxRelease(cuda->device);
  }
  cuda_driver_unload(&cuda->driver);
  free(cuda->functions);
  free(cuda->arguments);
  free(cuda->table);
  free(cuda);
}

ATTN_PUBLIC const char *attn_cuda_device_name(const attn_cuda *cuda) { return cuda->name; }

/* Calls ----------------------------------------------------------------------------------------------------------- */

/* What one call works on, and where in its memory that lies. */
struct call {
  const attn_entry_info *entry;
  const attn_tensor *tensors;
  int64_t dimensions[ATTN_MAX_DIMENSIONS];
  int64_t offsets[ATTN_MAX_TENSORS], bytes[ATTN_MAX_TENSORS];
  int64_t arena, total;
};

/* The status comes first, then the tensors, then the arena. */
static attn_code lay_out(const attn_cuda *cuda, struct call *call, attn_status *status) {
  int64_t arena = call->entry->arena_bytes(call->dimensions, cuda->executor.workers);
  int is_large = arena < 0;
  call->total = MEMORY_ALIGNMENT;
  for (int32_t i = 0; !is_large && i < call->entry->input_count + call->entry->result_count; ++i) {
    const attn_tensor *tensor = &call->tensors[i];
    call->bytes[i] = tensor->dtype == ATTN_BOOL ? 1 : 4;
    for (int32_t d = 0; d < tensor->rank; ++d)
      call->bytes[i] *= tensor->shape[d];
    call->offsets[i] = call->total;
    is_large = call->bytes[i] > INT64_MAX - 2 * MEMORY_ALIGNMENT - call->total;
    call->total += is_large ? 0 : align(call->bytes[i]);
  }
  call->arena = call->total;
  if (is_large || arena > INT64_MAX - call->total)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: the memory for these dimensions is beyond 64 bits",
                     call->entry->name);
  call->total += arena;
  return ATTN_OK;
}

static cu_result have_memory(attn_cuda *cuda, int64_t bytes) {
  if (cuda->bytes >= bytes)
    return 0;
  if (cuda->memory)
    cuda->driver.cuMemFree(cuda->memory);
  cuda->memory = 0;
  cuda->bytes = 0;
  cu_result error = cuda->driver.cuMemAlloc(&cuda->memory, (size_t)bytes);
  if (!error)
    cuda->bytes = bytes;
  return error;
}

static cu_result copy_inputs(const attn_cuda *cuda, const struct call *call) {
  const int32_t ok = ATTN_OK;
  cu_result error = cuda->driver.cuMemcpyHtoD(cuda->memory, &ok, sizeof ok);
  for (int32_t i = 0; !error && i < call->entry->input_count; ++i)
    if (call->bytes[i] > 0)
      error = cuda->driver.cuMemcpyHtoD(cuda->memory + (cu_address)call->offsets[i], call->tensors[i].data,
                                        (size_t)call->bytes[i]);
  return error;
}

static cu_result copy_results(const attn_cuda *cuda, const struct call *call) {
  const attn_entry_info *entry = call->entry;
  cu_result error = 0;
  for (int32_t i = entry->input_count - entry->state_count; !error && i < entry->input_count + entry->result_count; ++i)
    if (call->bytes[i] > 0)
      error = cuda->driver.cuMemcpyDtoH(call->tensors[i].data, cuda->memory + (cu_address)call->offsets[i],
                                        (size_t)call->bytes[i]);
  return error;
}

/* Launches all that the entry point does and waits for the device; `*answer` is what kernels say of the data. */
static attn_code run_entry(attn_cuda *cuda, const struct call *call, int32_t *answer, attn_status *status) {
  void *data[ATTN_MAX_TENSORS];
  for (int32_t i = 0; i < call->entry->input_count + call->entry->result_count; ++i)
    data[i] = (void *)(uintptr_t)(cuda->memory + (cu_address)call->offsets[i]);
  attn_frame frame = {data, call->dimensions, cuda->table,
                      (char *)(uintptr_t)(cuda->memory + (cu_address)call->arena), &cuda->executor};
  cuda->error = 0;
  cuda->failed_phase = 0;
  *answer = call->entry->run(&frame);
  if (*answer != ATTN_OK)
    return ATTN_OK;
  const char *what = cuda->failed_phase;
  if (cuda->is_beyond_grid && what)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: kernel %s has more blocks than a launch can have",
                     call->entry->name, what);
  cu_result error = cuda->error;
  if (!error) {
    what = "its kernels";
    error = cuda->driver.cuCtxSynchronize();
  }
  if (!error)
    error = cuda->driver.cuMemcpyDtoH(answer, cuda->memory, sizeof *answer);
  return error ? driver_fails(cuda, error, what, status) : ATTN_OK;
}

static attn_code run_in_context(attn_cuda *cuda, const struct call *call, attn_status *status) {
  cu_result error = have_memory(cuda, call->total);
  if (error)
    return driver_fails(cuda, error, "can't have memory for the call", status);
  error = copy_inputs(cuda, call);
  if (error)
    return driver_fails(cuda, error, "can't copy the inputs", status);
  int32_t answer;
  attn_code code = run_entry(cuda, call, &answer, status);
  if (code != ATTN_OK)
    return code;
  if (answer != ATTN_OK)
    return attn_report(cuda->model, call->entry, (attn_code)answer, status);
  error = copy_results(cuda, call);
  return error ? driver_fails(cuda, error, "can't copy the results", status) : attn_succeed(status);
}

ATTN_PUBLIC attn_code attn_cuda_run(attn_cuda *cuda, int64_t number, const attn_tensor *tensors, int64_t tensor_count,
                                    attn_status *status) {
  attn_context context = {cuda->weights, &cuda->executor, 0, 0};
  attn_code code = attn_check_call(cuda->model, number, &context, tensors, tensor_count, status);
  if (code != ATTN_OK)
    return code;
  struct call call = {.entry = &cuda->model->entries[number], .tensors = tensors};
  if (call.entry->updates)
    return attn_fail(status, ATTN_UNSUPPORTED, "%s: changes parameters, which is not done on a device yet",
                     call.entry->name);
  code = attn_infer_dimensions(cuda->model, number, tensors, tensor_count, call.dimensions, status);
  if (code == ATTN_OK)
    code = lay_out(cuda, &call, status);
  if (code != ATTN_OK)
    return code;
  cu_result error = cuda->driver.cuCtxPushCurrent(cuda->context);
  if (error)
    return driver_fails(cuda, error, "can't use the context", status);
  code = run_in_context(cuda, &call, status);
  cuda->driver.cuCtxPopCurrent(&cuda->context);
  return code;
}
