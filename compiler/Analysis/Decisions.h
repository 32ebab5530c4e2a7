//===- Decisions.h - optimisation remarks: fusions made, edges left unfused, and their reasons --------------------===//
//
// The passes of raise, derive and fuse record each decision in the module's attribute `attn.decisions`, an array with
// one dictionary for each decision:
//
//   {made = true,  reason = "view-folded", what = "gpt.attn:41:9", into = "gpt.attn:43:14", bytes = "1536*batch*seq",
//    entry = "logits"}
//   {made = false, reason = "contraction-operand", what = "logits_rows_0", into = "logits_gemm_0", ...}
//
// An edge is a tensor that one computation (`what`, the producer) writes and another (`into`, the consumer) reads.
// `entry` is the name of the entry point. `bytes` is the size of the tensor, as text over the dimensions of the entry
// point: a fusion saves the write and the read of these bytes; an edge that is left unfused costs them. For an edge
// between two kernels, `what` and `into` are names of kernels. For a fusion they are source locations, because the
// kernels have no names yet. If the tensor of an unfused edge holds the scores or the attention weights of all
// query–key pairs, the dictionary also has `pairs`; --require-fused reports these edges as errors.
//
// Decisions about one computation have no `into` and no `bytes`: attention raised, code that resembles attention, and
// kernels that no emitter compiles as a whole or with its fast algorithm. In a decision about a weight, `what` is the
// parameter ("@head"), `into` the kernel that reads it, `bytes` the size of the packed copies (empty if it reads the
// weight unpacked), and `entry` is empty.
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
/// The smallest change of the model that would fuse the edge (or make the code attention, or pack the weight), or a
/// phrase that says why no change does. Empty for the reasons of decisions with Decision::isMade.
llvm::StringRef reasonChange(Reason reason);
/// The reason with the key `id`; null if there is none.
std::optional<Reason> parseReason(llvm::StringRef id);
/// All reasons, in the order of the enumeration.
llvm::ArrayRef<Reason> allReasons();

/// A recorded decision; the fields are those of the dictionary above.
struct Decision {
  bool isMade = false; ///< true for a fusion, for raised attention and for a packed weight
  Reason reason = Reason::NotPointwise;
  std::string what, into, bytes, entry; ///< as above; empty if absent
  bool pairs = false;
  std::vector<std::string> places; ///< of an edge between kernels: the source locations of the producer; else empty
  bool operator==(const Decision &) const = default;
};

/// Appends a decision to the module's list, unless the list has an equal one.
void recordDecision(mlir::ModuleOp module, const Decision &decision);
/// Returns the module's decisions in the order in which they were recorded, without elements that have no known reason.
std::vector<Decision> recordedDecisions(mlir::ModuleOp module);
/// Applies `change` to each recorded decision; decisions that become equal are merged.
void changeDecisions(mlir::ModuleOp module, llvm::function_ref<void(Decision &)> change);
/// Removes all decisions from the module.
void dropDecisions(mlir::ModuleOp module);
/// Removes each EpilogueFused and RowsFused decision whose `what` and `into` are both in `places`, the source locations
/// of a kernel. A pass calls this function when it splits that kernel into separate kernels again.
void forgetFusions(mlir::ModuleOp module, llvm::ArrayRef<std::string> places);

} // namespace attnc
