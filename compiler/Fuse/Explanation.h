//===- Explanation.h - what was fused, what was not, and why ------------------------------------------------------===//
//
// Every decision of the phases raise and fuse is recorded in the module, as one dictionary in `attn.decisions`:
//
//   {made = true,  reason = "view-folded", what = "gpt.attn:41:9", into = "gpt.attn:43:14", bytes = "1536*batch*seq",
//    entry = "logits"}
//   {made = false, reason = "contraction-operand", what = "logits_rows_0", into = "logits_gemm_0", ...}
//
// `what` and `into` are kernels where the decision is about an edge between two kernels, places in the source where it
// was made before kernels had names. `bytes` is the size of the tensor between the two: what is saved where the fusion
// was made (it is neither written nor read), what is held in memory where it was refused. A refusal of a tensor with an
// element for each pair of a query and a key also has `pairs`; --require-fused turns those into errors.
//
// Reasons are a closed list. Each has a sentence; its test is the program of the same name in
// tests/compiler/Fuse/reasons.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace attnc {

enum class Reason {
  // Fusions that were made.
  AttentionRaised,
  ViewFolded,
  LayoutFolded,
  SliceNarrowed,
  PointwiseFused,
  FormulaFolded,
  EpilogueFused,
  RowsFused,
  // What is nearly attention, and is not.
  SumChanged,
  SumOfOthers,
  NotNormalised,
  WeightOfNothing,
  ScoreChained,
  ScoreFolded,
  // Edges that were left.
  SeveralUses,
  ContractionOperand,
  ContractionChain,
  AttendResultContracted,
  AttendOperand,
  AttendNoEpilogue,
  RecomputedPerKey,
  ScoresHeld,
  WeightsHeld,
  RowAfterTile,
  SecondContraction,
  EpilogueLayout,
  EpilogueSubscript,
  DifferentRows,
  RowScratch,
  ReducedFirst,
  ReadByData,
  OperandLayout,
  SliceOperand,
  LoopCarried,
  NotPointwise,
  NotTakenWhole,
  PairByPair,
  FormulaSize,
  AsAsked,
  // Choices about weights.
  WeightPacked,
  WeightPackedBeside,
  WeightPlain,
};

/// The word by which dumps, tests and messages know a reason, such as "contraction-operand".
llvm::StringRef reasonId(Reason reason);
/// What it says to a person, a full clause in lower case.
llvm::StringRef reasonText(Reason reason);
/// Of an edge that was left: the least that a person can change so that it is fused, or why nothing can; else empty.
llvm::StringRef reasonChange(Reason reason);
std::optional<Reason> parseReason(llvm::StringRef id);
/// Every reason, in the order of the enumeration.
llvm::ArrayRef<Reason> allReasons();

struct Decision {
  bool made = false;
  Reason reason = Reason::NotPointwise;
  std::string what, into, bytes, entry;
  bool pairs = false;
  std::vector<std::string> places; ///< of the producer in the source, where it has any
  bool operator==(const Decision &) const = default;
};

void recordDecision(mlir::ModuleOp module, const Decision &decision);
std::vector<Decision> recordedDecisions(mlir::ModuleOp module);
/// Lets `change` change each of them.
void changeDecisions(mlir::ModuleOp module, llvm::function_ref<void(Decision &)> change);
void dropDecisions(mlir::ModuleOp module);
/// Takes back the fusions that were recorded between ops of these places, which are kernels of their own after all.
void forgetFusions(mlir::ModuleOp module, llvm::ArrayRef<std::string> places);

/// Prints the kernels of each entry point, what was fused into each and what was not, as `attnc explain` shows it.
void printExplanation(mlir::ModuleOp module, llvm::raw_ostream &stream);

/// Of each tensor of all pairs that is held in memory, a line "place: error: ..." for --require-fused; empty where
/// every one is fused.
std::vector<std::string> unfusedPairs(mlir::ModuleOp module);

} // namespace attnc
