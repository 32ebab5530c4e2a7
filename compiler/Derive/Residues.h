//===- Residues.h - elements that are read in steps ---------------------------------------------------------------===//
//
// Of x[2 i + d] only each second d reads an element, that of the same residue. The gradient of x is then one sum for
// the elements of each residue, over the iterations that may read them, and not over twice as many:
//
//   y[i] = sum over d < 3 of x[2 i + d] * w[d]
//
//   even[p] = sum over u < 2 of  dy[p - u] * w[2 u]              x[2 p],      d = 2 u
//   odd[p]  = sum over u < 1 of  dy[p - u] * w[2 u + 1]          x[2 p + 1],  d = 2 u + 1
//   dx[e]   = if e mod 2 = 0 then even[e / 2] else odd[e / 2]
//
// Where several subscripts are read in steps there is a sum for each combination of their residues.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/InverseRead.h"
#include <vector>

namespace attnc {

/// Subscript `dim` of elements is stride * n + ofElement, of so many; the index of a loop that goes on, where the
/// subscript depends on one, is stride * m + ofLoop, in so many iterations.
struct Residue {
  unsigned dim = 0;
  int64_t stride = 1, ofElement = 0, elements = 0;
  std::optional<unsigned> loop;
  int64_t ofLoop = 0, iterations = 1;
};

struct ResidueClass {
  llvm::SmallVector<Residue> residues;
  bool isRead = true;   ///< by any iteration
  InverseRead inverse;  ///< solutions are over the numbers n and m, and have no divisors
  mlir::Value gradient; ///< of its elements; null where that is zero
};

/// The classes of the elements; none where no subscript is read in steps, where sizes of those that are are not known,
/// where classes would be many, or iterations to ask few, as for pooling.
std::vector<ResidueClass> residueClasses(const InverseRead &inverse, mlir::RankedTensorType elements,
                                         llvm::function_ref<int64_t(unsigned loop)> sizeOf);

/// A tensor like `elements` of the gradients of all classes.
mlir::Value interleave(mlir::OpBuilder &builder, mlir::Location at, mlir::Value elements,
                       llvm::ArrayRef<ResidueClass> classes);

} // namespace attnc
