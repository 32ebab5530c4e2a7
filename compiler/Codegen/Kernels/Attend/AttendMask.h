//===- AttendMask.h - block-sparse evaluation of masks by interval analysis -----------------------------------===//
//
// A mask is a tree of and, or and not over comparisons. A comparison that separates into
//
//   sum of row terms + sum of key terms  <  0         (or <=, >, >=, ==, !=)
//
// is decided for a whole block of rows and keys from the bounds of both sums. Comparisons of a minimum or a maximum,
// such as |x| < w, become two comparisons. Terms of indices have intervals in closed form (AttendInterval.h), such as
// the block's corners for the causal mask j - i <= 0. Terms with loads, such as both of doc[b, i] == doc[b, j], are
// scanned once a block of rows and, in vectors, once a block of keys. A condition on an element of a table whose
// subscripts depend on the row or on the key, blocks[i / 64, j / 64], is looked up for all subscripts of the block, if
// these are few. The decision for a block is one of
//
//   all pairs are masked  the block is skipped
//   no pair is masked     the block runs without masking
//   unknown               every pair is tested
//
// If the key, or its quotient by a constant, is the key sum of a condition that must hold, the unmasked keys are within
// a range in closed form, and blocks outside are not visited. Opaque conditions, which do not separate, and large
// tables are tested pair by pair before the block's products.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Attend/AttendInterval.h"
#include <functional>

namespace attnc {

/// The mask of a problem. For each block of rows, prepareRows() is called first, then keyRange() and decide().
class AttendMask {
public:
  explicit AttendMask(const AttendProblem &problem);

  /// All keys from here on satisfy the problem's congruence: they are `modulus` apart.
  void assumeCongruence();

  /// The keys begin .. end - 1 of a batch, by number.
  struct KeyRange {
    mlir::Value begin, end; ///< index
  };
  /// Computes the bounds of a value over the keys of a block; by default, by a loop over keys or vectors of keys.
  using KeyScan =
      std::function<Interval(const KeyRange &keys, llvm::function_ref<mlir::Value(mlir::Value key)> valueAt)>;
  void scanKeysBy(KeyScan scan) { scanOfKeys = std::move(scan); }

  /// The rows first .. first + count - 1 of a batch.
  struct RowRange {
    mlir::Value first, count;                                      ///< index
    llvm::function_ref<RegionVectoriser(mlir::Value row)> bindRow; ///< returns the formulas of one row
    bool inOrder; ///< the rows are numbered in the order of the problem's row dimensions
  };
  /// Emits the bounds of the row sums over a range of rows.
  void prepareRows(LoopBuilder &loops, const RowRange &rows);

  /// The largest c such that keys n c .. n c + c - 1 read the same element of each table, for every n: c for
  /// blocks[i / c, j / c]; 0 if there is none.
  int64_t keysOfElement();

  /// All pairs of the prepared rows with keys outside of the range are masked. `keys` is the number of keys, and
  /// `batch` has the bindings of the batch.
  KeyRange keyRange(LoopBuilder &loops, mlir::Value keys, const RegionVectoriser &batch);

  /// The key from which on all pairs of these rows, which need no preparation, are masked, derived from comparisons of
  /// plain indices; null if unknown. The rows may be past the last one.
  mlir::Value keyEnd(LoopBuilder &loops, const RowRange &rows, mlir::Value keys, const RegionVectoriser &batch) const;
  /// Whether a comparison that keyEnd() may use depends on the row. Otherwise all rows of a batch have the same end.
  bool keyEndDependsOnRows();

  struct Decision {
    /// i1: `some` is false only if all pairs are masked, `all` is true only if none is.
    mlir::Value some, all;
    mlir::Value unsure; ///< i1: some conditions can only be decided pair by pair
  };
  /// Emits the decision for the prepared rows and the keys firstKey .. firstKey + count - 1. `bindKey` returns formulas
  /// with the batch and a key bound.
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
