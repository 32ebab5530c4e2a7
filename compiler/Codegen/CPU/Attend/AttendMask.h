//===- AttendMask.h - which keys a block of queries needs ------------------------------------------------------===//
//
// A mask is a tree of and, or and not over comparisons. A comparison whose sides separate,
//
//   sum of row terms + sum of key terms  <  0         (<=, >, >=, ==, != alike; abs(x) <= w is two of them)
//
// is decided for a whole block of rows and keys from the least and greatest value of both sums. For the causal mask
// j - i <= 0 these are the block's corners; for doc[b, i] == doc[b, j] the row sums are scanned once a block of rows
// and the key sums once a block of keys, O(rows + keys). The answer for a block is one of
//
//   no pair is kept       the block is skipped
//   every pair is kept    the block runs without masking
//   anything else         every pair is tested
//
// Where `key` itself is the key sum of a condition that must hold, the kept keys are a range in closed form, so blocks
// outside are not even visited. What does not separate ("opaque") is tested pair by pair before the block's products.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendProblem.h"
#include "compiler/Codegen/CPU/Formula/RegionVectoriser.h"
#include "compiler/Codegen/CPU/Nest/LoopBuilder.h"

namespace attnc {

class AttendMask {
public:
  explicit AttendMask(const AttendProblem &problem);

  /// Whether part of the mask can only be decided pair by pair.
  bool isOpaque() const { return opaque; }

  /// Emits the extrema of the row sums over `count` rows, where `bindRow` gives a vectoriser in which the outer indices
  /// of one row are bound.
  struct RowRange {
    mlir::Value first, count; ///< index
    llvm::function_ref<RegionVectoriser(mlir::Value row)> bindRow;
    /// The row sums of plain indices are extreme at the first and the last row.
    bool monotone;
  };
  void prepareRows(LoopBuilder &loops, const RowRange &rows);

  struct KeyRange {
    mlir::Value begin, end; ///< index
  };
  /// The keys outside of which nothing is kept.
  KeyRange keyRange(LoopBuilder &loops, mlir::Value keys);

  /// The key from which on none of these rows keeps a pair, where comparisons of plain indices tell it; null where they
  /// tell nothing. The rows' indices may lie past the last one.
  mlir::Value keyEnd(LoopBuilder &loops, const RowRange &rows, mlir::Value keys) const;

  struct Decision {
    mlir::Value some, all; ///< i1; `some` may be true where nothing is kept, `all` may be false where everything is
  };
  Decision decide(LoopBuilder &loops, mlir::Value firstKey, mlir::Value count,
                  llvm::function_ref<RegionVectoriser(mlir::Value key)> bindKey);

private:
  enum class Kind { Compare, And, Or, Not, Opaque };
  using Terms = llvm::SmallVector<std::pair<mlir::Value, int>>; ///< (value, sign)
  struct Node {
    Kind kind = Kind::Opaque;
    llvm::SmallVector<unsigned, 2> children;
    mlir::arith::CmpIPredicate predicate = mlir::arith::CmpIPredicate::slt;
    Terms keyTerms, rowTerms;
    mlir::Value rowMin, rowMax;
  };

  unsigned read(mlir::Value condition);
  unsigned readComparison(mlir::arith::CmpIOp compare);
  unsigned makeComparison(mlir::arith::CmpIPredicate predicate, llvm::ArrayRef<std::pair<mlir::Value, int>> sum);
  unsigned make(Kind kind, llvm::ArrayRef<unsigned> children);
  bool separate(mlir::Value value, int sign, Node &node);
  bool isPlainKey(mlir::Value value) const;
  bool hasPlainRows(const Node &node);
  static void setExtremaOfEnds(LoopBuilder &loops, const RowRange &rows, Node &node);
  void narrow(LoopBuilder &loops, unsigned node, KeyRange &range);
  Decision decideNode(LoopBuilder &loops, unsigned node, mlir::Value firstKey, mlir::Value count,
                      llvm::function_ref<RegionVectoriser(mlir::Value key)> bindKey);

  const AttendProblem &problem;
  IndexUses uses;
  llvm::SmallVector<Node> nodes;
  unsigned root = 0;
  bool opaque = false;
};

} // namespace attnc
