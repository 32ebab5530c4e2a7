//===- KernelForms.h - record of the algorithms of a device kernel ------------------------------------------------===//
//
// A form is the algorithm of a kernel phase. The device emitter chooses the form of each phase by the storage type and
// the layout of operands, by sizes, and by the instructions of the target's devices. It records two lists as attributes
// of the kernel: the form of each phase with its tile sizes, and each faster form that it rejected, with the reason.
// `attnc explain` and model.json show them:
//
//   attn.forms = [{phase = "k$groups", form = "warp-groups", tile_q = 128, tile_kv = 128}, ...]
//   attn.refused_forms = [{form = "split-keys", reason = "it has as many queries as keys"}, ...]
//
// A requested schedule has no effect on these choices: `attn.schedule` is for kernels of processors, whose choices
// ChosenSchedule.h records.
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
  WarpGroups,  ///< tensor cores, used by warp groups (wgmma); producer warps issue copies
  TensorCores, ///< tensor cores, used by each warp (mma.sync)
  F32,         ///< without tensor cores
  SplitKeys,   ///< attention with few queries: keys are split among blocks
  FewRows,     ///< a product of few rows: the right operand is read once
  Merge,       ///< a phase that adds the partial results of SplitKeys or FewRows in order
  TensorMaps,  ///< a phase that prepares the descriptors of TMA copies
  // Kernels of kinds rows and loops, by the threads that compute one row, or one point of a loop nest.
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

/// Appends the form of a phase to `attn.forms`, unless an equal record exists. `phase` is the symbol of the phase's
/// function; `choices` are its tile sizes and the like.
void recordForm(mlir::func::FuncOp kernel, llvm::StringRef phase, KernelForm form, llvm::ArrayRef<Choice> choices = {});
/// Appends a rejected form to `attn.refused_forms`, with the reason in `verdict`, unless an equal record exists.
/// Records nothing if the verdict is yes.
void recordRefusal(mlir::func::FuncOp kernel, KernelForm form, const Verdict &verdict);

/// An element of `attn.forms`.
struct RecordedForm {
  std::string phase, form;                   ///< the symbol of the phase; nameOf() the form
  std::vector<mlir::NamedAttribute> choices; ///< integers and strings, sorted by name
};
/// An element of `attn.refused_forms`.
struct RefusedForm {
  std::string form, reason; ///< nameOf() the form; the reason of the verdict
};
/// The records of a kernel, in the order of recording; empty if there are none.
std::vector<RecordedForm> formsOf(mlir::func::FuncOp kernel);
std::vector<RefusedForm> refusedFormsOf(mlir::func::FuncOp kernel);

/// Prints a heading, and then for each kernel one line for each recorded form and each rejected form.
void printForms(llvm::ArrayRef<mlir::func::FuncOp> kernels, llvm::raw_ostream &stream);

} // namespace attnc
