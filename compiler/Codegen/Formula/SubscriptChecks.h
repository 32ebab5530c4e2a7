//===- SubscriptChecks.h - range checks of the data-dependent subscripts of a formula ---------------------------===//
#pragma once

#include "compiler/Codegen/Formula/RegionVectoriser.h"

namespace attnc {

/// Emits the checks of RegionVectoriser::checkSubscripts() with the bindings of `point`, and adds bindings to `point`.
void emitSubscriptChecks(RegionVectoriser &point, mlir::Region &formula, mlir::ValueRange sizes);

} // namespace attnc
