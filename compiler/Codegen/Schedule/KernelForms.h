//===- KernelForms.h - algorithms that a device kernel has and lacks, with reasons --------------------------------===//
//
// Who emits a kernel for devices chooses among forms, by how operands are stored and lie, by sizes, and by what the
// target's devices have. It records on the kernel, for people (`attnc explain`) and model.json, which form each phase
// is, with its choices, and which better form there could have been, and why there is not:
//
//   attn.forms = [{phase = "k$groups", form = "warp-groups", tile_q = 128, tile_kv = 128}, ...]
//   attn.refused_forms = [{form = "split-keys", reason = "it has as many queries as keys"}, ...]
//
// A schedule has no effect on these choices: `attn.schedule` is left to kernels of processors.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <utility>
#include <vector>

namespace attnc {

enum class KernelForm {
  // Attention, and products of matrices.
  WarpGroups,  ///< four warps multiply together, on tensor cores; others copy
  TensorCores, ///< each warp multiplies by itself
  F32,         ///< without tensor cores
  SplitKeys,   ///< of few queries: keys split among blocks
  FewRows,     ///< of a product: the right operand is read once
  Merge,       ///< adds in order what parts of the two before have left
  TensorMaps,  ///< prepares copies by the hardware
  // Rows and loops, by who computes one.
  ThreadPerPoint,
  WarpPerPoint,
  BlockPerPoint,
  WarpPerRow,
  BlockPerRow,
};

/// The word by which people, tests and model.json know a form, such as "warp-groups".
llvm::StringRef nameOf(KernelForm form);
/// Every form, in the order of the enumeration.
llvm::ArrayRef<KernelForm> allForms();

/// Adds a form to those that the kernel has.
void recordForm(mlir::func::FuncOp kernel, llvm::StringRef phase, KernelForm form, llvm::ArrayRef<Choice> choices = {});
/// Adds one to those that it does not have, where `verdict` says why.
void recordRefusal(mlir::func::FuncOp kernel, KernelForm form, const Verdict &verdict);

struct RecordedForm {
  std::string phase, form;
  std::vector<mlir::NamedAttribute> choices; ///< by name: numbers and words
};
struct RefusedForm {
  std::string form, reason;
};
std::vector<RecordedForm> formsOf(mlir::func::FuncOp kernel);
std::vector<RefusedForm> refusedFormsOf(mlir::func::FuncOp kernel);

/// A line each.
void printForms(llvm::ArrayRef<mlir::func::FuncOp> kernels, llvm::raw_ostream &stream);

} // namespace attnc
