#include "compiler/ElementTypes/ElementType.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attnc {

Type mlirElementType(attn_dtype dtype, MLIRContext *context) {
  Builder builder(context);
  switch (dtype) {
  case ATTN_F32:
    return builder.getF32Type();
  case ATTN_I32:
    return builder.getI32Type();
  case ATTN_BOOL:
    return builder.getI1Type();
  case ATTN_BF16:
    return builder.getBF16Type();
  case ATTN_F16:
    return builder.getF16Type();
  case ATTN_PACKED_WEIGHT:
    break;
  }
  llvm_unreachable("packed weights have no MLIR element type");
}

std::optional<attn_dtype> elementTypeOf(Type element) {
  for (attn_dtype dtype : elementTypes())
    if (mlirElementType(dtype, element.getContext()) == element)
      return dtype;
  return std::nullopt;
}

int64_t elementBytes(Type element) { return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8); }

bool isNarrow(Type element) {
  std::optional<attn_dtype> dtype = elementTypeOf(element);
  return dtype && narrowFormat(*dtype);
}

} // namespace attnc
