//===- Divisibility.h - divisibility of symbolic sizes ------------------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"

namespace attnc {

/// True if `size` is proved to be a multiple of `divisor` for all symbols, as 8 * n + 16 is of 8. False means not
/// proved.
bool isMultipleOf(const SizeExpr &size, int64_t divisor);

} // namespace attnc
