//===- AttendMask.h - block-sparse evaluation of masks by interval analysis ---------------------------------------===//
//
// An attention kernel visits blocks of rows and keys. Code from this class decides, before the products of a block,
// whether its query–key pairs are masked. (A pair whose mask formula is false is masked: it has attention weight 0.)
//
//   all pairs are masked  the block is skipped
//   no pair is masked     the block runs without masking
//   unknown               every pair is tested
//
// A mask is a tree of `and`, `or` and `not` over conditions. A condition that is a comparison of the form
//
//   sum of row terms + sum of key terms  <  0         (or <=, >, >=, ==, !=)
//
// is decided from the bounds of both sums over the block. An inequality with a minimum, a maximum or a magnitude, such
// as |x| < w, becomes two inequalities. The bounds of a term of indices are in closed form (AttendInterval.h). For
// example, the causal mask j - i <= 0 is decided by the corners of the block. The bounds of a term with loads are
// computed by a loop over the rows or the keys of the block, e.g. for both terms of doc[b, i] == doc[b, j].
//
// A condition on one element of a table, each of whose subscripts depends on the row or on the key, as in
// blocks[i / 64, j / 64], is looked up for all subscripts of the block, if these have bounds in closed form and are at
// most 64. A larger table and any other condition (an opaque one) can only be decided pair by pair.
//
// Some comparisons that must hold bound the key itself, or its quotient by a constant. The unmasked keys are then
// within a range in closed form (keyRange), and blocks outside are not visited.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Attend/AttendInterval.h"
#include <functional>

namespace attnc {

/// The mask of a problem; without a mask formula, no pair is masked. For each block of rows, call prepareRows() first,
/// then keyRange(), and decide() for each block of keys. Rows and keys are identified by their number within a batch
/// (AttendProblem.h), of type index. All code is emitted at the insertion point of `loops`. `problem` must outlive the
/// object.
class AttendMask {
public:
  explicit AttendMask(const AttendProblem &problem);

  /// For kernels that iterate over residue classes (problem.classes, which must exist): from now on, all pairs are
  /// within a class, so that the congruence need not be tested, and the indices of consecutive keys differ by the
  /// modulus. Rows and keys then have numbers within the class, except the keys of keyRange() and keyEnd(), whose
  /// numbers are always those of the batch. Call before prepareRows().
  void assumeCongruence();

  /// The keys from `begin` to `end` - 1 of a batch.
  struct KeyRange {
    mlir::Value begin, end; ///< index
  };
  /// A function that emits the bounds of a value over the keys of a block; valueAt(key) emits the value (index) at a
  /// key. Devices set one, to scan by all threads. The default is a loop over keys or vectors of keys.
  using KeyScan =
      std::function<Interval(const KeyRange &keys, llvm::function_ref<mlir::Value(mlir::Value key)> valueAt)>;
  void scanKeysBy(KeyScan scan) { scanOfKeys = std::move(scan); }

  /// The rows from `first` to `first` + `count` - 1 of a batch, at least one.
  struct RowRange {
    mlir::Value first, count;                                      ///< index
    llvm::function_ref<RegionVectoriser(mlir::Value row)> bindRow; ///< returns formulas with the batch and a row bound
    bool inOrder; ///< row numbers are in row-major order of the row dimensions, so that AttendInterval.h applies; if
                  ///< not, bounds are computed by loops over the rows, and tables are decided pair by pair
  };
  /// Emits the bounds of the row sums over a block of rows, which later calls use.
  void prepareRows(LoopBuilder &loops, const RowRange &rows);

  /// The greatest common divisor of the constants g in the subscripts `j floordiv g` of tables, where j is the key: c
  /// for blocks[i / c, j / c]. Keys n c to n c + c - 1 then read the same elements of these tables; tables with other
  /// subscripts of the key do not count. 0 if there is no such subscript, or more than one key dimension.
  int64_t keysOfElement();

