//===- Residuals.h - residuals of a loop's backward pass, and the choice of rematerialisation ---------------------===//
//
// The reversed loop recomputes an iteration of the forward loop from its residuals, the values that the forward loop
// stores for it. A carried value that the reversed loop reads is always stored, in a per-iteration list that
// LoopRule.cpp adds to the forward loop; tapes (Tapes.h) need no list. Each result of a contraction, a reduction or
// attention that it reads is either stored or recomputed; in a loop over segments (SegmentScans.h) it is recomputed.
// All other values are recomputed. Two attributes of a function describe the choice:
//
//   attn.recompute = [1, 4]      input: numbers of the ops whose results are recomputed; results of others are stored
//   attn.residuals = [{...}]     output: every value that is stored, and every result of an op of attn.recompute
//
// The ops whose results may be stored are numbered in the order in which the reverse pass copies them, which does not
// depend on the choice. Bytes and costs are those of all iterations together, as texts over the function's dimensions:
//
//   {number = 4, place = "gpt.attn:41:9", kind = "contraction", shape = "batch, seq, 3072", bytes = "147456*batch*seq",
//    cost = "...", kept}
//
// The cost is that of recomputation, in floating-point operations. Each byte that the op reads counts as 16 operations,
// about as many as a processor computes while it moves a byte.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include <string>
#include <vector>

namespace attnc {

inline constexpr llvm::StringLiteral recomputeAttrName = "attn.recompute"; ///< i64 array
inline constexpr llvm::StringLiteral residualsAttrName = "attn.residuals"; ///< array of dictionaries

/// A record of attn.residuals, for one value. An op with several results has several records with the same number.
struct Residual {
  int64_t number = carried; ///< number of the op that computes the value
  std::string place, kind;  ///< source location or ""; kind: "carried value", "contraction", "reduction", "attention"
  std::string shape;        ///< shape of one iteration's value
  SizeExpr bytes, cost;     ///< of all iterations; the cost of an op is in the record of its first result, if any
  bool kept = true;         ///< true: stored; false: recomputed

  static constexpr int64_t carried = -1; ///< number of carried values, which are always stored
  bool mayBeRecomputed() const { return number != carried; }
};

/// Text for messages: "contraction [batch, seq, 3072], gpt.attn:41:9".
std::string nameOf(const Residual &residual);

/// The residuals that the derive phase recorded on an entry point, with sizes over its `model.dimensions`; empty if
/// there are none. A size that these dimensions do not determine is 0.
std::vector<Residual> residualsOf(mlir::func::FuncOp function);

/// The choice of one function during its differentiation: numbers the ops, and collects the records.
class ResidualChoice {
public:
  /// All results are stored.
  ResidualChoice() = default;
  /// Reads attn.recompute of `function`; without the attribute, all results are stored.
  explicit ResidualChoice(mlir::func::FuncOp function);

  /// Assigns the next number, from 0, to an op whose results may be stored.
  int64_t number() { return next++; }
  /// True if attn.recompute has the number.
  bool isRecomputed(int64_t number) const { return recomputed.contains(number); }
  /// Records `value`: a carried value (a block argument of a loop), or a result of the op with this number in a loop's
  /// body. `count` is the number of iterations of the loop.
  void record(int64_t number, mlir::Value value, const SizeExpr &count, SymbolicShapes &shapes, bool kept);
  /// Writes the records, if there are any, as attn.residuals, and removes attn.recompute.
  void writeTo(mlir::func::FuncOp function) const;

private:
  int64_t next = 0;
  llvm::DenseSet<int64_t> recomputed;
  llvm::SmallVector<mlir::Attribute> records;
};

} // namespace attnc
