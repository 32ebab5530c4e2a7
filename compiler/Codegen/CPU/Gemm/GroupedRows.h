//===- GroupedRows.h - the rows of a grouped product, sorted by their matrices ------------------------------------===//
//
// The selector of a grouped product (GemmProblem.h) has the number of the right matrix of each row. A phase with one
// chunk sorts the numbers of the rows by their matrices (counting sort; stable, so that results do not depend on
// threads). The next phase then multiplies the rows of one matrix at a time. The steps of the depth of a grouped outer
// product are sorted in the same way; in this file, they are called rows, too.
//
//   shared memory   bounds[E + 2]       rows bounds[e] .. bounds[e + 1] - 1 of `order` are those of matrix e
//                   order[M]            numbers of rows
//                   filled[min(E, M)]   the matrices that have rows, ascending; bounds[E + 1] is their number
//
// All are i32; E is the number of matrices, M that of rows. A row whose selector is no matrix sets the status to
// ATTN_OUT_OF_RANGE and is not in `order`.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Gemm/GemmOperands.h"

namespace attnc {

class GroupedRows : GemmContext {
public:
  /// Requires a selector. The shared memory of the kernel has this layout from its first byte on.
  explicit GroupedRows(const GemmContext &context);

  static SizeExpr sharedBytes(const GemmProblem &problem);
  /// The most matrices that have rows: min(E, M).
  static SizeExpr mostFilled(const GemmProblem &problem);

  /// Emits the sorting phase.
  void sort() const;

  // After the sorting phase. Values are of type index.
  Value filledCount() const;                                ///< the number of matrices that have rows
  Value filledMatrix(Value number) const;                   ///< one of them
  Value first(Value matrix) const { return bound(matrix); } ///< the place in `order` of its first row
  Value count(Value matrix) const;                          ///< the number of its rows
  Value row(Value place) const;                             ///< the row at a place in `order`

private:
  Value bound(Value matrix) const;
  Value load(Value buffer, Value at) const;
  void store(Value index, Value buffer, Value at) const;
  /// Emits `body` for each row with a matrix, which receives the row and the number of the matrix.
  void eachRow(llvm::function_ref<void(Value, Value)> body, bool reports) const;

  void listFilled() const;

  Value bounds, order, filled;
};

} // namespace attnc
