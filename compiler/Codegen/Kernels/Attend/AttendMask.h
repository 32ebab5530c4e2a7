//===- AttendMask.h - block-sparse evaluation of masks by interval analysis -----------------------------------===//
//
// A mask is a tree of and, or and not over comparisons. A comparison whose sides separate,
//
//   sum of row terms + sum of key terms  <  0         (<=, >, >=, ==, != alike)
//
// is decided for a whole block of rows and keys from the least and greatest value of both sums; |x| < w and others of
// the greater or lesser of two are two of them. Terms of indices have intervals in closed form (AttendInterval.h), such
// as the block's corners for the causal mask j - i <= 0; those that load, such as both of doc[b, i] == doc[b, j], are
// scanned once a block of rows and, in vectors, once a block of keys. A condition on one element of a table whose
// subscripts are of the row or of the key, blocks[i / 64, j / 64], is looked up for all subscripts of the block, where
// these are few. The answer for a block is one of
//
//   no pair is kept       the block is skipped
//   every pair is kept    the block runs without masking
//   anything else         every pair is tested
//
// Where the key, or its quotient by a constant, is the key sum of a condition that must hold, the kept keys are a range
// in closed form, so blocks outside are not even visited. What does not separate ("opaque"), and tables of many
// elements, are tested pair by pair before the block's products.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Attend/AttendInterval.h"
#include <functional>

namespace attnc {

class AttendMask {
public:
  explicit AttendMask(const AttendProblem &problem);

  /// The keys that are asked for satisfy the problem's congruence: they are `modulus` apart.
  void assumeCongruence();

  struct KeyRange {
    mlir::Value begin, end; ///< index
  };
  /// Finds between what numbers a value lies over the keys of a block; without one, keys are visited one after the
  /// other, or in vectors.
  using KeyScan =
      std::function<Interval(const KeyRange &keys, llvm::function_ref<mlir::Value(mlir::Value key)> valueAt)>;
  void scanKeysBy(KeyScan scan) { scanOfKeys = std::move(scan); }

  /// Emits the extrema of the row sums over `count` rows, where `bindRow` gives a vectoriser in which the outer indices
  /// of one row are bound.
  struct RowRange {
    mlir::Value first, count; ///< index
    llvm::function_ref<RegionVectoriser(mlir::Value row)> bindRow;
    /// They are numbered as the problem's row dimensions are.
    bool inOrder;
  };
  void prepareRows(LoopBuilder &loops, const RowRange &rows);

  /// The keys, from a multiple of the number on, that name one element of a table: c of blocks[i / c, j / c]; 0 where
  /// there is no such number.
  int64_t keysOfElement();

  /// The keys outside of which nothing is kept.
  KeyRange keyRange(LoopBuilder &loops, mlir::Value keys, const RegionVectoriser &batch);

  /// The key from which on none of these rows keeps a pair, where comparisons of plain indices tell it; null where they
  /// tell nothing. The rows' indices may lie past the last one.
  mlir::Value keyEnd(LoopBuilder &loops, const RowRange &rows, mlir::Value keys, const RegionVectoriser &batch) const;

  struct Decision {
    /// i1; `some` may be true where nothing is kept, `all` may be false where everything is.
    mlir::Value some, all;
    mlir::Value unsure; ///< i1: part of the mask can only be decided pair by pair
  };
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
    Value condition; ///< of a table, on what `element` loads
    mlir::tensor::ExtractOp element;
    llvm::SmallVector<Interval> rowSubscripts; ///< null of the key's
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
  static constexpr int64_t mostElements = 64; ///< of a table that are looked up for a block

  const AttendProblem &problem;
  IndexUses uses;
  llvm::SmallVector<Node, 0> nodes;
  unsigned root = 0;
  KeyScan scanOfKeys;
  int64_t keyStep = 1; ///< between the indices of consecutive keys
};

} // namespace attnc
