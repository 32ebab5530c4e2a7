#include "tools/attnc/Tune/Search.h"
#include "compiler/Json/Json.h"
#include "compiler/Schedule/Schedule.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

std::string textOf(const Settings &settings) {
  std::string text;
  for (const auto &[key, value] : settings)
    text += (text.empty() ? "" : " ") + key + "=" + value;
  return text;
}

std::pair<Changes, Changes> halvesOf(const Changes &changes) {
  auto middle = std::next(changes.begin(), static_cast<std::ptrdiff_t>(changes.size() / 2));
  return {Changes(changes.begin(), middle), Changes(middle, changes.end())};
}

std::vector<std::string> searchedKeys() {
  std::vector<std::string> keys = keysWithNeighbours();
  keys.insert(keys.begin(), emitterKey);
  return keys;
}

std::vector<Settings> KernelSearch::open(const Settings &has, ArrayRef<std::string> emitters,
                                         const Target &target, ArrayRef<std::string> only) const {
  std::vector<Settings> open;
  auto consider = [&](const std::string &key, const std::string &value) {
    if (!only.empty() && !is_contained(only, key))
      return;
    Settings settings = best;
    settings[key] = value;
    if (!tried.contains(textOf(settings)))
      open.push_back(std::move(settings));
  };
  for (const auto &[key, value] : has)
    for (const std::string &near : neighbours(kind, key, value, target))
      consider(key, near);
  for (const std::string &emitter : emitters)
    if (auto own = has.find(emitterKey); own == has.end() || own->second != emitter)
      consider(emitterKey, emitter);
  return open;
}

std::string searchText(ArrayRef<KernelSearch> kernels) {
  json::Array all;
  for (const KernelSearch &each : kernels) {
    json::Object best;
    for (const auto &[key, value] : each.best)
      best[key] = value;
    json::Array tried;
    for (const std::string &text : each.tried)
      tried.push_back(text);
    all.push_back(json::Object{{"kernel", each.fingerprint}, {"best", std::move(best)}, {"tried", std::move(tried)}});
  }
  std::string text;
  raw_string_ostream(text) << json::Value(json::Object{{"kernels", std::move(all)}}) << '\n';
  return text;
}

Error resumeSearch(StringRef path, StringRef text, MutableArrayRef<KernelSearch> kernels) {
  auto wrong = [&] { return createStringError(path + ": it is not a search state of `attnc tune`"); };
  Expected<json::Value> value = parseJson(text);
  if (!value) {
    consumeError(value.takeError());
    return wrong();
  }
  const json::Object *object = value->getAsObject();
  const json::Array *all = object ? object->getArray("kernels") : nullptr;
  if (!all)
    return wrong();
  for (const json::Value &each : *all) {
    json::Path::Root root;
    const json::Object *fields = each.getAsObject();
    std::vector<std::string> tried;
    Settings best;
    auto fingerprint = fields ? fields->getString("kernel") : std::nullopt;
    if (!fingerprint || !fields->get("best") || !fields->get("tried") || !fromJSON(*fields->get("best"), best, root) ||
        !fromJSON(*fields->get("tried"), tried, root))
      return wrong();
    for (KernelSearch &kernel : kernels)
      if (kernel.fingerprint == *fingerprint) {
        kernel.best = best;
        kernel.tried.insert(tried.begin(), tried.end());
      }
  }
  return Error::success();
}

} // namespace attnc
