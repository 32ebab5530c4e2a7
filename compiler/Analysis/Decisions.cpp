#include "compiler/Analysis/Decisions.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace attnc {

namespace {
struct Entry {
  Reason reason;
  llvm::StringLiteral id, text;
  llvm::StringLiteral change = ""; ///< the smallest change that would fuse the edge
};
} // namespace

static constexpr Entry kReasons[] = {
    {Reason::AttentionRaised, "attention-raised",
     "it is attention, written as plain tensor code: the scores and the weights are computed block by block"},
    {Reason::ViewFolded, "view-folded", "its elements are read in place, by subscript"},
    {Reason::LayoutFolded, "layout-folded", "the result is written in the order the next op reads"},
    {Reason::SliceNarrowed, "slice-narrowed", "only the part that is used is computed"},
    {Reason::PointwiseFused, "pointwise-fused", "each element is computed where it is used"},
    {Reason::FormulaFolded, "formula-folded", "each element is computed inside the formula, once"},
    {Reason::EpilogueFused, "epilogue-fused",
     "it is applied to each tile of the contraction before the tile is stored"},
    {Reason::RowsFused, "rows-fused", "it is computed row by row with the reductions it belongs to"},
    {Reason::SumChanged, "sum-changed",
     "the exponentials are divided by something else than their sum, as a softmax divides them: it is no attention",
     "divide by the sum of the exponentials alone"},
    {Reason::SumOfOthers, "sum-of-others",
     "the exponentials are divided by a sum of others, or over other indices than the values are: it is no attention",
     "sum the exponentials over the indices that the values are summed over, and no others"},
    {Reason::NotNormalised, "not-normalised",
     "the exponentials are not divided by their sum, as a softmax divides them: it is no attention",
     "divide by the sum of the exponentials"},
    {Reason::WeightOfNothing, "weight-of-nothing",
     "a pair whose share is zero would still have a weight, and attention leaves such pairs out",
     "let what is added to the weights be zero for such pairs, or mask them in the score"},
    {Reason::ScoreChained, "score-chained",
     "the scores are sums of sums over pairs, which attention would compute again for each of them",
     "write each score as one sum over features"},
    {Reason::ScoreFolded, "score-folded",
     "the scores are a maximum, minimum or product over features, through which attention has no gradient",
     "write the score as a sum over features, or ask for no gradient"},
    {Reason::SeveralUses, "several-uses", "the value has several users, and would be computed for each",
     "leave one user: compute it anew for the others where that is cheap, or join the users"},
    {Reason::ContractionOperand, "contraction-operand",
     "a contraction reads each element of its operand once for every tile, so the operand is computed once and kept",
     "nothing in the model can, for a contraction takes operands that lie in memory"},
    {Reason::ContractionChain, "contraction-chain",
     "a contraction sums over whole rows of its operand, which another contraction computes in tiles",
     "write the two as one sum, or multiply the two fixed factors beforehand"},
    {Reason::AttendResultContracted, "attend-result-contracted",
     "a contraction sums over whole rows of its operand, which attention finishes head by head",
     "nothing in the model can, for attention has to finish all heads of a row first"},
    {Reason::AttendOperand, "attend-operand",
     "attention reads its queries, keys and values many times, so they are computed once and kept",
     "compute in the formula of the score or the value what is cheap enough for each pair"},
    {Reason::AttendNoEpilogue, "attend-no-epilogue", "an attention kernel has no epilogue",
     "write it into the formula of the value, where it is linear in the values"},
    {Reason::RecomputedPerKey, "recomputed-per-key",
     "inside the formula it would be computed again for every pair of a query and a key",
     "do less there: additions and products are computed for every pair"},
    {Reason::ScoresHeld, "scores-held",
     "the scores of all queries and keys are held in memory: written as `attend` they would not be",
     "write the scores, their softmax and the weighted sum as one `attend`"},
    {Reason::WeightsHeld, "weights-held",
     "attention yields its weights, one for each pair of a query and a key, to another computation",
     "ask for what is made of the weights instead, as a statistic that attention yields (top, entropy, key_sums)"},
    {Reason::RowAfterTile, "row-after-tile", "a reduction needs whole rows, which the contraction computes in tiles",
     "nothing in the model can, for rows are whole only when the contraction has ended"},
    {Reason::SecondContraction, "second-contraction",
     "a kernel holds one contraction; this operand of its epilogue comes from another",
     "concatenate the operands and the weights of the two contractions, so that they are one"},
    {Reason::EpilogueLayout, "epilogue-layout",
     "it reads or writes in an order that does not follow the contraction's rows and columns",
     "index it in the order of the contraction, rows first, then columns"},
    {Reason::EpilogueSubscript, "epilogue-subscript",
     "it uses subscripts, and an epilogue only has the elements of its tile",
     "subscript by plain indices of the contraction alone"},
    {Reason::DifferentRows, "different-rows", "the two run over different rows",
     "let both run over the same leading indices"},
    {Reason::RowScratch, "row-scratch", "the rows between them do not fit the scratch of a worker",
     "shorter rows, so that those between the two take at most 512 KiB"},
    {Reason::ReducedFirst, "reduced-first", "the value is complete only when the whole reduction is",
     "nothing in the model can, for all of it is needed before the first use"},
    {Reason::ReadByData, "read-by-data", "it is read at subscripts that come from data",
     "subscript by indices in place of data"},
    {Reason::OperandLayout, "operand-layout",
     "the contraction needs its operand in another order, so a copy is made in that order",
     "write the tensor in the order that the contraction reads it: its features last"},
    {Reason::SliceOperand, "slice-operand", "a slice that is not read by subscript is copied",
     "read the part by subscript: x[i + begin] in place of a slice"},
    {Reason::LoopCarried, "loop-carried", "the value passes from one turn of a loop to the next",
     "nothing in the model can, for the next turn reads it from memory"},
    {Reason::NotPointwise, "not-pointwise", "one of the two is neither pointwise nor computed row by row",
     "write one of the two as a formula of elements, or as work on rows"},
    {Reason::NotTakenWhole, "not-taken-whole",
     "no emitter takes these operations as one kernel, so each is a kernel of its own",
     "say it in several steps, each of one kind: work on rows, a sum, a formula of elements"},
    {Reason::PairByPair, "pair-by-pair",
     "the gradient is no matter of dot products and rows of values, so it is computed pair by pair, which takes "
     "several "
     "times as long",
     "write the score as a dot product of rows, or as an additive one: sum of v * tanh(q + k)"},
    {Reason::FormulaSize, "formula-size",
     "the fused formula would have more than 256 operations or read more than 64 tensors, which compiles slowly",
     "none is needed: storing and loading an element costs less than 256 operations on it"},
    {Reason::AsAsked, "as-asked", "the strategy says that the two stay apart", "take the override out of the strategy"},
    {Reason::WeightPacked, "weight-packed", "only contractions read the weight, so it is kept packed alone"},
    {Reason::WeightPackedBeside, "weight-packed-beside",
     "a contraction reads the weight packed, another kernel reads it plain: both copies are kept"},
    {Reason::WeightPlain, "weight-plain",
     "the contraction reads the weight as it lies: it has few rows, or a size that is not known",
     "give it a size that is known when the model is compiled, or more rows to multiply it with"},
};

