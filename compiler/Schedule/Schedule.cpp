#include "compiler/Schedule/Schedule.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Interface/PanelPacking.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "compiler/Codegen/Schedule/ScheduleKeys.h"
#include "compiler/Diagnostics/Spelling.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace mlir;

namespace attnc {

static llvm::Error error(std::string message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static StringRef articleOf(StringRef noun) { return StringRef("aeiou").contains(noun.front()) ? "an" : "a"; }

//===-------------------------------------------- keys --------------------------------------------------------===//

/// "a number from 1 to 14", "a multiple of 16 from 16 to 1024", "prefill or decode".
static std::string rangeText(const ScheduleKey &key, int64_t unit, StringRef suffix) {
  if (key.isText)
    return "text as `attnc explain --all` shows it";
  if (!key.words.empty())
    return llvm::join(key.words, " or ");
  if (unit == 1)
    return fmt::format("a number from {} to {}{}", key.least, key.most, suffix.str());
  return fmt::format("a multiple of {0} from {1} to {2}{3}", unit, key.least * unit, key.most * unit, suffix.str());
}

std::string scheduleKeysText() {
  std::string text;
  for (const ScheduleKey &key : scheduleKeyTable) {
    std::string range = key.inVectors ? fmt::format("{} to {} vectors of the target", key.least, key.most)
                                      : rangeText(key, key.step, "");
    text += fmt::format("\n  {:<15} {:<14} {}: {}", kernelKindName(key.kind).str(), key.name, key.meaning, range);
  }
  return text;
}

std::vector<std::string> scheduleKeys(KernelKind kind) {
  std::vector<std::string> names;
  for (const ScheduleKey &key : scheduleKeyTable)
    if (key.kind == kind)
      names.emplace_back(key.name);
  return names;
}

std::vector<std::string> keysWithNeighbours() {
  std::vector<std::string> names;
  for (const ScheduleKey &key : scheduleKeyTable)
    if (!key.isText && !llvm::is_contained(names, key.name))
      names.emplace_back(key.name);
  return names;
}

std::vector<std::string> neighbours(KernelKind kind, StringRef name, StringRef value, const Target &target) {
  std::vector<std::string> found;
  const ScheduleKey *key = findScheduleKey(kind, name);
  int64_t number = 0;
  if (!key)
    return found;
  for (StringRef word : key->words)
    if (word != value)
      found.push_back(word.str());
  if (!key->words.empty() || value.getAsInteger(10, number))
    return found;
  int64_t unit = key->unit(target.f32Lanes);
  for (int64_t near : {number / 2 / unit * unit, number - unit, number + unit, number * 2 / unit * unit})
    if (near != number && near >= key->least * unit && near <= key->most * unit &&
        !llvm::is_contained(found, std::to_string(near)))
      found.push_back(std::to_string(near));
  return found;
}

llvm::Expected<func::FuncOp> findKernel(ModuleOp module, StringRef name) {
  std::vector<std::string> names;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isKernel(function))
      continue;
    if (function.getName() == name)
      return function;
    names.push_back(function.getName().str());
  }
  return error(fmt::format("kernel `{}` does not exist{}", name.str(), didYouMean(name, names)));
}

static llvm::Expected<Attribute> parseValue(const Override &setting, KernelKind kind, const Target &target,
                                            Builder &builder) {
  const ScheduleKey *key = findScheduleKey(kind, setting.key);
  if (!key) {
    std::vector<std::string> names = scheduleKeys(kind);
    StringRef kindName = kernelKindName(kind);
    return error(fmt::format("{} {} kernel has no `{}` in its schedule; it has {}{}", articleOf(kindName).str(),
                             kindName.str(), setting.key, llvm::join(names, ", "),
                             didYouMean(setting.key, names)));
  }
  if (key->isText || llvm::is_contained(key->words, setting.value))
    return builder.getStringAttr(setting.value);
  int64_t number = 0;
  bool isNumber = key->words.empty() && !StringRef(setting.value).getAsInteger(10, number);
  if (isNumber && key->accepts(number, target.f32Lanes))
    return builder.getI64IntegerAttr(number);
  std::vector<std::string> words;
  for (StringRef word : key->words)
    words.push_back(word.str());
  return error(fmt::format("`{}` is {}, not `{}`{}", setting.key,
                           rangeText(*key, key->unit(target.f32Lanes), key->inVectors ? " on this target" : ""),
                           setting.value, didYouMean(setting.value, words)));
}

