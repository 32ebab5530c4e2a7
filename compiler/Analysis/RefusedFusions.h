//===- RefusedFusions.h - fusions that a strategy forbids ---------------------------------------------------------===//
//
// The module's attribute `attn.refused` lists the fusions that passes must not make. The pipeline writes it after
// import; a pass calls isRefused() before it fuses two ops, with the key of the fusion's reason (Decisions.h):
//
//   attn.refused = [{fusion = "pointwise-fused"},                                  everywhere
//                   {fusion = "epilogue-fused", place = "gpt.attn:41:9"},           of ops at this source location
//                   {fusion = "", kernel = "logits_rows_0", ops = [3, 4, 7]}]       among the ops of this kernel
//
// The key "" refuses every fusion of computations; views are refused by their own keys alone. A kernel is identified by
// the numbers of its imported ops, which are part of the ops' locations until fusion ends.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace attnc {

/// The key of attention as one op; if refused, its scores are a tensor (attn-materialise-scores).
inline constexpr llvm::StringLiteral attentionFused = "attention-fused";

/// All keys by which fusions can be refused.
std::vector<std::string> refusableFusions();

struct FusionRefusal {
  std::string fusion; ///< one of these keys, or empty
  std::string place;  ///< "gpt.attn:41:9", without directories
  std::string kernel;
  std::vector<int64_t> ops;
  bool isHonoured = false; ///< the refusal has prevented a fusion
  std::string origin = {}; ///< prefix of messages about the refusal (Override.h)
};

void refuseFusions(mlir::ModuleOp module, llvm::ArrayRef<FusionRefusal> refusals);
std::vector<FusionRefusal> refusedFusions(mlir::ModuleOp module);

/// Whether a strategy refuses the fusion of the two ops. A refusal is marked as honoured.
bool isRefused(llvm::StringRef fusion, mlir::Operation *what, mlir::Operation *into);
/// Whether an honoured refusal applies to the two ops, for any fusion.
bool isKeptApart(mlir::Operation *what, mlir::Operation *into);

/// Numbers the ops of the entry points, in their locations.
void numberOps(mlir::ModuleOp module);
/// The numbers in a location and in the locations that are fused into it, ascending, each once.
std::vector<int64_t> opNumbers(mlir::Location location);
/// Removes the numbers and the refusals.
void forgetRefusals(mlir::ModuleOp module);

} // namespace attnc
