#include "frontends/checkpoint/Source.h"
#include "attn/safetensors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

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

std::optional<int64_t> Source::addedToken(llvm::ArrayRef<llvm::StringRef> texts) const {
  auto file = llvm::MemoryBuffer::getFile(folder + "/tokenizer.json");
  if (!file)
    return std::nullopt;
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse((*file)->getBuffer());
  if (!parsed) { // the program that loads the tokenizer reports it
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }
  const llvm::json::Object *tokenizer = parsed->getAsObject();
  const llvm::json::Array *added = tokenizer ? tokenizer->getArray("added_tokens") : nullptr;
  if (!added)
    return std::nullopt;
  for (const llvm::json::Value &value : *added) {
    const llvm::json::Object *token = value.getAsObject();
    std::optional<llvm::StringRef> text = token ? token->getString("content") : std::nullopt;
    if (text && llvm::is_contained(texts, *text))
      return token->getInteger("id");
  }
  return std::nullopt;
}

} // namespace attnc
