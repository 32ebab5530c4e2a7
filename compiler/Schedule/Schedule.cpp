#include "compiler/Schedule/Schedule.h"
#include "compiler/Codegen/Kernel.h"
#include "compiler/Diagnostics/Spelling.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace mlir;

namespace attnc {

//===-------------------------------------------- text --------------------------------------------------------===//

static llvm::Error error(std::string message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Expected<ScheduleSetting> parseScheduleSetting(StringRef text) {
  auto [name, value] = text.split('=');
  auto [kernel, key] = name.trim().rsplit('.');
  ScheduleSetting setting{kernel.trim().str(), key.trim().str(), value.trim().str()};
  if (setting.kernel.empty() || setting.key.empty() || setting.value.empty())
    return error(fmt::format("`{}` is not a schedule setting, expected kernel.key=value", text.trim().str()));
  return setting;
}

llvm::Expected<std::vector<ScheduleSetting>> parseScheduleFile(StringRef path, StringRef text) {
  std::vector<ScheduleSetting> settings;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto [number, line] : llvm::enumerate(lines)) {
    StringRef content = line.split('#').first.trim();
    if (content.empty())
      continue;
    auto setting = parseScheduleSetting(content);
    if (!setting)
      return error(fmt::format("{}:{}: {}", path.str(), number + 1, llvm::toString(setting.takeError())));
    settings.push_back(std::move(*setting));
  }
  return settings;
}

//===-------------------------------------------- keys --------------------------------------------------------===//

namespace {
struct Key {
  KernelKind kind;
  llvm::StringLiteral name;
  std::vector<std::string> words; ///< the values it can have; empty: a positive number
};
} // namespace

static const std::vector<Key> &keys() {
  static const std::vector<Key> all = {
      {KernelKind::Attend, "tile_q", {}},
      {KernelKind::Attend, "tile_kv", {}},
      {KernelKind::Attend, "form", {"prefill", "decode"}},
      {KernelKind::Attend, "split_kv", {}},
      {KernelKind::Gemm, "mr", {}},
      {KernelKind::Gemm, "nr", {}},
      {KernelKind::Gemm, "kc", {}},
      {KernelKind::Gemm, "mc", {}},
      {KernelKind::Rows, "rows_per_chunk", {}},
      {KernelKind::Loops, "chunk", {}},
  };
  return all;
}

static std::vector<std::string> keysOf(KernelKind kind) {
  std::vector<std::string> names;
  for (const Key &key : keys())
    if (key.kind == kind)
      names.push_back(key.name.str());
  return names;
}

static std::string hint(StringRef word, const std::vector<std::string> &candidates) {
  auto near = nearest(word.str(), candidates);
  return near ? fmt::format("; did you mean `{}`?", *near) : std::string();
}

static llvm::Expected<func::FuncOp> findKernel(ModuleOp module, const ScheduleSetting &setting) {
  std::vector<std::string> names;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isKernel(function))
      continue;
    if (function.getName() == setting.kernel)
      return function;
    names.push_back(function.getName().str());
  }
  return error(fmt::format("kernel `{}` does not exist{}", setting.kernel, hint(setting.kernel, names)));
}

static llvm::Expected<Attribute> valueOf(const ScheduleSetting &setting, KernelKind kind, Builder &builder) {
  auto key = llvm::find_if(keys(), [&](const Key &each) { return each.kind == kind && each.name == setting.key; });
  if (key == keys().end()) {
    std::vector<std::string> names = keysOf(kind);
    std::string article = kind == KernelKind::Attend ? "an" : "a";
    return error(fmt::format("{} {} kernel has no `{}` in its schedule; it has {}{}", article,
                             kernelKindName(kind).str(), setting.key, llvm::join(names, ", "),
                             hint(setting.key, names)));
  }
  if (!key->words.empty()) {
    if (llvm::is_contained(key->words, setting.value))
      return builder.getStringAttr(setting.value);
    return error(fmt::format("`{}` is {}, not `{}`{}", setting.key, llvm::join(key->words, " or "), setting.value,
                             hint(setting.value, key->words)));
  }
  int64_t number = 0;
  if (StringRef(setting.value).getAsInteger(10, number) || number <= 0)
    return error(fmt::format("`{}` is a positive number, not `{}`", setting.key, setting.value));
  return builder.getI64IntegerAttr(number);
}

llvm::Error applySchedule(ModuleOp module, ArrayRef<ScheduleSetting> settings) {
  Builder builder(module.getContext());
  std::vector<std::pair<func::FuncOp, NamedAttribute>> changes;
  for (const ScheduleSetting &setting : settings) {
    auto kernel = findKernel(module, setting);
    if (!kernel)
      return kernel.takeError();
    auto value = valueOf(setting, *kernelKindOf(*kernel), builder);
    if (!value)
      return value.takeError();
    changes.push_back({*kernel, builder.getNamedAttr(setting.key, *value)});
  }
  for (auto &[kernel, change] : changes) {
    NamedAttrList schedule(kernel->getAttrOfType<DictionaryAttr>(scheduleAttrName));
    schedule.set(change.getName(), change.getValue());
    kernel->setAttr(scheduleAttrName, schedule.getDictionary(module.getContext()));
  }
  return llvm::Error::success();
}

} // namespace attnc
