/* A model on a device, from opening to closing. */
#include "state.h"

#include <stdlib.h>
#include <string.h>

attn_code cuda_fails(const attn_cuda *cuda, cu_result error, const char *what, attn_status *status) {
  attn_code code = error == CU_OUT_OF_MEMORY ? ATTN_NO_MEMORY : ATTN_DEVICE_FAULT;
  return attn_fail(status, code, "%s: %s on %s: %s", cuda->model->name, what, cuda->info.name,
                   cuda_error_name(&cuda->driver, error));
}

attn_code cuda_enter(const attn_cuda *cuda, attn_status *status) {
  cu_result error = cuda->driver.cuCtxPushCurrent(cuda->context);
  return error ? cuda_fails(cuda, error, "can't use the context", status) : ATTN_OK;
}

void cuda_leave(const attn_cuda *cuda) {
  cu_context context;
  cuda->driver.cuCtxPopCurrent(&context);
}

/* Opening --------------------------------------------------------------------------------------------------------- */

/* ATTN_DEVICE's number, or the first. */
static attn_code number_of_environment(long *number, attn_status *status) {
  const char *text = getenv("ATTN_DEVICE");
  char *end = 0;
  *number = text && *text ? strtol(text, &end, 10) : 0;
  if (end && *end)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "ATTN_DEVICE is '%s', expected the number of a device", text);
  return ATTN_OK;
}

static attn_code choose_device(attn_cuda *cuda, int32_t wanted, attn_status *status) {
  long number = wanted;
  attn_code code = wanted == ATTN_ANY_DEVICE ? number_of_environment(&number, status) : ATTN_OK;
  return code == ATTN_OK ? cuda_describe(&cuda->driver, number, &cuda->device, &cuda->info, status) : code;
}

/* "sm_80" runs on that and all newer ones, "sm_90a" on that alone, "sm_100f" on those of its generation. */
static int runs_on(const char *target, long architecture) {
  char *suffix;
  long wanted = strtol(target + strlen("sm_"), &suffix, 10);
  return *suffix == 'a' ? architecture == wanted
                        : architecture >= wanted && (*suffix != 'f' || architecture / 10 == wanted / 10);
}

/* The last image before `end` that the device runs; null where it runs none. */
static const attn_device_image *image_before(const attn_cuda *cuda, const attn_device_image *end) {
  const attn_device_image *first = cuda->model->device->images;
  while (end > first && !runs_on(end[-1].target, cuda->info.architecture))
    --end;
  return end > first ? end - 1 : 0;
}

static attn_code choose_image(attn_cuda *cuda, attn_status *status) {
  const attn_device_code *code = cuda->model->device;
  cuda->image = image_before(cuda, code->images + code->image_count);
  if (!cuda->image)
    return attn_fail(status, ATTN_UNSUPPORTED, "%s: compiled for %s, but %s has the architecture sm_%ld",
                     cuda->model->name, code->images[0].target, cuda->info.name, (long)cuda->info.architecture);
  return ATTN_OK;
}

static int has_phase(const attn_cuda *cuda, int64_t number) {
  const attn_device_code *code = cuda->model->device;
  return (int)(code->phases[number].images >> (cuda->image - code->images) & 1);
}

/* What a launch adds begins at a multiple of so much, behind what the function has (compiler/Codegen/GPU/Tile). */
enum { BLOCK_ALIGNMENT = 1024 };

