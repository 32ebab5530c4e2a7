//===- ViewSubscripts.h - the source element of an element of a view --------------------------------------------===//
//
// Views without a buffer: linalg.transpose, tensor.extract_slice, reshapes of static shape and tensor.cast.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/RegionVectoriser.h"

namespace attnc {

/// An element of a tensor.
struct SourceElement {
  mlir::Value tensor;
  llvm::SmallVector<LaneIndex, 4> subscripts;
};

/// The source element of element `subscripts` of `view`; null if `view` is not a view. `formula` evaluates offsets and
/// sizes.
std::optional<SourceElement> sourceElement(RegionVectoriser &formula, mlir::Operation *view,
                                           llvm::ArrayRef<LaneIndex> subscripts);

} // namespace attnc
