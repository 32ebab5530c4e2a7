#include "tools/attnc/Train/StepEntries.h"
#include "tools/attnc/Call/EntryChoice.h"
#include "tools/attnc/Call/EntryResults.h"
#include "tools/attnc/Data/EntryInputs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <fmt/format.h>
#include <numeric>

using namespace llvm;

namespace attnc {

bool returnsNumbers(const attn_entry_info &entry) {
  return entry.result_count > 0 && all_of(resultsOf(entry), [](const attn_tensor_info &result) {
           return result.rank == 0 && result.dtype == ATTN_F32;
         });
}

/// Whether the history has a column of this name that is no metric, and no loss of one of several entry points.
static bool isOtherColumn(StringRef name) { return name == "loss" || name == "step" || name.starts_with("validation"); }

Error StepEntries::add(StringRef option) {
  auto [name, count] = option.split(':');
  int64_t calls = 1;
  constexpr int64_t mostCalls = 1000000;
  if (option.contains(':') && (count.getAsInteger(10, calls) || calls < 1 || calls > mostCalls))
    return createStringError(
        formatv("--entry {0}: '{1}' is not a number of calls from 1 to {2}", option, count, mostCalls));
  auto trains = [](const attn_entry_info &entry) { return entry.updates != 0; };
  Expected<int64_t> number =
      chooseEntry(*model, name, {"trains", "; write `export train = minimize(loss, with: ...)`", trains});
  if (!number)
    return number.takeError();
  if (any_of(entries, [&](const Each &each) { return each.number == *number; }))
    return createStringError(formatv("--entry names '{0}' twice; {0}:2 calls it twice in a step", name));
  entries.push_back({*number, calls});
  if (!returnsNumbers(entry(entries.back())))
    return createStringError(
        formatv("'{0}' does not return a loss and metrics, f32 numbers", entry(entries.back()).name));
  for (const attn_tensor_info &metric : resultsOf(entry(entries.back())).drop_front())
    if (isOtherColumn(metric.name))
      return createStringError(formatv("'{0}' returns the metric '{1}', but the history has another column of this "
                                       "name; rename the result",
                                       entry(entries.back()).name, metric.name));
  return Error::success();
}

/// The first input of `entry` that `wide` lacks, or has with another element type or rank; null if there is none.
static const char *missingInput(const attn_entry_info &wide, const attn_entry_info &entry) {
  ArrayRef known(wide.tensors, size_t(inputsBeforeKey(wide)));
  for (const attn_tensor_info &input : ArrayRef(entry.tensors, size_t(inputsBeforeKey(entry)))) {
    bool isKnown = any_of(known, [&](const attn_tensor_info &each) {
      return StringRef(each.name) == input.name && each.dtype == input.dtype && each.rank == input.rank;
    });
    if (!isKnown)
      return input.name;
  }
  return nullptr;
}

Error StepEntries::findWidest() {
  auto isWide = [&](const Each &wide) {
    return all_of(entries, [&](const Each &each) { return !missingInput(entry(wide), entry(each)); });
  };
  auto found = find_if(entries, isWide);
  widestPlace = found == entries.end() ? 0 : size_t(found - entries.begin());
  if (found != entries.end())
    return Error::success();
  for (const Each &each : entries)
    if (const char *input = missingInput(widest(), entry(each)))
      return createStringError(
          formatv("'{0}' has the input '{1}', which '{2}' lacks or has with another type or number of dimensions; one "
                  "of the entry points that "
                  "train in turn must have the inputs of all, need not use them, and `accumulate` must be the same",
                  entry(each).name, input, widest().name));
  return Error::success();
}

Expected<StepEntries> StepEntries::choose(const attn_model &model, ArrayRef<std::string> options) {
  StepEntries result(model);
  const std::string unnamed;
  for (const std::string &option : options.empty() ? ArrayRef(unnamed) : options)
    if (Error error = result.add(option))
      return std::move(error);
  if (Error error = result.findWidest())
    return std::move(error);
  for (const std::string &name : result.entries.size() > 1 ? result.names() : std::vector<std::string>())
    if (isOtherColumn(name))
      return createStringError(formatv("--entry names '{0}', but the history has another column of this name; rename "
                                       "the entry point",
                                       name));
  return result;
}

int64_t StepEntries::callsPerStep() const {
  return std::accumulate(entries.begin(), entries.end(), int64_t(0),
                         [](int64_t sum, const Each &each) { return sum + each.calls; });
}

std::vector<std::string> StepEntries::names() const {
  std::vector<std::string> all;
  for (const Each &each : entries)
    all.emplace_back(entry(each).name);
  return all;
}

std::vector<StepEntries::Measured> StepEntries::measured() const {
  std::vector<Measured> all;
  for (const Each &each : entries) {
    std::string name = entries.size() == 1 ? "" : entry(each).name;
    all.push_back({name.empty() ? "loss" : name, true});
    for (const attn_tensor_info &result : resultsOf(entry(each)).drop_front())
      all.push_back({name.empty() ? result.name : name + "." + result.name, false});
  }
  return all;
}

std::vector<std::string> StepEntries::measuredNames() const {
  std::vector<std::string> names;
  for (Measured &each : measured())
    names.push_back(std::move(each.name));
  return names;
}

std::string StepEntries::text() const {
  return join(map_range(entries,
                        [&](const Each &each) {
                          return each.calls == 1 ? entry(each).name
                                                 : fmt::format("{}:{}", entry(each).name, each.calls);
                        }),
              ",");
}

} // namespace attnc
