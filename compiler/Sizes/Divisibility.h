//===- Divisibility.h - divisibility of symbolic sizes ------------------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"

namespace attnc {

/// True if `size` is proved to be a multiple of `divisor` (> 0) for all values of its symbols. For example, 8 * n + 16
/// is a multiple of 8: the coefficient of every term is. False means that there is no proof; a size that contains a
/// division, a minimum or a maximum is never proved. The device emitter tests with it whether rows are whole vectors.
bool isMultipleOf(const SizeExpr &size, int64_t divisor);

} // namespace attnc