static int block_bytes_of(const attn_device_phase *phase, int own) {
  int padded = (own + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
  return phase->block_bytes > 0 ? padded + (int)phase->block_bytes : own;
}

/* Blocks get little shared memory unless a function asks for more. */
static attn_code allow_block_memory(attn_cuda *cuda, attn_status *status) {
  const attn_device_code *code = cuda->model->device;
  int most = 0;
  cu_result error = cuda->driver.cuDeviceGetAttribute(&most, CU_MOST_BLOCK_BYTES, cuda->device);
  for (int64_t i = 0; !error && i < code->phase_count; ++i) {
    const attn_device_phase *phase = &code->phases[i];
    int own = 0;
    if (!has_phase(cuda, i))
      continue;
    error = cuda->driver.cuFuncGetAttribute(&own, CU_FUNCTION_OWN_BLOCK_BYTES, cuda->functions[i]);
    if (!error && block_bytes_of(phase, own) > most)
      return attn_fail(status, ATTN_UNSUPPORTED, "%s: %s wants %d bytes of shared memory for a block, but %s has %d",
                       cuda->model->name, phase->name, block_bytes_of(phase, own), cuda->info.name, most);
    if (!error && phase->block_bytes > 0)
      error = cuda->driver.cuFuncSetAttribute(cuda->functions[i], CU_FUNCTION_BLOCK_BYTES, phase->block_bytes);
  }
  return error ? cuda_fails(cuda, error, "can't ask for shared memory", status) : ATTN_OK;
}

/* A driver that is too old for one image may take an older one. */
static attn_code load_module(attn_cuda *cuda, attn_status *status) {
  cu_result error = CU_UNSUPPORTED_PTX_VERSION;
  for (const attn_device_image *image = cuda->image; image && error == CU_UNSUPPORTED_PTX_VERSION;
       image = image_before(cuda, image)) {
    cuda->image = image;
    error = cuda->driver.cuModuleLoadData(&cuda->module, image->ptx);
  }
  if (!error)
    return ATTN_OK;
  cuda->module = 0;
  if (error == CU_UNSUPPORTED_PTX_VERSION)
    return attn_fail(status, ATTN_UNSUPPORTED, "%s: the NVIDIA driver is older than code for %s", cuda->model->name,
                     cuda->image->target);
  return cuda_fails(cuda, error, "can't load the code", status);
}

static attn_code load_code(attn_cuda *cuda, attn_status *status) {
  const attn_device_code *code = cuda->model->device;
  attn_code loaded = load_module(cuda, status);
  if (loaded != ATTN_OK)
    return loaded;
  cu_result error = 0;
  int64_t most = 0;
  for (int64_t i = 0; i < code->phase_count; ++i)
    if (code->phases[i].buffer_count + code->phases[i].size_count > most)
      most = code->phases[i].buffer_count + code->phases[i].size_count;
  cuda->functions = calloc((size_t)code->phase_count + 1, sizeof *cuda->functions);
  if (!cuda->functions || !cuda_queue_open(&cuda->queue, most + 2))
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for the device's functions", cuda->model->name);
  for (int64_t i = 0; !error && i < code->phase_count; ++i)
    if (has_phase(cuda, i))
      error = cuda->driver.cuModuleGetFunction(&cuda->functions[i], cuda->module, code->phases[i].name);
  return error ? cuda_fails(cuda, error, "can't find a kernel", status) : allow_block_memory(cuda, status);
}

/* Calls `visit`, where there is one, for each place of the parameter table that has values which kernels read, of
 * parameters as they are loaded and then as they are packed, with where they lie on the device. */
typedef cu_result (*visit_place)(attn_cuda *cuda, int64_t place, int64_t offset, int64_t bytes);

static cu_result visit_at(attn_cuda *cuda, visit_place visit, int64_t place, int64_t bytes, int64_t *total) {
  if (!attn_weights_table(cuda->weights)[place])
    return 0;
  cu_result error = visit ? visit(cuda, place, *total, bytes) : 0;
  *total += cuda_align(bytes);
  return error;
}

static cu_result visit_parameters(attn_cuda *cuda, visit_place visit, int64_t *total) {
  const attn_model *model = cuda->model;
  cu_result error = 0;
  *total = 0;
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    int64_t count = 1, bytes = cuda_tensor_bytes(parameter->dtype, parameter->shape, parameter->rank);
    for (int32_t d = 0; d < parameter->list_rank; ++d)
      count *= parameter->counts[d];
    for (int64_t i = parameter->first; !error && !parameter->unread && i < parameter->first + count; ++i)
      error = visit_at(cuda, visit, i, bytes, total);
  }
  for (int64_t i = 0; !error && i < model->packed_count; ++i)
    error = visit_at(cuda, visit, model->loaded_count + i, model->packed_bytes[i], total);
  return error;
}

static cu_result copy_parameter(attn_cuda *cuda, int64_t place, int64_t offset, int64_t bytes) {
  cu_address to = cuda->parameters + (cu_address)offset;
  cuda->table[place] = (const void *)(uintptr_t)to;
  const void *from = attn_weights_table(cuda->weights)[place];
  return bytes > 0 ? cuda->driver.cuMemcpyHtoDAsync(to, from, (size_t)bytes, cuda->stream) : 0;
}

