#include "frontends/checkpoint/Families.h"

namespace attnc {

llvm::ArrayRef<Family> families() {
  static constexpr Family table[] = {{"gemma2", importGemma2},   {"gemma3_text", importGemma3}, {"llama", importLlama},
                                     {"mistral", importMistral}, {"qwen2", importQwen2},        {"qwen3", importQwen3}};
  return table;
}

} // namespace attnc
