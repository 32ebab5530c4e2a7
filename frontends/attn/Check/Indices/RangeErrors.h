//===- RangeErrors.h - errors of subscripts that may be out of range ----------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Indices/IndexScopes.h"
#include "frontends/attn/Check/RangeProofs.h"

namespace attnc::check {

/// Reports the subscript of an obligation whose verdict has a Failed side (RangeProofs.h). The error has the violated
/// bound, the lower one if both are violated, and the size of the dimension. If the subscript is an index alone, a
/// label shows what bounds the index (`scopes`); otherwise a hint suggests a condition.
void reportOutOfRange(Reporter &reporter, IndexScopes &scopes, const Obligation &obligation, const Verdict &verdict);

} // namespace attnc::check
