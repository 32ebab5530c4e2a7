#include "state.h"

#include <stdlib.h>
#include <string.h>

/* Reads the device number from ATTN_DEVICE of the environment, or 0. */
static attn_code read_environment(long *number, attn_status *status) {
  const char *text = getenv("ATTN_DEVICE");
  char *end = 0;
  *number = text && *text ? strtol(text, &end, 10) : 0;
  if (end && *end)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "ATTN_DEVICE is '%s', expected the number of a device", text);
  return ATTN_OK;
}

/* Whether a device runs the target: "sm_80" runs on sm_80 and newer ones, "sm_90a" on sm_90, "sm_100f" on sm_10x. */
static int runs_on(const char *target, long architecture) {
  char *suffix;
  long wanted = strtol(target + strlen("sm_"), &suffix, 10);
  return *suffix == 'a' ? architecture == wanted
                        : architecture >= wanted && (*suffix != 'f' || architecture / 10 == wanted / 10);
}

/* Returns the last image before `end` that the device supports; null if there is none. */
static const attn_device_image *image_before(const attn_cuda *cuda, const attn_device_image *end) {
  const attn_device_image *first = cuda->model->device->images;
  while (end > first && !runs_on(end[-1].target, cuda->info.architecture))
    --end;
  return end > first ? end - 1 : 0;
}

/* Loads the image, or an earlier one if the driver is too old for its PTX. */
static attn_code load_module(attn_cuda *cuda, attn_status *status) {
  cu_result error = CU_UNSUPPORTED_PTX_VERSION;
  cu_module module;
  for (const attn_device_image *image = cuda->image; image && error == CU_UNSUPPORTED_PTX_VERSION;
       image = image_before(cuda, image)) {
    cuda->image = image;
    error = cuda->driver.cuModuleLoadData(&module, image->ptx);
  }
  if (error == CU_UNSUPPORTED_PTX_VERSION)
    return attn_fail(status, ATTN_UNSUPPORTED, "%s: the NVIDIA driver is older than code for %s", cuda->model->name,
                     cuda->image->target);
  ATTN_TRY(cuda_check(cuda, error, "can't load the code", status));
  cuda->module = module;
  return ATTN_OK;
}

/* Returns the bytes of a block's shared memory: `own` bytes of the function, then the dynamic bytes of the launch,
 * which begin at a multiple of BLOCK_ALIGNMENT (compiler/Codegen/GPU/Tile). */
static int block_bytes(const attn_device_phase *phase, int own) {
  enum { BLOCK_ALIGNMENT = 1024 };
  return phase->block_bytes > 0 ? (int)cuda_align(own, BLOCK_ALIGNMENT) + (int)phase->block_bytes : own;
}

/* Permits launches of a function with their dynamic shared memory; `most` is the limit of a block in bytes. */
static attn_code allow_block_bytes(attn_cuda *cuda, int64_t number, int most, attn_status *status) {
  const attn_device_phase *phase = &cuda->model->device->phases[number];
  cu_function function = cuda->functions[number];
  int own = 0;
  cu_result error = cuda->driver.cuFuncGetAttribute(&own, CU_FUNCTION_OWN_BLOCK_BYTES, function);
  if (!error && block_bytes(phase, own) > most)
    return attn_fail(status, ATTN_UNSUPPORTED, "%s: %s needs %d bytes of shared memory for a block, but %s has %d",
                     cuda->model->name, phase->name, block_bytes(phase, own), cuda->info.name, most);
  if (!error && phase->block_bytes > 0)
    error = cuda->driver.cuFuncSetAttribute(function, CU_FUNCTION_BLOCK_BYTES, phase->block_bytes);
  return cuda_check(cuda, error, "can't reserve shared memory", status);
}

static attn_code find_functions(attn_cuda *cuda, attn_status *status) {
  const attn_device_code *code = cuda->model->device;
  int64_t image = cuda->image - code->images;
  int most;
  cuda->functions = calloc((size_t)code->phase_count + 1, sizeof *cuda->functions);
  if (!cuda->functions)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for the device's functions", cuda->model->name);
  cu_result error = cuda->driver.cuDeviceGetAttribute(&most, CU_MOST_BLOCK_BYTES, cuda->device);
  ATTN_TRY(cuda_check(cuda, error, "can't reserve shared memory", status));
  for (int64_t i = 0; i < code->phase_count; ++i) {
    if (!(code->phases[i].images >> image & 1))
      continue;
    error = cuda->driver.cuModuleGetFunction(&cuda->functions[i], cuda->module, code->phases[i].name);
    ATTN_TRY(cuda_check(cuda, error, "can't find a kernel", status));
    ATTN_TRY(allow_block_bytes(cuda, i, most, status));
  }
  return ATTN_OK;
}

static attn_code open_in_context(attn_cuda *cuda, attn_status *status) {
  cu_stream stream;
  ATTN_TRY(
      cuda_check(cuda, cuda->driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "can't create a stream", status));
  cuda->stream = stream;
  ATTN_TRY(load_module(cuda, status));
  ATTN_TRY(find_functions(cuda, status));
  return cuda_copy_parameters(cuda, status);
}

static attn_code open_device(attn_cuda *cuda, long number, attn_status *status) {
  const attn_device_code *device = cuda->model->device;
  cu_context context;
  ATTN_TRY(cuda_driver_load(&cuda->driver, status));
  if (number == ATTN_ANY_DEVICE)
    ATTN_TRY(read_environment(&number, status));
  ATTN_TRY(cuda_describe(&cuda->driver, number, &cuda->device, &cuda->info, status));
  cuda->image = image_before(cuda, device->images + device->image_count);
  if (!cuda->image)
    return attn_fail(status, ATTN_UNSUPPORTED, "%s: compiled for %s, but %s has the architecture sm_%d",
                     cuda->model->name, device->images[0].target, cuda->info.name, cuda->info.architecture);
  ATTN_TRY(cuda_check(cuda, cuda->driver.cuDevicePrimaryCtxRetain(&context, cuda->device), "can't create a context",
                      status));
  cuda->context = context;
  ATTN_TRY(cuda_enter(cuda, status));
  attn_code code = open_in_context(cuda, status);
  cuda_leave(cuda);
  return code;
}

ATTN_PUBLIC attn_code attn_cuda_open(const attn_model *model, attn_weights *weights, int32_t device, attn_cuda **out,
                                     attn_status *status) {
  ATTN_TRY(attn_check_pointer(out, "the place for the device", status));
  *out = 0;
  ATTN_TRY(attn_check_model(model, status));
  if (!model->device)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: compiled for %s, expected a model of --target cuda", model->name,
                     model->target);
  ATTN_TRY(attn_check_weights(model, weights, model->name, status));
  attn_cuda *cuda = calloc(1, sizeof *cuda);
  if (!cuda)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to open a device", model->name);
  cuda->executor = (attn_executor){cuda_launch_phase, cuda, 1};
  cuda->model = model;
  cuda->weights = weights;
  attn_code code = open_device(cuda, device, status);
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
    cuda->driver.cuStreamSynchronize(cuda->stream); /* a call may be in progress */
  cuda_queue_close(&cuda->queue, &cuda->driver);
  cuda_free_memory(cuda);
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
  free(cuda->functions);
  free(cuda->table);
  free(cuda);
}

ATTN_PUBLIC const char *attn_cuda_image(const attn_cuda *cuda) { return cuda ? cuda->image->target : 0; }
ATTN_PUBLIC const char *attn_cuda_device_name(const attn_cuda *cuda) { return cuda ? cuda->info.name : 0; }
