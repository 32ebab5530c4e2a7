//===- RefusedFusions.h - fusions that a person does not want ---------------------------------------------------===//
//
// What is in the module's attribute `attn.refused` is not fused. The pipeline writes it behind import; each pass that
// fuses asks isRefused() where it would fuse two ops, under the word by which its fusions are recorded:
//
//   attn.refused = [{fusion = "pointwise-fused"},                                  everywhere
//                   {fusion = "epilogue-fused", place = "gpt.attn:41:9"},           what stands there in the source
//                   {fusion = "", kernel = "logits_rows_0", ops = [3, 4, 7]}]       what that kernel would be made of
//
// "" are all computations; views are folded all the same, if their words are not said. A kernel is known by the numbers
// of the imported ops in it, which ops have in their locations while they are fused.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Fuse/Explanation.h"

namespace attnc {

/// The word for attention as one op: refused, its scores are a tensor (attn-hold-scores).
inline constexpr llvm::StringLiteral attentionFused = "attention-fused";

/// Every word that a fusion is refused by.
std::vector<std::string> refusableFusions();

struct FusionRefusal {
  std::string fusion; ///< one of these words, or empty
  std::string place;  ///< "gpt.attn:41:9", without directories
  std::string kernel;
  std::vector<int64_t> ops;
  bool isHonoured = false; ///< something would have been fused otherwise
  std::string origin = {}; ///< what messages about it begin with (Override.h)
};

void refuseFusions(mlir::ModuleOp module, llvm::ArrayRef<FusionRefusal> refusals);
std::vector<FusionRefusal> refusedFusions(mlir::ModuleOp module);

/// Whether the two must not become one. If so, that is recorded.
bool isRefused(llvm::StringRef fusion, mlir::Operation *what, mlir::Operation *into);
/// Whether some fusion of the two is refused.
bool isKeptApart(mlir::Operation *what, mlir::Operation *into);

/// Gives each op of the entry points a number, in its location.
void numberOps(mlir::ModuleOp module);
/// The numbers in a location and in those that it was made of, ascending, each once.
std::vector<int64_t> opNumbers(mlir::Location location);
/// Takes the numbers and the refusals away.
void forgetRefusals(mlir::ModuleOp module);

} // namespace attnc