static attn_code copy_values(attn_cuda *cuda, attn_status *status) {
  int64_t total;
  cu_result error = visit_parameters(cuda, copy_parameter, &total);
  if (!error)
    error = cuda->driver.cuStreamSynchronize(cuda->stream);
  if (error)
    return cuda_fails(cuda, error, "can't copy the parameters", status);
  cuda->packings = attn_weights_packings(cuda->weights);
  return ATTN_OK;
}

static attn_code copy_parameters(attn_cuda *cuda, attn_status *status) {
  if (cuda->model->loaded_count == 0)
    return ATTN_OK;
  cuda->table = calloc((size_t)(cuda->model->loaded_count + cuda->model->packed_count), sizeof *cuda->table);
  if (!cuda->table)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for the parameter table", cuda->model->name);
  int64_t total;
  visit_parameters(cuda, 0, &total);
  cu_result error = total > 0 ? cuda->driver.cuMemAlloc(&cuda->parameters, (size_t)total) : 0;
  if (!error)
    return copy_values(cuda, status);
  cuda->parameters = 0;
  return cuda_fails(cuda, error, "can't have memory for the parameters", status);
}

attn_code cuda_renew_parameters(attn_cuda *cuda, attn_status *status) {
  int has_changed = cuda->table && cuda->packings != attn_weights_packings(cuda->weights);
  return has_changed ? copy_values(cuda, status) : ATTN_OK;
}

static attn_code open_in_context(attn_cuda *cuda, attn_status *status) {
  cu_result error = cuda->driver.cuStreamCreate(&cuda->stream, CU_STREAM_NON_BLOCKING);
  if (error) {
    cuda->stream = 0;
    return cuda_fails(cuda, error, "can't make a stream", status);
  }
  attn_code code = load_code(cuda, status);
  return code == ATTN_OK ? copy_parameters(cuda, status) : code;
}

static attn_code open_device(attn_cuda *cuda, int32_t device, attn_status *status) {
  attn_code code = choose_device(cuda, device, status);
  if (code == ATTN_OK)
    code = choose_image(cuda, status);
  if (code != ATTN_OK)
    return code;
  cu_result error = cuda->driver.cuDevicePrimaryCtxRetain(&cuda->context, cuda->device);
  if (error) {
    cuda->context = 0;
    return cuda_fails(cuda, error, "can't make a context", status);
  }
  code = cuda_enter(cuda, status);
  if (code != ATTN_OK)
    return code;
  code = open_in_context(cuda, status);
  cuda_leave(cuda);
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
  attn_code code = attn_check_pointer(out, "the place for the device", status);
  if (code != ATTN_OK)
    return code;
  *out = 0;
  code = check_open(model, weights, status);
  if (code != ATTN_OK)
    return code;
  attn_cuda *cuda = calloc(1, sizeof *cuda);
  if (!cuda)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to open a device", model->name);
  cuda->executor = (attn_executor){cuda_launch_phase, cuda, 1};
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
  int is_entered = cuda->context && cuda_enter(cuda, 0) == ATTN_OK;
  if (cuda->stream)
    cuda->driver.cuStreamSynchronize(cuda->stream); /* a call may be under way */
  cuda_queue_close(&cuda->queue, &cuda->driver);
  cuda_free_buffers(cuda);
  if (cuda->memory)
    cuda->driver.cuMemFree(cuda->memory);
  if (cuda->staging)
    cuda->driver.cuMemFreeHost(cuda->staging);
  if (cuda->parameters)
    cuda->driver.cuMemFree(cuda->parameters);
  if (cuda->module)
    cuda->driver.cuModuleUnload(cuda->module);
  if (cuda->stream)
    cuda->driver.cuStreamDestroy(cuda->stream);
  if (is_entered)
    cuda_leave(cuda);
  if (cuda->context)
    cuda->driver.cuDevicePrimaryCtxRelease(cuda->device);
  cuda_driver_unload(&cuda->driver);
  free(cuda->functions);
  free(cuda->table);
  free(cuda);
}

ATTN_PUBLIC const char *attn_cuda_image(const attn_cuda *cuda) { return cuda ? cuda->image->target : 0; }

ATTN_PUBLIC const char *attn_cuda_device_name(const attn_cuda *cuda) { return cuda ? cuda->info.name : 0; }
