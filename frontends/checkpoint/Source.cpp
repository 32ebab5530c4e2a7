#include "frontends/checkpoint/Source.h"
#include "attn/safetensors.h"

namespace attnc {

static llvm::StringSet<> readNames(const std::string &folder) {
  llvm::StringSet<> names;
  attn_status status;
  attn_safetensors *file = nullptr;
  if (attn_safetensors_open(folder.c_str(), &file, &status) != ATTN_OK)
    return names;
  for (int64_t index = 0; index < attn_safetensors_count(file); ++index)
    names.insert(attn_safetensors_at(file, index)->name);
  attn_safetensors_close(file);
  return names;
}

bool Source::hasTensor(llvm::StringRef tensor, bool otherwise) const {
  if (!tensors)
    tensors = readNames(folder);
  return tensors->empty() ? otherwise : tensors->contains(tensor);
}

} // namespace attnc
