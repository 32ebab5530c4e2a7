//===- Divisibility.h - what sizes are known to be multiples of ---------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"

namespace attnc {

/// Whether `size` is a multiple of `divisor`, as far as can be told: 8 * n + 16 is one of 8, whatever n is.
bool isMultipleOf(const SizeExpr &size, int64_t divisor);

} // namespace attnc
