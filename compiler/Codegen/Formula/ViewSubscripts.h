//===- ViewSubscripts.h - translation of subscripts through views -------------------------------------------------===//
//
// Views are linalg.transpose, tensor.extract_slice, tensor.expand_shape, tensor.collapse_shape and tensor.cast. The
// code of a formula that reads a view reads the view's source instead, so the view needs no buffer.
// RegionVectoriser::load() calls sourceElement(), and repeats it if the source is a view too.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/RegionVectoriser.h"

namespace attnc {

/// The element of `tensor` at `subscripts`, one for each dimension, in all lanes.
struct SourceElement {
  mlir::Value tensor;
  llvm::SmallVector<LaneIndex, 4> subscripts;
};

/// The element of the operand of `view` that is the element of its result at `subscripts`; null if `view` is not a
/// view. Emits index arithmetic. `formula` evaluates the offsets and strides of a slice and the sizes of a reshape's
/// dimensions (RegionVectoriser::sizeOf), so the indices that these depend on must be bound in it.
std::optional<SourceElement> sourceElement(RegionVectoriser &formula, mlir::Operation *view,
                                           llvm::ArrayRef<LaneIndex> subscripts);

} // namespace attnc
