//===- Array.h - a tensor of the oracle ------------------------------------------------------------------------===//
//
// A shape, an element kind and the elements as doubles, row-major. An f32 tensor is computed in double precision and
// never rounded to f32; i32 and i1 are exact, and so is index up to 2^53.
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

enum class Element { F32, I32, I1, Index };

struct Array {
  Element element = Element::F32;
  llvm::SmallVector<int64_t> shape; ///< empty: a scalar
  std::vector<double> values;
  int64_t terms = 0; ///< of the longest chain of sums that it was computed by: K of Tolerance.h

  Array() = default;
  Array(Element element, llvm::ArrayRef<int64_t> shape, double fill = 0);
  Array(Element element, llvm::ArrayRef<int64_t> shape, std::vector<double> values);
  static Array scalar(Element element, double value) { return Array(element, {}, value); }

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  /// The row-major place of an element, or -1 where an index is out of range.
  int64_t offsetOf(llvm::ArrayRef<int64_t> indices) const;
  double at(llvm::ArrayRef<int64_t> indices) const { return values[offsetOf(indices)]; }
};

using SharedArray = std::shared_ptr<const Array>;

/// The product of the sizes: 1 for no dimension.
int64_t elementsOf(llvm::ArrayRef<int64_t> shape);
/// As a person writes it: "f32[2, 3]".
std::string describe(Element element, llvm::ArrayRef<int64_t> shape);
/// The element kind of f32, i32, i1, index, or of a tensor of them; failure for other types.
llvm::FailureOr<Element> elementOf(mlir::Type type);
/// Visits all index tuples of a shape, the last index fastest, until a visit fails.
llvm::LogicalResult forEachIndex(llvm::ArrayRef<int64_t> shape,
                                 llvm::function_ref<llvm::LogicalResult(llvm::ArrayRef<int64_t>)> visit);

} // namespace attnc::reference
