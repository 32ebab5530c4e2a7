#include "compiler/Analysis/RefusedFusions.h"
#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/SourceLocations.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace attnc {

static constexpr llvm::StringLiteral kRefused = "attn.refused", kNumbered = "attn.numbered";

/// The fusions that an empty key refuses.
static constexpr Reason computations[] = {Reason::AttentionRaised, Reason::PointwiseFused, Reason::FormulaFolded,
                                          Reason::EpilogueFused, Reason::RowsFused};
static constexpr Reason views[] = {Reason::ViewFolded, Reason::LayoutFolded, Reason::SliceNarrowed};

std::vector<std::string> refusableFusions() {
  std::vector<std::string> words = {attentionFused.str()};
  for (Reason reason : computations)
    words.push_back(reasonId(reason).str());
  for (Reason reason : views)
    words.push_back(reasonId(reason).str());
  return words;
}

static bool isComputation(StringRef fusion) {
  return llvm::none_of(views, [&](Reason reason) { return reasonId(reason) == fusion; });
}

//===-------------------------------------------- the attribute -----------------------------------------------===//

void refuseFusions(ModuleOp module, ArrayRef<FusionRefusal> refusals) {
  Builder builder(module.getContext());
  SmallVector<Attribute> all;
  for (const FusionRefusal &refusal : refusals) {
    NamedAttrList fields;
    fields.set("fusion", builder.getStringAttr(refusal.fusion));
    if (!refusal.place.empty())
      fields.set("place", builder.getStringAttr(refusal.place));
    if (!refusal.kernel.empty()) {
      fields.set("kernel", builder.getStringAttr(refusal.kernel));
      fields.set("ops", builder.getDenseI64ArrayAttr(refusal.ops));
    }
    if (!refusal.origin.empty())
      fields.set("origin", builder.getStringAttr(refusal.origin));
    if (refusal.isHonoured)
      fields.set("honoured", builder.getUnitAttr());
    all.push_back(fields.getDictionary(module.getContext()));
  }
  if (!all.empty())
    module->setAttr(kRefused, builder.getArrayAttr(all));
}

std::vector<FusionRefusal> refusedFusions(ModuleOp module) {
  std::vector<FusionRefusal> refusals;
  if (auto all = module->getAttrOfType<ArrayAttr>(kRefused))
    for (auto fields : all.getAsRange<DictionaryAttr>()) {
      auto text = [&](StringRef name) {
        auto value = fields.getAs<StringAttr>(name);
        return value ? value.str() : std::string();
      };
      FusionRefusal refusal{text("fusion"), text("place"), text("kernel"), {}, fields.contains("honoured"),
                            text("origin")};
      if (auto ops = fields.getAs<DenseI64ArrayAttr>("ops"))
        refusal.ops = ops.asArrayRef().vec();
      refusals.push_back(std::move(refusal));
    }
  return refusals;
}

//===-------------------------------------------- asking ------------------------------------------------------===//

static bool isAt(Operation *op, StringRef place) {
  return llvm::any_of(placesOf(op->getLoc()),
                      [&](const std::string &each) { return llvm::sys::path::filename(each) == place; });
}

static bool isPartOf(Operation *op, ArrayRef<int64_t> ops) {
  std::vector<int64_t> numbers = opNumbers(op->getLoc());
  return !numbers.empty() && llvm::all_of(numbers, [&](int64_t number) { return llvm::is_contained(ops, number); });
}

/// True if a refusal applies to the two ops, for any fusion.
static bool isAbout(const FusionRefusal &refusal, Operation *what, Operation *into) {
  if (!refusal.place.empty())
    return isAt(what, refusal.place) || isAt(into, refusal.place);
  return refusal.kernel.empty() || (isPartOf(what, refusal.ops) && isPartOf(into, refusal.ops));
}

bool isRefused(StringRef fusion, Operation *what, Operation *into) {
  auto module = what->getParentOfType<ModuleOp>();
  if (!module->hasAttr(kRefused))
    return false;
  std::vector<FusionRefusal> refusals = refusedFusions(module);
  bool isAny = false, isNew = false;
  for (FusionRefusal &refusal : refusals) {
    bool isOfFusion = refusal.fusion.empty() ? isComputation(fusion) : refusal.fusion == fusion;
    if (!isOfFusion || !isAbout(refusal, what, into))
      continue;
    isAny = true;
    isNew |= !std::exchange(refusal.isHonoured, true);
  }
  if (isNew)
    refuseFusions(module, refusals);
  return isAny;
}

bool isFusionPrevented(Operation *what, Operation *into) {
  return llvm::any_of(refusedFusions(what->getParentOfType<ModuleOp>()),
                      [&](const FusionRefusal &refusal) { return refusal.isHonoured && isAbout(refusal, what, into); });
}

//===-------------------------------------------- numbers -----------------------------------------------------===//

/// The number of a location itself, without the locations fused into it.
static IntegerAttr numberOf(Location location) {
  auto fused = dyn_cast<FusedLoc>(location);
  return fused ? dyn_cast_or_null<IntegerAttr>(fused.getMetadata()) : IntegerAttr();
}

void numberOps(ModuleOp module) {
  Builder builder(module.getContext());
  module->setAttr(kNumbered, builder.getUnitAttr());
  int64_t next = 0;
  for (func::FuncOp function : hostFunctions(module))
    function.walk([&](Operation *op) {
      if (op != function)
        op->setLoc(FusedLoc::get({op->getLoc()}, builder.getI64IntegerAttr(next++), module.getContext()));
    });
}

static void collectNumbers(Location location, std::vector<int64_t> &numbers) {
  if (IntegerAttr number = numberOf(location))
    numbers.push_back(number.getInt());
  else if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location each : fused.getLocations())
      collectNumbers(each, numbers);
  else if (auto name = dyn_cast<NameLoc>(location))
    collectNumbers(name.getChildLoc(), numbers);
}

std::vector<int64_t> opNumbers(Location location) {
  std::vector<int64_t> numbers;
  collectNumbers(location, numbers);
  llvm::sort(numbers);
  numbers.erase(llvm::unique(numbers), numbers.end());
  return numbers;
}

void forgetRefusals(ModuleOp module) {
  module->removeAttr(kRefused);
  if (!module->removeAttr(kNumbered))
    return;
  AttrTypeReplacer replacer;
  replacer.addReplacement([](FusedLoc fused) -> std::optional<Attribute> {
    return numberOf(fused) ? std::optional<Attribute>(fused.getLocations().front()) : std::nullopt;
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/false, /*replaceLocs=*/true, /*replaceTypes=*/false);
}

} // namespace attnc
