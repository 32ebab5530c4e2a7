//===- Residuals.h - what the reverse of a loop keeps of the iterations -------------------------------------------===//
//
// The reversed loop computes an iteration again from what was kept of it. Carried values are always kept; of the
// results of contractions, reductions and attention each is kept, or computed again with what else lies between:
//
//   attn.recompute = [1, 4]      on a function, before: the numbers of the ops whose results are computed again
//   attn.residuals = [{...}]     on a function, after: every value that is kept, and every op of attn.recompute
//
// Ops are numbered in the order in which the reverse meets them, which does not depend on the choice. Sizes and costs
// are of all iterations, as texts over the function's dimensions:
//
//   {number = 4, place = "gpt.attn:41:9", kind = "contraction", shape = "batch, seq, 3072", bytes = "147456*batch*seq",
//    cost = "...", kept}
//
// Cost is operations, a byte that is read or written counted as 16 of them, which is about what a processor does while
// it moves one.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include <string>
#include <vector>

namespace attnc {

inline constexpr llvm::StringLiteral recomputeAttrName = "attn.recompute";
inline constexpr llvm::StringLiteral residualsAttrName = "attn.residuals";

struct Residual {
  int64_t number = carried;
  std::string place, kind; ///< kind: "carried value", "contraction", "reduction", "attention"
  std::string shape;       ///< of one iteration's
  SizeExpr bytes, cost;
  bool kept = true;

  static constexpr int64_t carried = -1; ///< the number of a carried value, which no choice is about
  bool mayBeRecomputed() const { return number != carried; }
};

/// "contraction [batch, seq, 3072], gpt.attn:41:9".
std::string nameOf(const Residual &residual);

/// What `derive` recorded of a function.
std::vector<Residual> residualsOf(mlir::func::FuncOp function);

/// Numbers the ops while a function is differentiated, and collects what is kept.
class ResidualChoice {
public:
  explicit ResidualChoice(mlir::func::FuncOp function);

  /// The number of the next op that may be kept.
  int64_t number() { return next++; }
  bool isRecomputed(int64_t number) const { return recomputed.contains(number); }
  /// Records `value`, a carried value or a result of an op of a loop with `count` iterations.
  void record(int64_t number, mlir::Value value, const SizeExpr &count, SymbolicShapes &shapes, bool kept);
  /// Writes what was recorded.
  void writeTo(mlir::func::FuncOp function) const;

private:
  int64_t next = 0;
  llvm::DenseSet<int64_t> recomputed;
  llvm::SmallVector<mlir::Attribute> records;
};

} // namespace attnc
