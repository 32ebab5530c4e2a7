#include "frontends/checkpoint/Source.h"
#include "attn/safetensors.h"

namespace attnc {

Source::Source(const std::string &folder, std::string name) : name(std::move(name)) {
  attn_status status;
  attn_safetensors *file = nullptr;
  if (attn_safetensors_open(folder.c_str(), &file, &status) != ATTN_OK)
    return;
  for (int64_t index = 0; index < attn_safetensors_count(file); ++index)
    tensors.insert(attn_safetensors_at(file, index)->name);
  attn_safetensors_close(file);
}

} // namespace attnc
