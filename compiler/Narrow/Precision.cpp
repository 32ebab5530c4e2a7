#include "compiler/Narrow/Precision.h"
#include "llvm/ADT/STLExtras.h"

namespace attnc {

static constexpr llvm::StringLiteral names[] = {"f32", "tf32", "bf16", "f16"};

llvm::ArrayRef<llvm::StringLiteral> precisionNames() { return names; }

llvm::StringRef nameOf(Precision precision) { return names[static_cast<int>(precision)]; }

std::optional<Precision> precisionNamed(llvm::StringRef name) {
  const auto *found = llvm::find(names, name);
  if (found == std::end(names))
    return std::nullopt;
  return static_cast<Precision>(found - std::begin(names));
}

std::optional<attn_dtype> storedElement(Precision precision) {
  switch (precision) {
  case Precision::BF16:
    return ATTN_BF16;
  case Precision::F16:
    return ATTN_F16;
  case Precision::F32:
  case Precision::TF32:
    return std::nullopt;
  }
  return std::nullopt;
}

} // namespace attnc