/// The pack kernel whose result is passed for an argument in the entry points; null if there is none.
static func::FuncOp findPacker(ModuleOp module, func::FuncOp kernel, unsigned argument) {
  func::FuncOp packer;
  module.walk([&](func::CallOp call) {
    auto maker =
        call.getCallee() == kernel.getName() ? call.getOperand(argument).getDefiningOp<func::CallOp>() : func::CallOp();
    auto producer = maker ? module.lookupSymbol<func::FuncOp>(maker.getCallee()) : func::FuncOp();
    if (producer && kernelKindOf(producer) == KernelKind::Pack)
      packer = producer;
  });
  return packer;
}

/// Sets the panel width of packed operands to `nr`, which must divide the number of columns that a pack kernel packs.
static llvm::Error setPanelWidth(ModuleOp module, func::FuncOp kernel, int64_t nr) {
  for (unsigned argument = 0; argument < kernel.getNumArguments(); ++argument)
    if (auto packing = PanelPacking::fromAttribute(kernel.getArgAttr(argument, packedAttrName))) {
      packing->nr = nr;
      func::FuncOp packer = findPacker(module, kernel, argument);
      int64_t columns =
          packer ? PanelSource(cast<RankedTensorType>(packer.getArgumentTypes()[0]), *packing).columns : nr;
      if (columns % nr != 0)
        return error(fmt::format("`nr` = {} is not a divisor of the {} columns that {} packs", nr, columns,
                                 packer.getName().str()));
      kernel.setArgAttr(argument, packedAttrName, packing->attribute(kernel.getContext()));
      if (packer)
        packer->setAttr(packedAttrName, packing->attribute(kernel.getContext()));
    }
  return llvm::Error::success();
}

llvm::Error applySchedule(ModuleOp module, ArrayRef<Override> settings, const Target &target) {
  Builder builder(module.getContext());
  std::vector<std::pair<func::FuncOp, NamedAttribute>> changes;
  for (const Override &setting : settings) {
    auto kernel = findKernel(module, setting.what);
    if (!kernel)
      return error(withOrigin(setting.origin, llvm::toString(kernel.takeError())));
    auto value = parseValue(setting, *kernelKindOf(*kernel), target, builder);
    if (!value)
      return error(withOrigin(setting.origin, llvm::toString(value.takeError())));
    changes.push_back({*kernel, builder.getNamedAttr(setting.key, *value)});
  }
  for (auto &[kernel, change] : changes) {
    NamedAttrList schedule(kernel->getAttrOfType<DictionaryAttr>(scheduleAttrName));
    schedule.set(change.getName(), change.getValue());
    kernel->setAttr(scheduleAttrName, schedule.getDictionary(module.getContext()));
    if (change.getName() == "nr")
      if (llvm::Error failed = setPanelWidth(module, kernel, cast<IntegerAttr>(change.getValue()).getInt()))
        return failed;
  }
  return llvm::Error::success();
}

std::vector<std::string> settingsNotHonoured(ModuleOp module, ArrayRef<Override> settings) {
  std::vector<std::string> texts;
  for (auto [number, setting] : llvm::enumerate(settings)) {
    bool isOverruled = llvm::any_of(settings.drop_front(number + 1), [&, &setting = setting](const Override &later) {
      return later.what == setting.what && later.key == setting.key;
    });
    auto kernel = module.lookupSymbol<func::FuncOp>(setting.what);
    assert(kernel && "settings are of the module's kernels");
    std::string chosen = chosenText(kernel, setting.key).value_or("");
    if (isOverruled || chosen == setting.value)
      continue;
    std::string reason = declinedReason(kernel, setting.key).str();
    texts.push_back(
        withOrigin(setting.origin,
                   fmt::format("{} was not honoured: the kernel {}{}", textOf(setting),
                               chosen.empty() ? "does not use it" : fmt::format("has {} = {}", setting.key, chosen),
                               reason.empty() ? "" : ": " + reason)));
  }
  return texts;
}

} // namespace attnc
