#include "compiler/Schedule/TuningDatabase.h"
#include "compiler/Json/InputBuffer.h"
#include "compiler/Json/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace attnc {

bool TuningEntry::isBetterThan(const TuningEntry &other) const {
  if (gain != other.gain)
    return gain > other.gain;
  return std::tie(seconds, overrides) < std::tie(other.seconds, other.overrides);
}

std::map<std::string, int64_t> sizeClass(llvm::ArrayRef<std::pair<std::string, int64_t>> sizes) {
  std::map<std::string, int64_t> rounded;
  for (const auto &[name, size] : sizes)
    rounded[name] = int64_t(llvm::PowerOf2Ceil(uint64_t(std::clamp<int64_t>(size, 1, int64_t(1) << 62))));
  return rounded;
}

//===-------------------------------------------- files -------------------------------------------------------===//

template <typename T> static bool readField(const llvm::json::Object &object, llvm::StringRef name, T &field) {
  llvm::json::Path::Root root;
  const llvm::json::Value *value = object.get(name);
  return value && fromJSON(*value, field, root);
}

static std::optional<TuningEntry> entryOf(const llvm::json::Value &value) {
  TuningEntry entry;
  const llvm::json::Object *object = value.getAsObject();
  bool isGood = object && readField(*object, "kernel", entry.kernel) && readField(*object, "kind", entry.kind) &&
                readField(*object, "target", entry.target) && readField(*object, "sizes", entry.sizes) &&
                readField(*object, "workers", entry.workers) && readField(*object, "overrides", entry.overrides) &&
                readField(*object, "gain", entry.gain) && readField(*object, "seconds", entry.seconds);
  auto isSize = [](int64_t size) { return size >= 1; };
  if (!isGood || entry.kernel.empty() || entry.overrides.empty() || !(entry.gain > 0) || !(entry.seconds >= 0) ||
      !std::isfinite(entry.gain) || !std::isfinite(entry.seconds) || !isSize(entry.workers) ||
      !all_of(llvm::make_second_range(entry.sizes), isSize))
    return std::nullopt;
  return entry;
}

llvm::Expected<TuningDatabase> TuningDatabase::parse(llvm::StringRef path, llvm::StringRef text) {
  auto wrong = [&](std::string what) { return llvm::createStringError(fmt::format("{}: {}", path.str(), what)); };
  llvm::Expected<llvm::json::Value> value = parseJson(text);
  if (!value)
    return wrong("it is not a tuning database: " + toString(value.takeError()));
  const llvm::json::Object *object = value->getAsObject();
  std::optional<int64_t> found = object ? object->getInteger("format") : std::nullopt;
  const llvm::json::Array *entries = object ? object->getArray("entries") : nullptr;
  if (!found || !entries)
    return wrong("it is not a tuning database: expected `format` and `entries`");
  if (*found != format)
    return wrong(
        fmt::format("its format is {}, expected {}: it was written by another version of attnc", *found, format));
  TuningDatabase database;
  for (auto [number, each] : llvm::enumerate(*entries)) {
    std::optional<TuningEntry> entry = entryOf(each);
    if (!entry)
      return wrong(fmt::format("entry {} is malformed: expected kernel, kind, target, sizes, workers, overrides, gain "
                               "and seconds",
                               number));
    database.add(std::move(*entry));
  }
  return database;
}

llvm::Expected<TuningDatabase> TuningDatabase::load(const std::string &path) {
  auto file = readInputFile(path);
  if (!file)
    return llvm::createStringError(fmt::format("can't read {}: {}", path, toString(file.takeError())));
  return parse(path, (*file)->getBuffer());
}

std::string TuningDatabase::text() const {
  std::string lines = fmt::format("{{\"format\": {}, \"entries\": [", format);
  llvm::raw_string_ostream stream(lines);
  for (auto [number, entry] : llvm::enumerate(all)) {
    llvm::json::Object object{{"kernel", entry.kernel}, {"kind", entry.kind},       {"target", entry.target},
                              {"gain", entry.gain},     {"workers", entry.workers}, {"seconds", entry.seconds}};
    object["sizes"] = llvm::json::Object();
    object["overrides"] = llvm::json::Object();
    for (const auto &[name, size] : entry.sizes)
      (*object.getObject("sizes"))[name] = size;
    for (const auto &[name, setting] : entry.overrides)
      (*object.getObject("overrides"))[name] = setting;
    stream << (number ? ",\n  " : "\n  ")
           << llvm::json::Value(std::move(object)); // one entry a line, for readable merges
  }
  stream << "\n]}\n";
  return lines;
}

//===-------------------------------------------- entries -----------------------------------------------------===//

void TuningDatabase::add(TuningEntry entry) {
  auto place = llvm::lower_bound(all, entry, [](const auto &a, const auto &b) { return a.key() < b.key(); });
  if (place == all.end() || place->key() != entry.key())
    all.insert(place, std::move(entry));
  else if (entry.isBetterThan(*place))
    *place = std::move(entry);
}

void TuningDatabase::add(const TuningDatabase &other) {
  for (const TuningEntry &entry : other.all)
    add(entry);
}

/// Distance between the sizes that the entry and `at` have in common: the sum of |log2 of the ratio|.
static double distance(const TuningEntry &entry, llvm::ArrayRef<std::pair<std::string, int64_t>> at) {
  double sum = 0;
  for (const auto &[name, size] : sizeClass(at))
    if (auto found = entry.sizes.find(name); found != entry.sizes.end())
      sum += std::fabs(std::log2(double(size)) - std::log2(double(found->second)));
  return sum;
}

const TuningEntry *TuningDatabase::find(llvm::StringRef kernel, llvm::StringRef target,
                                        llvm::ArrayRef<std::pair<std::string, int64_t>> at) const {
  const TuningEntry *best = nullptr;
  auto rank = [&](const TuningEntry &entry) { return std::tuple(distance(entry, at), -entry.seconds); };
  for (const TuningEntry &entry : all)
    if (entry.kernel == kernel && entry.target == target && (!best || rank(entry) < rank(*best)))
      best = &entry;
  return best;
}

} // namespace attnc
