#include "driver.h"
#include "internal.h"

#include <dlfcn.h>
#include <string.h>

static attn_code bind(void *library, cuda_driver *driver, attn_status *status) {
  void *address;
#define CUDA_BIND(function, suffix, parameters)                                                                        \
  address = dlsym(library, #function suffix);                                                                          \
  if (!address)                                                                                                        \
    return attn_fail(status, ATTN_UNSUPPORTED, "the NVIDIA driver is too old: libcuda.so.1 has no %s",                 \
                     #function suffix);                                                                                \
  memcpy(&driver->function, &address, sizeof address);
  CUDA_ENTRY_POINTS(CUDA_BIND)
#undef CUDA_BIND
  return ATTN_OK;
}

attn_code cuda_driver_load(cuda_driver *driver, attn_status *status) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library)
    return attn_fail(status, ATTN_UNSUPPORTED, "there is no NVIDIA driver: %s", dlerror());
  ATTN_TRY(bind(library, driver, status));
  cu_result error = driver->cuInit(0);
  if (error == CU_NO_DEVICE)
    return attn_fail(status, ATTN_UNSUPPORTED, "there is no NVIDIA device");
  return error ? attn_fail(status, ATTN_UNSUPPORTED, "the NVIDIA driver does not start: %s",
                           cuda_error_name(driver, error))
               : ATTN_OK;
}

const char *cuda_error_name(const cuda_driver *driver, cu_result error) {
  const char *name = 0;
  return driver->cuGetErrorName(error, &name) == 0 && name ? name : "an error without a name";
}
