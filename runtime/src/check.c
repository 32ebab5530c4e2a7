#include "internal.h"

attn_code attn_check_pointer(const void *pointer, const char *what, attn_status *status) {
  return pointer ? ATTN_OK : attn_fail(status, ATTN_BAD_ARGUMENT, "%s is a null pointer", what);
}

attn_code attn_check_executor(const attn_executor *executor, const char *name, attn_status *status) {
  if (executor && !executor->parallel_for)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: the executor's parallel_for is a null pointer", name);
  if (executor && executor->workers < 1)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: the executor has %lld workers, expected at least 1", name,
                     (long long)executor->workers);
  return ATTN_OK;
}

attn_code attn_check_model(const attn_model *model, attn_status *status) {
  ATTN_TRY(attn_check_pointer(model, "the model", status));
  if (model->abi_version != ATTN_ABI_VERSION)
    return attn_fail(status, ATTN_UNSUPPORTED, "%s: compiled for ABI version %u, this runtime has %d", model->name,
                     model->abi_version, ATTN_ABI_VERSION);
  return attn_check_processor(model, status);
}

attn_code attn_check_entry(const attn_model *model, int64_t number, attn_status *status) {
  ATTN_TRY(attn_check_model(model, status));
  if (number < 0 || number >= model->entry_count)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: has %lld entry points, but number %lld was called", model->name,
                     (long long)model->entry_count, (long long)number);
  return ATTN_OK;
}

attn_code attn_check_kind(const attn_entry_info *entry, int32_t number, const attn_tensor *tensor,
                          attn_status *status) {
  const attn_tensor_info *info = &entry->tensors[number];
  if (tensor->dtype != info->dtype)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: '%s' has elements of type %s, expected %s", entry->name,
                     info->name, attn_dtype_name(tensor->dtype), attn_dtype_name(info->dtype));
  if (tensor->rank != info->rank)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: '%s' has %d dimensions, expected %d", entry->name, info->name,
                     tensor->rank, info->rank);
  for (int32_t d = 0; d < info->rank; ++d)
    if (tensor->shape[d] < 0)
      return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: dimension %d of '%s' is %lld, expected at least 0", entry->name,
                       d, info->name, (long long)tensor->shape[d]);
  return ATTN_OK;
}

attn_code attn_check_data(const attn_entry_info *entry, int32_t number, const attn_tensor *tensor, int64_t bytes,
                          attn_status *status) {
  return tensor->data || bytes == 0 ? ATTN_OK : attn_fail(status, ATTN_BAD_ARGUMENT, "%s: '%s' is a null pointer",
                                                          entry->name, entry->tensors[number].name);
}
