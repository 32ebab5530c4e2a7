#include "tools/attnc/Call/TypeText.h"
#include "compiler/ElementTypes/ElementTable.h"
#include "tools/attnc/Tensors/TensorFile.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>

using namespace llvm;

namespace attnc {

static std::string sizeText(const attn_size_info &size, ArrayRef<std::string> dimensions) {
  std::string text;
  for (const attn_size_term &term : ArrayRef(size.terms, size.term_count)) {
    SmallVector<std::string> factors;
    if (std::abs(term.coefficient) != 1 || term.factor_count + term.quotient_count == 0)
      factors.push_back(std::to_string(std::abs(term.coefficient)));
    for (int32_t factor : ArrayRef(term.factors, term.factor_count))
      factors.push_back(dimensions[factor]);
    for (const attn_size_quotient &quotient : ArrayRef(term.quotients, term.quotient_count)) {
      std::string dividend = sizeText(quotient.dividend, dimensions);
      bool isSum = quotient.dividend.term_count > 1, isAlone = factors.empty() && term.quotient_count == 1;
      std::string text = formatv(isSum ? "({0}) / {1}" : "{0} / {1}", dividend, quotient.divisor);
      factors.push_back(isAlone ? text : "(" + text + ")");
    }
    bool isNegative = term.coefficient < 0;
    text += text.empty() ? (isNegative ? "-" : "") : (isNegative ? " - " : " + ");
    text += join(factors, "*");
  }
  return text.empty() ? "0" : text;
}

static std::string typeText(int32_t dtype, ArrayRef<std::string> sizes) {
  return elementTypeName(attn_dtype(dtype)).str() + (sizes.empty() ? "" : "[" + join(sizes, ", ") + "]");
}

std::string typeText(const attn_tensor_info &tensor, ArrayRef<std::string> dimensions) {
  SmallVector<std::string> sizes;
  for (const attn_size_info &size : ArrayRef(tensor.shape, tensor.rank))
    sizes.push_back(sizeText(size, dimensions));
  return typeText(tensor.dtype, sizes);
}

std::string typeText(const attn_entry_info &entry, const attn_tensor_info &tensor) {
  SmallVector<std::string> names;
  for (const attn_dimension_info &dimension : ArrayRef(entry.dimensions, entry.dimension_count))
    names.push_back(dimension.name);
  return typeText(tensor, names);
}

std::string typeText(const HostTensor &tensor) {
  SmallVector<std::string> sizes;
  for (int64_t size : tensor.shape)
    sizes.push_back(std::to_string(size));
  return typeText(tensor.dtype, sizes);
}

} // namespace attnc
