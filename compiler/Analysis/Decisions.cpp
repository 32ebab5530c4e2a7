#include "compiler/Analysis/Decisions.h"
#include "dialects/Attn/EnumTable.h"
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
     "this tensor code is attention: the scores and the attention weights are computed block by block"},
    {Reason::ViewFolded, "view-folded", "the consumer reads its elements in place, by subscript"},
    {Reason::LayoutFolded, "layout-folded", "the result is written in the order in which the next op reads it"},
    {Reason::SliceNarrowed, "slice-narrowed", "only the slice that is used is computed"},
    {Reason::PointwiseFused, "pointwise-fused", "each element is computed where it is used"},
    {Reason::FormulaFolded, "formula-folded", "each element is computed once, inside the formula that reads it"},
    {Reason::EpilogueFused, "epilogue-fused",
     "it is applied to each tile of the contraction before the tile is stored"},
    {Reason::RowsFused, "rows-fused", "it is computed row by row, together with the reductions over the same rows"},
    {Reason::SumChanged, "sum-changed",
     "the divisor of the exponentials is not their sum alone, as in a softmax, so the code is not attention",
     "divide by the sum of the exponentials alone"},
    {Reason::SumOfOthers, "sum-of-others",
     "the exponentials are divided by a sum of other terms or over other indices, so the code is not attention",
     "sum the same exponentials over the indices over which the values are summed"},
    {Reason::NotNormalised, "not-normalised",
     "the exponentials are not divided by their sum, as in a softmax, so the code is not attention",
     "divide by the sum of the exponentials"},
    {Reason::ZeroWeightContributes, "zero-weight-contributes",
     "a pair with attention weight 0 would still contribute to the result, but attention skips such pairs",
     "make the term that is added to the attention weights 0 for such pairs, or mask them in the score"},
    {Reason::ScoreChained, "score-chained",
     "the score sums over other sums, which attention would compute again for every pair",
     "write each score as one sum over features"},
    {Reason::ScoreFolded, "score-folded",
     "the score is a maximum, minimum or product over features, for which attention has no gradient",
     "write the score as a sum over features, or leave out the gradient"},
    {Reason::SeveralUses, "several-uses", "the value has several users, and each would compute it again",
     "reduce it to one user: merge the users, or recompute the value for the others if that is cheap"},
    {Reason::ContractionOperand, "contraction-operand",
     "a contraction reads each element of its operand once for every tile, so the operand is computed once and stored",
     "not possible, because a contraction reads its operands from memory"},
    {Reason::ContractionChain, "contraction-chain",
     "a contraction sums over whole rows of its operand, which another contraction computes in tiles",
     "write the two as one sum, or multiply their two constant factors in advance"},
    {Reason::AttendResultContracted, "attend-result-contracted",
     "a contraction sums over whole rows of its operand, which attention computes one head at a time",
     "not possible, because attention has to finish all heads of a row first"},
    {Reason::AttendOperand, "attend-operand",
     "attention reads its queries, keys and values many times, so they are computed once and stored",
     "move work that is cheap enough for every pair into the formula of the score or the value"},
    {Reason::AttendNoEpilogue, "attend-no-epilogue", "an attention kernel has no epilogue",
     "if it is linear in the values, write it in the formula of the value"},
    {Reason::RecomputedPerKey, "recomputed-per-key",
     "inside the formula it would be computed again for every query-key pair",
     "use only additions and products, which are computed for every pair"},
    {Reason::ScoresMaterialised, "scores-materialised",
     "the scores of all query-key pairs are one tensor; an `attend` computes them block by block",
     "write the scores, their softmax and the weighted sum as one `attend`"},
    {Reason::WeightsMaterialised, "weights-materialised",
     "another computation reads the attention weights, one for each query-key pair",
     "yield a statistic of the attention weights instead: top, entropy or key_sums"},
    {Reason::RowAfterTile, "row-after-tile", "a reduction needs whole rows, which the contraction computes in tiles",
     "not possible, because rows are complete only when the contraction has ended"},
    {Reason::SecondContraction, "second-contraction",
     "a kernel has one contraction; another contraction computes this operand of its epilogue",
     "concatenate the operands and the weights, so that one contraction computes both"},
    {Reason::EpilogueLayout, "epilogue-layout",
     "it reads or writes in an order that does not follow the contraction's rows and columns",
     "index it in the order of the contraction, rows first, then columns"},
    {Reason::EpilogueSubscript, "epilogue-subscript",
     "it subscripts the result, but an epilogue has only the elements of its tile",
     "subscript by the plain indices of the contraction only"},
    {Reason::DifferentRows, "different-rows", "the two iterate over different rows",
     "iterate over the same leading indices in both"},
    {Reason::RowScratch, "row-scratch", "the rows between the two do not fit in the scratch of a worker",
     "shorten the rows between the two to at most 512 KiB"},
    {Reason::ReducedFirst, "reduced-first", "the value is complete only when the reduction has ended",
     "not possible, because the first use needs the complete value"},
    {Reason::ReadByData, "read-by-data", "it is read at subscripts that come from data",
     "subscript by indices instead of data"},
    {Reason::OperandLayout, "operand-layout",
     "the contraction reads its operand in another order, so a kernel copies it in that order",
     "compute the tensor in the order in which the contraction reads it: features last"},
    {Reason::SliceOperand, "slice-operand", "a slice that is not read by subscript is copied",
     "read the elements by subscript: x[i + begin] instead of a slice"},
    {Reason::LoopCarried, "loop-carried", "one iteration of a loop passes the value to the next",
     "not possible, because the next iteration reads the value from memory"},
    {Reason::NotPointwise, "not-pointwise", "one of the two is neither pointwise nor computed row by row",
     "write one of the two as a formula of elements, or as a computation on rows"},
    {Reason::NotOneKernel, "not-one-kernel",
     "no emitter supports these operations as one kernel, so each becomes a separate kernel",
     "split it into computations of one kind each: on rows, a sum, or a formula of elements"},
    {Reason::PairByPair, "pair-by-pair",
     "the gradient does not consist of dot products and rows of values, so it is computed pair by pair, which takes "
     "several times as long",
     "write the score as a dot product of rows, or as an additive score: sum of v * tanh(q + k)"},
    {Reason::FormulaSize, "formula-size",
     "the fused formula would have more than 256 operations or read more than 64 tensors, which compiles slowly",
     "not necessary: storing and loading an element costs less than 256 operations on it"},
    {Reason::FusionRefused, "fusion-refused", "a strategy refuses this fusion",
     "remove the override from the strategy"},
    {Reason::WeightPacked, "weight-packed", "only contractions read the weight, so only its packed copy is stored"},
    {Reason::WeightPackedBeside, "weight-packed-beside",
     "a contraction reads the weight packed and another kernel reads it unpacked, so both copies are stored"},
    {Reason::WeightPlain, "weight-plain",
     "the contraction reads the weight unpacked: it has few rows, a size is unknown at compile time, or a training "
     "step updates the weight",
     "use a weight with constant sizes, multiply it with more rows, or compile entry points for inference alone"},
};

static_assert(isIndexedByEnum(kReasons, &Entry::reason));

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
  add("made", builder.getBoolAttr(decision.isMade));
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
