#include "state.h"

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
