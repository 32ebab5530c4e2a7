//===- SubscriptChecks.h - range checks of the data-dependent subscripts of a formula -----------------------------===//
//
// The implementation of RegionVectoriser::checkSubscripts(), which describes the checks; emitters call that function.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/RegionVectoriser.h"

namespace attnc {

/// Emits the checks of the data-dependent subscripts in `formula`, with the bindings of `point`. The last arguments of
/// `formula` run over all values below `sizes` (of type index), in loops that contain the checks that depend on them.
/// An active lane out of range sets the status of `point`, unless `point` has none or defers the report. Values that
/// are computed outside of the loops are memoised in `point`, so the caller passes a copy.
void emitSubscriptChecks(RegionVectoriser &point, mlir::Region &formula, mlir::ValueRange sizes);

} // namespace attnc
