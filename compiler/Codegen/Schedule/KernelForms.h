//===- KernelForms.h - algorithms of a device kernel, and rejected ones with reasons ------------------------------===//
//
// The device emitter chooses a form for each phase, by the storage and layout of operands, by sizes, and by the
// instructions of the target's devices. It records on the kernel, for `attnc explain` and model.json, the form of each
// phase with its choices, and each better form that it rejected, with the reason:
//
//   attn.forms = [{phase = "k$groups", form = "warp-groups", tile_q = 128, tile_kv = 128}, ...]
//   attn.refused_forms = [{form = "split-keys", reason = "it has as many queries as keys"}, ...]
//
// A schedule has no effect on these choices: `attn.schedule` is for kernels of processors.
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
  WarpGroups,  ///< four warps multiply together, on tensor cores; producer warps copy
  TensorCores, ///< each warp multiplies by itself
  F32,         ///< without tensor cores
  SplitKeys,   ///< few queries: keys are split among blocks
  FewRows,     ///< few rows of a product: the right operand is read once
  Merge,       ///< adds partial results of SplitKeys and FewRows in order
  TensorMaps,  ///< prepares descriptors of TMA copies
  // Rows and loops, by the threads that compute one.
  ThreadPerPoint,
  WarpPerPoint,
  BlockPerPoint,
  WarpPerRow,
  BlockPerRow,
};

/// The name of a form in output, "warp-groups".
llvm::StringRef nameOf(KernelForm form);
/// Every form, in the order of the enumeration.
llvm::ArrayRef<KernelForm> allForms();

/// Records the form of a phase, by the phase's symbol.
void recordForm(mlir::func::FuncOp kernel, llvm::StringRef phase, KernelForm form, llvm::ArrayRef<Choice> choices = {});
/// Records a rejected form with the reason in `verdict`; nothing if the verdict is yes.
void recordRefusal(mlir::func::FuncOp kernel, KernelForm form, const Verdict &verdict);

/// The records of a kernel, in the order of recording; forms by name.
struct RecordedForm {
  std::string phase, form;
  std::vector<mlir::NamedAttribute> choices; ///< numbers and words, sorted by name
};
struct RefusedForm {
  std::string form, reason;
};
std::vector<RecordedForm> formsOf(mlir::func::FuncOp kernel);
std::vector<RefusedForm> refusedFormsOf(mlir::func::FuncOp kernel);

/// Prints a heading, and a line for each form and each rejected form of each kernel.
void printForms(llvm::ArrayRef<mlir::func::FuncOp> kernels, llvm::raw_ostream &stream);

} // namespace attnc
