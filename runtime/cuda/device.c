#include "state.h"

static cu_result ask(const cuda_driver *driver, int number, cu_device *device, attn_cuda_device *info) {
  int major, minor;
  size_t bytes;
  ATTN_TRY(driver->cuDeviceGet(device, number));
  ATTN_TRY(driver->cuDeviceGetName(info->name, (int)sizeof info->name, *device));
  ATTN_TRY(driver->cuDeviceTotalMem(&bytes, *device));
  ATTN_TRY(driver->cuDeviceGetAttribute(&major, CU_CAPABILITY_MAJOR, *device));
  ATTN_TRY(driver->cuDeviceGetAttribute(&minor, CU_CAPABILITY_MINOR, *device));
  ATTN_TRY(driver->cuDeviceGetAttribute(&info->processors, CU_MULTIPROCESSORS, *device));
  info->memory_bytes = (int64_t)bytes;
  info->architecture = 10 * major + minor;
  return 0;
}

attn_code cuda_describe(const cuda_driver *driver, long number, cu_device *device, attn_cuda_device *info,
                        attn_status *status) {
  int count = 0;
  cu_result error = driver->cuDeviceGetCount(&count);
  if (!error && (number < 0 || number >= count))
    return attn_fail(status, ATTN_BAD_ARGUMENT, "there is no device %ld; the system has %d, numbered from 0", number,
                     count);
  if (!error)
    error = ask(driver, (int)number, device, info);
  if (error)
    return attn_fail(status, ATTN_DEVICE_FAULT, "can't query device %ld: %s", number, cuda_error_name(driver, error));
  return attn_succeed(status);
}

ATTN_PUBLIC attn_code attn_cuda_count(int32_t *count, attn_status *status) {
  cuda_driver driver;
  int found = 0;
  ATTN_TRY(attn_check_pointer(count, "the place for the number of devices", status));
  *count = 0;
  ATTN_TRY(cuda_driver_load(&driver, status));
  cu_result error = driver.cuDeviceGetCount(&found);
  if (error)
    return attn_fail(status, ATTN_DEVICE_FAULT, "can't count the devices: %s", cuda_error_name(&driver, error));
  *count = found;
  return attn_succeed(status);
}

ATTN_PUBLIC attn_code attn_cuda_describe(int32_t number, attn_cuda_device *out, attn_status *status) {
  cuda_driver driver;
  cu_device device;
  attn_cuda_device found = {0};
  ATTN_TRY(attn_check_pointer(out, "the place for the device's description", status));
  *out = found;
  ATTN_TRY(cuda_driver_load(&driver, status));
  ATTN_TRY(cuda_describe(&driver, number, &device, &found, status));
  *out = found;
  return ATTN_OK;
}

attn_code cuda_check(const attn_cuda *cuda, cu_result error, const char *what, attn_status *status) {
  attn_code code = error == CU_OUT_OF_MEMORY ? ATTN_NO_MEMORY : ATTN_DEVICE_FAULT;
  return error ? attn_fail(status, code, "%s: %s on %s: %s", cuda->model->name, what, cuda->info.name,
                           cuda_error_name(&cuda->driver, error))
               : ATTN_OK;
}

attn_code cuda_enter(const attn_cuda *cuda, attn_status *status) {
  return cuda_check(cuda, cuda->driver.cuCtxPushCurrent(cuda->context), "can't use the context", status);
}

void cuda_leave(const attn_cuda *cuda) {
  cu_context context;
  cuda->driver.cuCtxPopCurrent(&context);
}
