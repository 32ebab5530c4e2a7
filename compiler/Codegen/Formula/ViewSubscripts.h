//===- ViewSubscripts.h - the source element of an element of a view --------------------------------------------===//
//
// Views are linalg.transpose, tensor.extract_slice, tensor.expand_shape, tensor.collapse_shape and tensor.cast. A
// formula that reads a view reads its source instead, so the view needs no buffer.
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

/// The source element of element `subscripts` of `view`; null if `view` is another op. `formula` evaluates offsets and
/// sizes; it must know the sizes of a reshape's split dimensions (RegionVectoriser::sizeOf).
std::optional<SourceElement> sourceElement(RegionVectoriser &formula, mlir::Operation *view,
                                           llvm::ArrayRef<LaneIndex> subscripts);

} // namespace attnc
