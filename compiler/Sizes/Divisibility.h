//===- Divisibility.h - divisibility of symbolic sizes ------------------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"

namespace attnc {

/// True if `size` is proved to be a multiple of `divisor` (> 0) for all values of its symbols, as 8 * n + 16 is of 8.
/// False means not proved; a size with a division or an extremum is never proved.
bool isMultipleOf(const SizeExpr &size, int64_t divisor);

} // namespace attnc
