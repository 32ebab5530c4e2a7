#include "compiler/Schedule/Schedule.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Interface/PanelPacking.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"
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

namespace {

/// A schedule key of a kind of kernel. A number is `least` to `most` times unit(): steps of ones or of vectors.
struct Key {
  KernelKind kind;
  llvm::StringLiteral name, meaning;
  int64_t least, most, step = 1;
  bool inVectors = false;
  std::vector<std::string> words = {}; ///< the values, if they are not numbers
  bool isText = false;                 ///< any text; the emitter validates it

  int64_t unit(const Target &target) const { return step * (inVectors ? target.f32Lanes : 1); }
};

} // namespace

/// All schedule keys of all kinds of kernels.
static const std::vector<Key> &keys() {
  static const std::vector<Key> all = {
      {KernelKind::Attend,
       "form",
       "many queries at once, or few against many keys",
       0,
       0,
       1,
       false,
       {"prefill", "decode"}},
      {KernelKind::Attend, "tile_q", "prefill: queries of a register tile", 1, 4, 1, true},
      {KernelKind::Attend, "tail_q", "prefill: queries of the tile for those left by whole tiles; 0: such a one too", 0,
       3, 1, true},
      {KernelKind::Attend, "tile_kv", "prefill: keys of a block", 1, 64, 16},
      {KernelKind::Attend, "decode_rows", "prefill: most queries that take the decode form, if their number is dynamic",
       0, 64},
      {KernelKind::Attend, "split_kv", "decode: keys of a chunk", 1, 65536, 16},
      {KernelKind::AttendGradient,
       "form",
       "products in tiles, or any formula pair by pair",
       0,
       0,
       1,
       false,
       {"tiles", "pairs"}},
      {KernelKind::AttendGradient, "tile_q", "tiles: queries of a block", 1, 128, 8},
      {KernelKind::AttendGradient, "tile_kv", "tiles: keys of a block, in whole panels", 1, 64, 16},
      {KernelKind::Gemm, "mr", "rows of a register tile", 1, 14},
      {KernelKind::Gemm, "nr", "columns of a register tile, and of a packed panel", 1, 4, 1, true},
      {KernelKind::Gemm, "kc", "steps of k between visits of the partial sums", 1, 1024, 4},
      {KernelKind::Gemm, "mc", "rows of a block, in whole tiles", 1, 4096},
      {KernelKind::Rows, "rows_per_chunk", "rows of a chunk", 1, 1 << 20},
      {KernelKind::Loops, "chunk", "points of a chunk, in whole vectors and rows", 1, 1 << 30},
      {KernelKind::Gemm, "halide", "Halide's schedule", 0, 0, 1, false, {}, true},
      {KernelKind::Loops, "halide", "Halide's schedule", 0, 0, 1, false, {}, true},
  };
  return all;
}

/// "a number from 1 to 14", "a multiple of 16 from 16 to 1024", "prefill or decode".
static std::string rangeText(const Key &key, int64_t unit, StringRef ofWhat) {
  if (key.isText)
    return "text as `attnc explain --all` shows it";
  if (!key.words.empty())
    return llvm::join(key.words, " or ");
  if (unit == 1)
    return fmt::format("a number from {} to {}{}", key.least, key.most, ofWhat.str());
  return fmt::format("a multiple of {0} from {1} to {2}{3}", unit, key.least * unit, key.most * unit, ofWhat.str());
}

std::string scheduleKeysText() {
  std::string text;
  for (const Key &key : keys()) {
    std::string range = key.inVectors ? fmt::format("{} to {} vectors of the target", key.least, key.most)
                                      : rangeText(key, key.step, "");
    text += fmt::format("\n  {:<15} {:<14} {}: {}", kernelKindName(key.kind).str(), key.name.str(), key.meaning.str(),
                        range);
  }
  return text;
}

std::vector<std::string> scheduleKeys(KernelKind kind) {
  std::vector<std::string> names;
  for (const Key &key : keys())
    if (key.kind == kind)
      names.push_back(key.name.str());
  return names;
}

std::vector<std::string> keysWithNeighbours() {
  std::vector<std::string> names;
  for (const Key &key : keys())
    if (!key.isText && !llvm::is_contained(names, key.name))
      names.push_back(key.name.str());
  return names;
}

