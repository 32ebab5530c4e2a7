//===- Residues.h - gradients of strided reads by residue class ---------------------------------------------------===//
//
// In x[2 i + d], only every second d reads a given element: those of the same residue. So the gradient of x is computed
// by one sum for each residue class of elements, over the iterations that may read it, instead of over twice as many:
//
//   y[i] = sum over d < 3 of x[2 i + d] * w[d]
//
//   even[p] = sum over u < 2 of  dy[p - u] * w[2 u]              x[2 p],      d = 2 u
//   odd[p]  = sum over u < 1 of  dy[p - u] * w[2 u + 1]          x[2 p + 1],  d = 2 u + 1
//   dx[e]   = if e mod 2 = 0 then even[e / 2] else odd[e / 2]
//
// If several subscripts have strides, there is a sum for each combination of residues.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/InverseRead.h"
#include <vector>

namespace attnc {

/// Subscript `dim` of the class's elements is stride * n + elementResidue, for n < elements. If the subscript depends
/// on a free loop, its index is stride * m + loopResidue, for m < iterations.
struct Residue {
  unsigned dim = 0;
  int64_t stride = 1, elementResidue = 0, elements = 0;
  std::optional<unsigned> loop;
  int64_t loopResidue = 0, iterations = 1;
};

/// The elements with one residue along each strided subscript.
struct ResidueClass {
  llvm::SmallVector<Residue> residues;
  bool isRead = true;   ///< by some iteration
  InverseRead inverse;  ///< solutions are in terms of n and m, without divisors
  mlir::Value gradient; ///< gradient of its elements, which the caller computes; null if it is zero
};

/// The residue classes of elements. Empty if no subscript has a stride, if strided sizes are dynamic, if there would be
/// too many classes, or if an element has few iterations, as in pooling. `elements` is the type of the tensor that is
/// read; `sizeOf` returns the extent of a loop, or kDynamic.
std::vector<ResidueClass> residueClasses(const InverseRead &inverse, mlir::RankedTensorType elements,
                                         llvm::function_ref<int64_t(unsigned loop)> sizeOf);

/// Emits a tensor like `elements` that interleaves the gradients of all classes.
mlir::Value interleave(mlir::OpBuilder &builder, mlir::Location at, mlir::Value elements,
                       llvm::ArrayRef<ResidueClass> classes);

} // namespace attnc
