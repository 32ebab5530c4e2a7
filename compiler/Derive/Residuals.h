//===- Residuals.h - residuals of a loop's backward pass, and the choice of rematerialisation ---------------------===//
//
// The reversed loop recomputes an iteration from its residuals. Carried values are always stored, each in a
// per-iteration list that LoopRule.cpp adds to the forward loop. Each result of a contraction, a reduction or attention
// is either stored, or recomputed with the cheap ops in between:
//
//   attn.recompute = [1, 4]      on a function, input: numbers of the ops whose results are recomputed
//   attn.residuals = [{...}]     on a function, output: every stored value, and every op of attn.recompute
//
// Ops are numbered in the order of the reverse pass, which does not depend on the choice. Sizes and costs cover all
// iterations, as texts over the function's dimensions:
//
//   {number = 4, place = "gpt.attn:41:9", kind = "contraction", shape = "batch, seq, 3072", bytes = "147456*batch*seq",
//    cost = "...", kept}
//
// Cost is the number of operations, where a byte read or written counts as 16: about what a processor computes while it
// moves a byte.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include <string>
#include <vector>

namespace attnc {

inline constexpr llvm::StringLiteral recomputeAttrName = "attn.recompute";
inline constexpr llvm::StringLiteral residualsAttrName = "attn.residuals";

/// A record of attn.residuals; several may have the number of one op.
struct Residual {
  int64_t number = carried;
  std::string place, kind; ///< source location; kind: "carried value", "contraction", "reduction", "attention"
  std::string shape;       ///< shape of one iteration's value
  SizeExpr bytes, cost;
  bool kept = true;

  static constexpr int64_t carried = -1; ///< number of carried values, which are always stored
  bool mayBeRecomputed() const { return number != carried; }
};

/// "contraction [batch, seq, 3072], gpt.attn:41:9".
std::string nameOf(const Residual &residual);

/// The residuals that the derive phase recorded on an entry point; empty if there are none.
std::vector<Residual> residualsOf(mlir::func::FuncOp function);

/// Numbers the ops during differentiation, and records residuals.
class ResidualChoice {
public:
  explicit ResidualChoice(mlir::func::FuncOp function);

  /// The number of the next op whose result may be stored.
  int64_t number() { return next++; }
  bool isRecomputed(int64_t number) const { return recomputed.contains(number); }
  /// Records `value`, a carried value (a block argument) or an op's result, of a loop with `count` iterations in all.
  void record(int64_t number, mlir::Value value, const SizeExpr &count, SymbolicShapes &shapes, bool kept);
  /// Writes the records as attn.residuals, and removes attn.recompute.
  void writeTo(mlir::func::FuncOp function) const;

private:
  int64_t next = 0;
  llvm::DenseSet<int64_t> recomputed;
  llvm::SmallVector<mlir::Attribute> records;
};

} // namespace attnc
