#include "compiler/ElementTypes/ElementType.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace attnc {

namespace {

struct Row {
  attn_dtype dtype;
  llvm::StringLiteral name, inC, enumerator;
};

constexpr Row rows[] = {
#define ATTN_ROW(ID, NUMBER, NAME, C_TYPE) {ATTN_##ID, NAME, #C_TYPE, "ATTN_" #ID},
    ATTN_ELEMENT_TYPES(ATTN_ROW)
#undef ATTN_ROW
};

constexpr attn_dtype dtypes[] = {
#define ATTN_NUMBER(ID, NUMBER, NAME, C_TYPE) ATTN_##ID,
    ATTN_ELEMENT_TYPES(ATTN_NUMBER)
#undef ATTN_NUMBER
};

const Row &rowOf(attn_dtype dtype) {
  for (const Row &row : rows)
    if (row.dtype == dtype)
      return row;
  llvm_unreachable("an element type without a row");
}

} // namespace

llvm::ArrayRef<attn_dtype> elementTypes() { return dtypes; }

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
  for (attn_dtype dtype : dtypes)
    if (mlirElementType(dtype, element.getContext()) == element)
      return dtype;
  return std::nullopt;
}

int64_t elementBytes(Type element) { return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8); }

llvm::StringRef elementTypeName(attn_dtype dtype) {
  return dtype == ATTN_PACKED_WEIGHT ? llvm::StringRef("packed") : llvm::StringRef(rowOf(dtype).name);
}

llvm::StringRef elementTypeInC(attn_dtype dtype) { return rowOf(dtype).inC; }

llvm::StringRef elementTypeEnumerator(attn_dtype dtype) { return rowOf(dtype).enumerator; }

const llvm::fltSemantics *narrowFormat(attn_dtype dtype) {
  switch (dtype) {
  case ATTN_BF16:
    return &llvm::APFloat::BFloat();
  case ATTN_F16:
    return &llvm::APFloat::IEEEhalf();
  case ATTN_F32:
  case ATTN_I32:
  case ATTN_BOOL:
  case ATTN_PACKED_WEIGHT:
    return nullptr;
  }
  return nullptr;
}

bool isNarrow(Type element) {
  std::optional<attn_dtype> dtype = elementTypeOf(element);
  return dtype && narrowFormat(*dtype);
}

double unitRoundoff(const llvm::fltSemantics &format) {
  return std::ldexp(1.0, -int(llvm::APFloat::semanticsPrecision(format)));
}

} // namespace attnc
