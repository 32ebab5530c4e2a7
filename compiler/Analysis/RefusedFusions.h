//===- RefusedFusions.h - fusions that a strategy forbids ---------------------------------------------------------===//
//
// The module's attribute `attn.refused` lists the fusions that passes must not make. The pipeline writes it after
// import; a pass calls isRefused() before it fuses two ops, with the key of the fusion's reason (Decisions.h):
//
//   attn.refused = [{fusion = "pointwise-fused"},                                  everywhere
//                   {fusion = "epilogue-fused", place = "gpt.attn:41:9"},           if either op is at this location
//                   {fusion = "", kernel = "logits_rows_0", ops = [3, 4, 7]}]       if both ops are of this kernel
//
// The key "" refuses every fusion of computations; only their own keys refuse fusions of views. A kernel is identified
// by the numbers of its imported ops, which the ops' locations contain until fusion ends.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace attnc {

/// The key of attention as one op; if it is refused, scores are materialised (attn-materialise-scores).
inline constexpr llvm::StringLiteral attentionFused = "attention-fused";

/// All keys that can be refused.
std::vector<std::string> refusableFusions();

/// One element of `attn.refused`. With neither `place` nor `kernel`, it applies everywhere.
struct FusionRefusal {
  std::string fusion;       ///< a key, or empty
  std::string place;        ///< "gpt.attn:41:9", without directories; or empty
  std::string kernel;       ///< for messages; or empty
  std::vector<int64_t> ops; ///< with `kernel`: the numbers of its ops (numberOps)
  bool isHonoured = false;  ///< true once the refusal has prevented a fusion
  std::string origin = {};  ///< prefix of messages about the refusal (Override.h)
};

/// Writes the list into the module in place of an earlier one; an empty list changes nothing.
void refuseFusions(mlir::ModuleOp module, llvm::ArrayRef<FusionRefusal> refusals);
/// The list in the module; empty if there is none.
std::vector<FusionRefusal> refusedFusions(mlir::ModuleOp module);

/// True if a refusal of `fusion`, a key, applies to the two ops, in either order; marks it as honoured in the module.
bool isRefused(llvm::StringRef fusion, mlir::Operation *what, mlir::Operation *into);
/// True if an honoured refusal applies to the two ops, whichever fusion it names.
bool isKeptApart(mlir::Operation *what, mlir::Operation *into);

/// Numbers the ops of the entry points and stores the numbers in their locations.
void numberOps(mlir::ModuleOp module);
/// The numbers in a location and in the locations that are fused into it, ascending, each once.
std::vector<int64_t> opNumbers(mlir::Location location);
/// Removes the numbers and the refusals from the module.
void forgetRefusals(mlir::ModuleOp module);

} // namespace attnc
