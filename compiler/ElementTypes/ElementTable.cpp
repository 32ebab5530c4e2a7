#include "compiler/ElementTypes/ElementTable.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <cmath>

namespace attnc {

namespace {

struct Row {
  attn_dtype dtype;
  llvm::StringLiteral name, inC, enumerator, inSafetensors;
};

constexpr Row rows[] = {
#define ATTN_ROW(ID, NUMBER, NAME, C_TYPE) {ATTN_##ID, NAME, #C_TYPE, "ATTN_" #ID, #ID},
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

llvm::StringRef elementTypeName(attn_dtype dtype) {
  return dtype == ATTN_PACKED_WEIGHT ? llvm::StringRef("packed") : llvm::StringRef(rowOf(dtype).name);
}

llvm::StringRef elementTypeInC(attn_dtype dtype) { return rowOf(dtype).inC; }

llvm::StringRef elementTypeEnumerator(attn_dtype dtype) { return rowOf(dtype).enumerator; }

llvm::StringRef elementTypeInSafetensors(attn_dtype dtype) { return rowOf(dtype).inSafetensors; }

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

attn_dtype widened(attn_dtype dtype) { return narrowFormat(dtype) ? ATTN_F32 : dtype; }

double unitRoundoff(const llvm::fltSemantics &format) {
  return std::ldexp(1.0, -int(llvm::APFloat::semanticsPrecision(format)));
}

double roundTo(const llvm::fltSemantics &format, double value) {
  if (value == 0 || !std::isfinite(value))
    return value;
  using llvm::APFloat;
  int exponent = std::max(std::ilogb(value), int(APFloat::semanticsMinExponent(format)));
  double unit = std::ldexp(1.0, exponent + 1 - int(APFloat::semanticsPrecision(format)));
  double rounded = std::nearbyint(value / unit) * unit;
  bool overflows = std::fabs(rounded) >= std::ldexp(1.0, APFloat::semanticsMaxExponent(format) + 1);
  return overflows ? std::copysign(HUGE_VAL, value) : rounded;
}

uint64_t narrowBits(const llvm::fltSemantics &format, double value) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

double numberOfBits(const llvm::fltSemantics &format, uint64_t bits) {
  using llvm::APFloat;
  int fractionBits = int(APFloat::semanticsPrecision(format)) - 1;
  int exponentBits = int(APFloat::semanticsSizeInBits(format)) - 1 - fractionBits;
  uint64_t fraction = bits & ((uint64_t(1) << fractionBits) - 1);
  uint64_t exponent = bits >> fractionBits & ((uint64_t(1) << exponentBits) - 1);
  bool isNegative = bits >> (fractionBits + exponentBits) & 1;
  double magnitude;
  if (exponent == (uint64_t(1) << exponentBits) - 1)
    magnitude = fraction ? NAN : HUGE_VAL;
  else if (exponent == 0)
    magnitude = std::ldexp(double(fraction), APFloat::semanticsMinExponent(format) - fractionBits);
  else
    magnitude = std::ldexp(double(fraction | uint64_t(1) << fractionBits),
                           int(exponent) - APFloat::semanticsMaxExponent(format) - fractionBits);
  return isNegative ? -magnitude : magnitude;
}

} // namespace attnc
