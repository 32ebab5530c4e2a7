#include "driver.h"
#include "internal.h"

#include <dlfcn.h>
#include <string.h>

static attn_code bind(cuda_driver *driver, attn_status *status) {
  void *address;
#define CUDA_BIND(member, name, parameters)                                                                            \
  address = dlsym(driver->library, name);                                                                              \
  if (!address)                                                                                                        \
    return attn_fail(status, ATTN_UNSUPPORTED, "the NVIDIA driver is too old: libcuda.so.1 has no %s", name);          \
  memcpy(&driver->member, &address, sizeof address);
  CUDA_ENTRY_POINTS(CUDA_BIND)
#undef CUDA_BIND
  return ATTN_OK;
}

attn_code cuda_driver_load(cuda_driver *driver, attn_status *status) {
  /* The library is never unmapped, because the driver starts threads. */
  driver->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!driver->library)
    return attn_fail(status, ATTN_UNSUPPORTED, "there is no NVIDIA driver: %s", dlerror());
  attn_code code = bind(driver, status);
  cu_result error = code == ATTN_OK ? driver->cuInit(0) : 0;
  if (error == CU_NO_DEVICE)
    code = attn_fail(status, ATTN_UNSUPPORTED, "there is no NVIDIA device");
  else if (error)
    code = attn_fail(status, ATTN_UNSUPPORTED, "the NVIDIA driver does not start: %s", cuda_error_name(driver, error));
  if (code != ATTN_OK)
    cuda_driver_unload(driver);
  return code;
}

void cuda_driver_unload(cuda_driver *driver) {
  if (driver->library)
    dlclose(driver->library);
  driver->library = 0;
}

const char *cuda_error_name(const cuda_driver *driver, cu_result error) {
  const char *name = 0;
  return driver->cuGetErrorName(error, &name) == 0 && name ? name : "an error without a name";
}
