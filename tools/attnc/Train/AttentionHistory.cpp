#include "tools/attnc/Train/AttentionHistory.h"
#include "tools/attnc/Data/Concentration.h"
#include "llvm/ADT/StringRef.h"
#include <fmt/format.h>
#include <optional>

using namespace llvm;

namespace attnc {

/// The name stands last, in quotes, for it may hold commas.
static std::string lineOf(const AttentionPoint &point) {
  return fmt::format("{},{:.6g},{:.6g},{:.6g},\"{}\"\n", point.step, point.entropy, point.largest, point.saturated,
                     point.head);
}

/// Numbers that are none, too: streams read no `nan`.
static std::optional<AttentionPoint> pointIn(StringRef line) {
  SmallVector<StringRef> fields;
  line.split(fields, ',', 4);
  AttentionPoint point;
  if (fields.size() != 5 || fields[0].getAsInteger(10, point.step) || fields[1].getAsDouble(point.entropy) ||
      fields[2].getAsDouble(point.largest) || fields[3].getAsDouble(point.saturated) ||
      !fields[4].consume_front("\"") || !fields[4].consume_back("\""))
    return std::nullopt;
  point.head = fields[4].str();
  return point;
}

Expected<AttentionHistory> AttentionHistory::open(const std::string &path, int64_t step) {
  AttentionHistory history;
  auto take = [&](const std::string &line) {
    auto point = pointIn(line);
    if (point)
      history.all.push_back(*point);
    return point.has_value();
  };
  auto log = StepLog::open(path, "step,entropy,largest,saturated,head", step, take);
  if (!log)
    return log.takeError();
  history.log = std::move(*log);
  return history;
}

void AttentionHistory::add(int64_t step, const AttentionMaps &maps) {
  if (!all.empty() && all.back().step == step)
    return;
  for (const ShadeMap &map : maps.heads) {
    Concentration rows;
    for (int64_t row = 0; row < map.rows; ++row)
      rows.add(ArrayRef(map.values).slice(size_t(row * map.columns), size_t(map.columns)));
    AttentionPoint point{step, rows.meanEntropy(), rows.meanLargest(), rows.saturatedShare(), map.name};
    std::string line = lineOf(point);
    all.push_back(pointIn(StringRef(line).rtrim()).value_or(point));
    log.add(line);
  }
}

} // namespace attnc
