//===- Residues.h - gradients of strided reads by residue class ---------------------------------------------------===//
//
// In x[2 i + d], only every second d reads a given element of x: the iterations d with the same remainder modulo 2. The
// gradient of x is therefore split by residue class, the elements whose subscript has the same remainder. The sum for a
// class visits only the iterations that may read the class, here half of them:
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

/// One remainder along one strided subscript. Subscript `dim` of the class's elements is stride * n + elementResidue,
/// for 0 <= n < elements. If the subscript depends on a free loop (InverseRead.h), the iterations of that loop which
/// read the class have the indices stride * m + loopResidue, for 0 <= m < iterations.
struct Residue {
  unsigned dim = 0;
  int64_t stride = 1, elementResidue = 0, elements = 0;
  std::optional<unsigned> loop; ///< number of the free loop; null if there is none
  int64_t loopResidue = 0, iterations = 1;
};

/// The elements with one remainder along each strided subscript.
struct ResidueClass {
  llvm::SmallVector<Residue> residues; ///< one for each strided subscript
  bool isRead = true;                  ///< false: no iteration reads it, and `inverse` and `elements` have no meaning
  InverseRead inverse;  ///< its solutions are in terms of n and m instead of the subscripts and loops, without divisors
  mlir::Value gradient; ///< gradient of the class's elements, set by the caller before interleave(); null if it is zero
};

/// Splits the elements that `inverse` describes into residue classes. Empty if the split does not pay: no solution has
/// a divisor, there would be more than 16 classes, or the free loops have fewer than 64 iterations together (as in
/// pooling). Also empty unless each solution with a divisor depends on its subscript and at most one free loop alone,
/// both of constant extents, on which no other solution depends; the extent of the subscript must be at least the
/// divisor, and the coefficient of the loop coprime to it. `elements` is the type of the tensor that is read; `sizeOf`
/// returns the extent of a loop of the forward op, or kDynamic.
std::vector<ResidueClass> residueClasses(const InverseRead &inverse, mlir::RankedTensorType elements,
                                         llvm::function_ref<int64_t(unsigned loop)> sizeOf);

/// Emits an f32 tensor of the shape of the tensor `elements`, whose elements are those of the gradients of all classes.
/// The gradient of a class has the extent `elements` of its Residue along each strided subscript.
mlir::Value interleave(mlir::OpBuilder &builder, mlir::Location at, mlir::Value elements,
                       llvm::ArrayRef<ResidueClass> classes);

} // namespace attnc
