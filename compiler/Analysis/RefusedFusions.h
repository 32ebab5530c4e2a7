//===- RefusedFusions.h - fusions that a strategy forbids ---------------------------------------------------------===//
//
// The module's attribute `attn.refused` lists the fusions that passes must not make. compiler/Pipeline writes the
// attribute after import, from the overrides of a strategy. A pass calls isRefused() before it fuses two ops, with the
// key of the reason that it would record (Decisions.h), and does not fuse them if the result is true:
//
//   attn.refused = [{fusion = "pointwise-fused"},                                  everywhere
//                   {fusion = "epilogue-fused", place = "gpt.attn:41:9"},           if either op is at this location
//                   {fusion = "", kernel = "logits_rows_0", ops = [3, 4, 7]}]       if both ops are of this kernel
//
// The key "" refuses every fusion of computations. It does not refuse fusions of views (view-folded, layout-folded,
// slice-narrowed), which only their own keys refuse. A kernel is identified by the numbers of its ops. numberOps()
// numbers the ops after import and stores the numbers in the ops' locations; forgetRefusals() removes the numbers at
// the end of fuse. A later op is of the kernel if its location has numbers, all of which are in `ops`.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace attnc {

/// The key of the fusion of scores, normaliser and weighted sum in one attention kernel. If a strategy refuses this
/// key, the pass attn-materialise-scores computes the scores as a tensor. It is not the key of a reason.
inline constexpr llvm::StringLiteral attentionFused = "attention-fused";

/// All keys that can be refused: attentionFused, and those of the reasons for fusions.
std::vector<std::string> refusableFusions();

/// One element of `attn.refused`. With neither `place` nor `kernel`, it applies everywhere; with `place`, `kernel` has
/// no effect.
struct FusionRefusal {
  std::string fusion;       ///< a key; empty: every fusion of computations
  std::string place;        ///< "gpt.attn:41:9", without directories; or empty
  std::string kernel;       ///< the name of a kernel, for messages; or empty
  std::vector<int64_t> ops; ///< with `kernel`: the numbers of its ops (numberOps)
  bool isHonoured = false;  ///< true once isRefused() has returned true because of this refusal
  std::string origin = {};  ///< prefix of messages about the refusal (Override.h)
};

/// Writes the list into the module in place of an earlier one; an empty list changes nothing.
void refuseFusions(mlir::ModuleOp module, llvm::ArrayRef<FusionRefusal> refusals);
/// The list in the module; empty if there is none.
std::vector<FusionRefusal> refusedFusions(mlir::ModuleOp module);

/// True if a refusal of the key `fusion` applies to the ops `what` and `into`, in either order. Marks each such refusal
/// as honoured in the module.
bool isRefused(llvm::StringRef fusion, mlir::Operation *what, mlir::Operation *into);
/// True if an honoured refusal applies to the two ops, whichever key it has.
bool isFusionPrevented(mlir::Operation *what, mlir::Operation *into);

/// Numbers all ops in the host functions (HostFunctions.h) from 0, and stores each number in the op's location.
void numberOps(mlir::ModuleOp module);
/// The number of a location or, if it has none itself, the numbers of the locations that it fuses or names, ascending,
/// each once. Empty if there is none.
std::vector<int64_t> opNumbers(mlir::Location location);
/// Removes the refusals from the module and, if numberOps() was called, the numbers from the locations of its ops.
void forgetRefusals(mlir::ModuleOp module);

} // namespace attnc
