//===- RangeErrors.h - errors of subscripts that may be out of range ----------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Indices/IndexScopes.h"
#include "frontends/attn/Check/RangeProofs.h"

namespace attnc::check {

/// Reports a subscript with a Failed side: what it may violate, the size of the dimension and, if the subscript is an
/// index alone, what bounds the index.
void reportOutOfRange(Reporter &reporter, IndexScopes &scopes, const Obligation &obligation, const Verdict &verdict);

} // namespace attnc::check
