//===- Decisions.h - decisions: fusions made, edges left, and their reasons ---------------------------------------===//
//
// The phases raise and fuse record every decision in the module, as one dictionary in `attn.decisions`:
//
//   {made = true,  reason = "view-folded", what = "gpt.attn:41:9", into = "gpt.attn:43:14", bytes = "1536*batch*seq",
//    entry = "logits"}
//   {made = false, reason = "contraction-operand", what = "logits_rows_0", into = "logits_gemm_0", ...}
//
// `what` and `into` are kernels if the decision is about an edge between two kernels, otherwise source locations,
// because kernels have no names before outlining. `what` is the producer of the edge's tensor, `into` its consumer, and
// `entry` the entry point. `bytes` is the size of the tensor, as text over the dimensions: a fusion saves these bytes,
// an edge that is left writes and reads them. An edge whose tensor has an element for each query–key pair also has
// `pairs`; --require-fused reports such edges as errors.
//
// Reasons are a closed list. Each has a sentence, and a test program of the same name in tests/compiler/Fuse/reasons.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
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
  // Code that resembles attention.
  SumChanged,
  SumOfOthers,
  NotNormalised,
  ZeroWeightContributes,
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
  ScoresMaterialised,
  WeightsMaterialised,
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
  NotOneKernel,
  PairByPair,
  FormulaSize,
  FusionRefused,
  // Choices about weights.
  WeightPacked,
  WeightPackedBeside,
  WeightPlain,
};

/// The key of a reason in dumps, tests and messages, such as "contraction-operand".
llvm::StringRef reasonId(Reason reason);
/// The sentence of a reason for people, a full clause in lower case.
llvm::StringRef reasonText(Reason reason);
/// The smallest change of the model that would fuse the edge, or the reason why no change does; empty for a fusion
/// made.
llvm::StringRef reasonChange(Reason reason);
/// The reason with the key `id`; null if there is none.
std::optional<Reason> parseReason(llvm::StringRef id);
/// All reasons, in the order of the enumeration.
llvm::ArrayRef<Reason> allReasons();

/// A recorded decision; the fields are those of the dictionary above.
struct Decision {
  bool isMade = false; ///< true for a fusion
  Reason reason = Reason::NotPointwise;
  std::string what, into, bytes, entry;
  bool pairs = false;
  std::vector<std::string> places; ///< source locations of the producer
  bool operator==(const Decision &) const = default;
};

/// Appends a decision, unless an equal one is recorded.
void recordDecision(mlir::ModuleOp module, const Decision &decision);
std::vector<Decision> recordedDecisions(mlir::ModuleOp module);
/// Applies `change` to each recorded decision.
void changeDecisions(mlir::ModuleOp module, llvm::function_ref<void(Decision &)> change);
/// Removes all decisions.
void dropDecisions(mlir::ModuleOp module);
/// Removes the recorded EpilogueFused and RowsFused whose `what` and `into` are both in `places`: the kernel with these
/// source locations is split into separate kernels again.
void forgetFusions(mlir::ModuleOp module, llvm::ArrayRef<std::string> places);

} // namespace attnc
