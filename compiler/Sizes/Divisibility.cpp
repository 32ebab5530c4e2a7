#include "compiler/Sizes/Divisibility.h"
#include "llvm/ADT/STLExtras.h"

namespace attnc {

bool isMultipleOf(const SizeExpr &size, int64_t divisor) {
  auto products = size.products();
  return products &&
         llvm::all_of(*products, [&](const SizeExpr::Product &each) { return each.coefficient % divisor == 0; });
}

} // namespace attnc