  /// A range of keys such that all pairs of the prepared rows with other keys are masked. It may be empty or have
  /// begin > end; `begin` may exceed `keys`, `end` does not. `keys` (index) is the number of keys of the batch, and
  /// `batch` has the indices of the batch bound.
  KeyRange keyRange(LoopBuilder &loops, mlir::Value keys, const RegionVectoriser &batch);

  /// A key number such that all pairs of these rows with this key and later ones are masked, by comparisons of plain
  /// indices alone; null if none is known, as always if not `rows.inOrder`. The rows need not be prepared, and may be
  /// past the last one. `keys` and `batch` as in keyRange().
  mlir::Value keyEnd(LoopBuilder &loops, const RowRange &rows, mlir::Value keys, const RegionVectoriser &batch) const;
  /// Whether a comparison that keyEnd() may use depends on the row. If not, keyEnd() is the same for all rows of a
  /// batch.
  bool keyEndDependsOnRows();

  /// The decision about a block. `some` is false only if all pairs are masked; `all` is true only if no pair is masked.
  struct Decision {
    mlir::Value some, all; ///< i1
    mlir::Value unsure;    ///< i1: a condition can only be decided pair by pair; a test of the pairs may skip the block
  };
  /// Emits the decision for the prepared rows and the keys firstKey to firstKey + count - 1 (count > 0). bindKey(key)
  /// returns formulas with the batch and this key bound. Without a mask formula, the decision is: no pair is masked.
  Decision decide(LoopBuilder &loops, mlir::Value firstKey, mlir::Value count,
                  llvm::function_ref<RegionVectoriser(mlir::Value key)> bindKey);

private:
  enum class Kind { Compare, Table, And, Or, Not, Always, Opaque };
  using Value = mlir::Value;
  using Terms = llvm::SmallVector<std::pair<Value, int>>; ///< (value, sign)
  using BindKey = llvm::function_ref<RegionVectoriser(Value key)>;
  struct Node {
    Kind kind = Kind::Opaque;
    llvm::SmallVector<unsigned, 2> children;
    mlir::arith::CmpIPredicate predicate = mlir::arith::CmpIPredicate::slt;
    Terms keyTerms, rowTerms;
    Interval rows;
    Value condition; ///< of a table, on the value of `element`
    mlir::tensor::ExtractOp element;
    llvm::SmallVector<Interval> rowSubscripts; ///< null for subscripts of the key
  };

  unsigned read(Value condition);
  unsigned readComparison(mlir::arith::CmpIPredicate predicate, const Terms &sum);
  unsigned readCondition(Value condition);
  bool findElement(Value value, mlir::tensor::ExtractOp &element);
  unsigned make(Kind kind, llvm::ArrayRef<unsigned> children);
  bool isMixed(Value value);
  void separate(Value value, int sign, Terms &into);
  Value keysOfUnit(LoopBuilder &loops, Value value, RegionVectoriser &point) const;
  std::optional<Interval> intervalOf(LoopBuilder &loops, AttendIntervals &intervals, const Terms &terms);
  void scanRows(LoopBuilder &loops, const RowRange &rows, llvm::ArrayRef<Node *> nodes);
  void prepareTable(AttendIntervals &intervals, Node &node);
  Interval scanKeys(LoopBuilder &loops, Value term, const KeyRange &keys, BindKey bindKey);
  Interval keysOf(LoopBuilder &loops, const Node &node, const KeyRange &keys, BindKey bindKey);
  void narrow(LoopBuilder &loops, unsigned node, KeyRange &range, RegionVectoriser &point);
  Decision decideNode(LoopBuilder &loops, unsigned node, const KeyRange &keys, BindKey bindKey);
  Decision decideTable(LoopBuilder &loops, const Node &node, const KeyRange &keys, BindKey bindKey);
  static constexpr int64_t mostElements = 64; ///< of a table, looked up for a block

  const AttendProblem &problem;
  IndexUses uses;
  llvm::SmallVector<Node, 0> nodes;
  unsigned root = 0;
  KeyScan scanOfKeys;
  int64_t keyStep = 1; ///< between the indices of consecutive keys
};

} // namespace attnc