std::vector<std::string> neighbours(KernelKind kind, StringRef name, StringRef value, const Target &target) {
  std::vector<std::string> found;
  auto key = llvm::find_if(keys(), [&](const Key &each) { return each.kind == kind && each.name == name; });
  int64_t number = 0;
  if (key == keys().end())
    return found;
  for (const std::string &word : key->words)
    if (word != value)
      found.push_back(word);
  if (!key->words.empty() || value.getAsInteger(10, number))
    return found;
  int64_t unit = key->unit(target);
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

static llvm::Expected<Attribute> valueOf(const Override &setting, KernelKind kind, const Target &target,
                                         Builder &builder) {
  auto key = llvm::find_if(keys(), [&](const Key &each) { return each.kind == kind && each.name == setting.key; });
  if (key == keys().end()) {
    std::vector<std::string> names = scheduleKeys(kind);
    StringRef kindName = kernelKindName(kind);
    return error(fmt::format("{} {} kernel has no `{}` in its schedule; it has {}{}", articleOf(kindName).str(),
                             kindName.str(), setting.key, llvm::join(names, ", "),
                             didYouMean(setting.key, names)));
  }
  if (key->isText || llvm::is_contained(key->words, setting.value))
    return builder.getStringAttr(setting.value);
  int64_t number = 0, unit = key->unit(target);
  bool isNumber = key->words.empty() && !StringRef(setting.value).getAsInteger(10, number);
  if (isNumber && number % unit == 0 && number >= key->least * unit && number <= key->most * unit)
    return builder.getI64IntegerAttr(number);
  return error(fmt::format("`{}` is {}, not `{}`{}", setting.key,
                           rangeText(*key, unit, key->inVectors ? " on this target" : ""), setting.value,
                           didYouMean(setting.value, key->words)));
}

/// The pack kernel whose result is passed for an argument in the entry points; null if there is none.
static func::FuncOp packerOf(ModuleOp module, func::FuncOp kernel, unsigned argument) {
  func::FuncOp packer;
  module.walk([&](func::CallOp call) {
    auto maker =
        call.getCallee() == kernel.getName() ? call.getOperand(argument).getDefiningOp<func::CallOp>() : func::CallOp();
    auto made = maker ? module.lookupSymbol<func::FuncOp>(maker.getCallee()) : func::FuncOp();
    if (made && kernelKindOf(made) == KernelKind::Pack)
      packer = made;
  });
  return packer;
}

/// Sets the panel width of packed operands to `nr`, which must divide the number of columns that a pack kernel packs.
static llvm::Error packInPanelsOf(ModuleOp module, func::FuncOp kernel, int64_t nr) {
  for (unsigned argument = 0; argument < kernel.getNumArguments(); ++argument)
    if (auto packing = PanelPacking::fromAttribute(kernel.getArgAttr(argument, packedAttrName))) {
      packing->nr = nr;
      func::FuncOp packer = packerOf(module, kernel, argument);
      int64_t columns =
          packer ? PanelSource(cast<RankedTensorType>(packer.getArgumentTypes()[0]), *packing).columns : nr;
      if (columns % nr != 0)
        return error(fmt::format("`nr` = {} is no divisor of the {} columns that {} packs", nr, columns,
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
    auto value = valueOf(setting, *kernelKindOf(*kernel), target, builder);
    if (!value)
      return error(withOrigin(setting.origin, llvm::toString(value.takeError())));
    changes.push_back({*kernel, builder.getNamedAttr(setting.key, *value)});
  }
  for (auto &[kernel, change] : changes) {
    NamedAttrList schedule(kernel->getAttrOfType<DictionaryAttr>(scheduleAttrName));
    schedule.set(change.getName(), change.getValue());
    kernel->setAttr(scheduleAttrName, schedule.getDictionary(module.getContext()));
    if (change.getName() == "nr")
      if (llvm::Error failed = packInPanelsOf(module, kernel, cast<IntegerAttr>(change.getValue()).getInt()))
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
    auto word = scheduledWord(kernel, setting.key);
    auto value = scheduled(kernel, setting.key);
    std::string chosen = word ? word->str() : value ? std::to_string(*value) : "";
    if (isOverruled || chosen == setting.value)
      continue;
    std::string why = whyDeclined(kernel, setting.key).str();
    texts.push_back(withOrigin(
        setting.origin,
        fmt::format("{} was not honoured: the kernel {}{}", textOf(setting),
                    chosen.empty() ? "makes no use of it" : fmt::format("has {} = {}", setting.key, chosen),
                    why.empty() ? "" : ": " + why)));
  }
  return texts;
}

} // namespace attnc
