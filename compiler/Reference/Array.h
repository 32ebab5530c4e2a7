//===- Array.h - dense tensor of the oracle -----------------------------------------------------------------------===//
//
// An Array is the value of a tensor or scalar in the oracle (Reference.h): a shape, an element kind, and the elements
// as doubles in row-major order. Elements of an f32 tensor are not rounded to f32 unless the caller requests it
// (Rounding.h). i32 and i1 (0 or 1) are exact; index is exact up to 2^53.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/LogicalResult.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class Type;
}

namespace attnc::reference {

/// Element kinds. F32 is also that of bf16 and f16 tensors, whose elements are rounded when they are stored.
enum class Element { F32, I32, I1, Index };

struct Array {
  Element element = Element::F32;
  llvm::SmallVector<int64_t> shape; ///< empty: a scalar
  std::vector<double> values;
  int64_t terms = 0; ///< number of terms in the longest chain of sums that computed the array: K of Tolerance.h

  Array() = default;
  /// An array whose elements are all `fill`.
  Array(Element element, llvm::ArrayRef<int64_t> shape, double fill = 0);
  /// An array with the elements `values`, as many as the shape has.
  Array(Element element, llvm::ArrayRef<int64_t> shape, std::vector<double> values);
  static Array scalar(Element element, double value) { return Array(element, {}, value); }

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  /// The row-major offset of an element, or -1 if an index is out of range. `indices` has rank() elements.
  int64_t offsetOf(llvm::ArrayRef<int64_t> indices) const;
  /// The element at `indices`, which must be in range.
  double at(llvm::ArrayRef<int64_t> indices) const { return values[offsetOf(indices)]; }
};

using SharedArray = std::shared_ptr<const Array>;

/// The product of the sizes, which is 1 for a scalar.
int64_t elementsOf(llvm::ArrayRef<int64_t> shape);
/// Text for messages: "f32[2, 3]".
std::string describe(Element element, llvm::ArrayRef<int64_t> shape);
/// The element kind of a scalar or tensor type: F32 for f32, bf16 and f16; I32, I1, Index; failure for other types.
llvm::FailureOr<Element> elementOf(mlir::Type type);
/// Calls `visit` with each index tuple of a shape in row-major order, until a call fails; then fails too. A scalar has
/// one empty tuple.
llvm::LogicalResult forEachIndex(llvm::ArrayRef<int64_t> shape,
                                 llvm::function_ref<llvm::LogicalResult(llvm::ArrayRef<int64_t>)> visit);

} // namespace attnc::reference