static constexpr auto kAllReasons = [] {
  std::array<Reason, std::size(kReasons)> all{};
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = kReasons[i].reason;
  return all;
}();

llvm::ArrayRef<Reason> allReasons() { return kAllReasons; }
StringRef reasonId(Reason reason) { return kReasons[static_cast<size_t>(reason)].id; }
StringRef reasonText(Reason reason) { return kReasons[static_cast<size_t>(reason)].text; }
StringRef reasonChange(Reason reason) { return kReasons[static_cast<size_t>(reason)].change; }

std::optional<Reason> parseReason(StringRef id) {
  for (const Entry &entry : kReasons)
    if (entry.id == id)
      return entry.reason;
  return std::nullopt;
}

//===-------------------------------------------- recording ---------------------------------------------------===//

static constexpr llvm::StringLiteral kDecisions = "attn.decisions";

void recordDecision(ModuleOp module, const Decision &decision) {
  Builder builder(module.getContext());
  SmallVector<NamedAttribute> fields;
  auto add = [&](StringRef name, Attribute value) { fields.push_back(builder.getNamedAttr(name, value)); };
  add("made", builder.getBoolAttr(decision.made));
  add("reason", builder.getStringAttr(reasonId(decision.reason)));
  add("what", builder.getStringAttr(decision.what));
  add("into", builder.getStringAttr(decision.into));
  add("bytes", builder.getStringAttr(decision.bytes));
  add("entry", builder.getStringAttr(decision.entry));
  if (decision.pairs)
    add("pairs", builder.getUnitAttr());
  if (!decision.places.empty()) {
    SmallVector<StringRef> places(decision.places.begin(), decision.places.end());
    add("places", builder.getStrArrayAttr(places));
  }
  Attribute recorded = builder.getDictionaryAttr(fields);
  auto before = module->getAttrOfType<ArrayAttr>(kDecisions);
  if (before && llvm::is_contained(before, recorded))
    return;
  SmallVector<Attribute> all = before ? llvm::to_vector(before.getValue()) : SmallVector<Attribute>();
  all.push_back(recorded);
  module->setAttr(kDecisions, builder.getArrayAttr(all));
}

void dropDecisions(ModuleOp module) { module->removeAttr(kDecisions); }

std::vector<Decision> recordedDecisions(ModuleOp module) {
  std::vector<Decision> decisions;
  auto recorded = module->getAttrOfType<ArrayAttr>(kDecisions);
  if (!recorded)
    return decisions;
  for (auto fields : recorded.getAsRange<DictionaryAttr>()) {
    auto text = [&](StringRef name) {
      auto value = fields.getAs<StringAttr>(name);
      return value ? value.str() : std::string();
    };
    auto reason = parseReason(text("reason"));
    auto made = fields.getAs<BoolAttr>("made");
    if (!reason || !made)
      continue;
    Decision decision{made.getValue(),          *reason, text("what"), text("into"), text("bytes"), text("entry"),
                      fields.contains("pairs"), {}};
    if (auto places = fields.getAs<ArrayAttr>("places"))
      for (auto place : places.getAsRange<StringAttr>())
        decision.places.push_back(place.str());
    decisions.push_back(std::move(decision));
  }
  return decisions;
}

void changeDecisions(ModuleOp module, llvm::function_ref<void(Decision &)> change) {
  std::vector<Decision> decisions = recordedDecisions(module);
  module->removeAttr(kDecisions);
  for (Decision &decision : decisions) {
    change(decision);
    recordDecision(module, decision);
  }
}

void forgetFusions(ModuleOp module, llvm::ArrayRef<std::string> places) {
  std::vector<Decision> decisions = recordedDecisions(module);
  module->removeAttr(kDecisions);
  for (const Decision &decision : decisions) {
    bool joins = decision.reason == Reason::EpilogueFused || decision.reason == Reason::RowsFused;
    if (!joins || !llvm::is_contained(places, decision.what) || !llvm::is_contained(places, decision.into))
      recordDecision(module, decision);
  }
}

} // namespace attnc
