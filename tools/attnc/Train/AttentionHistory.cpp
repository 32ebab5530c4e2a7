#include "tools/attnc/Train/AttentionHistory.h"
#include "tools/attnc/Study/AttentionRows.h"
#include "llvm/ADT/StringRef.h"
#include <fmt/format.h>
#include <optional>
#include <sstream>

using namespace llvm;

namespace attnc {

/// The name stands last, in quotes, for it may hold commas.
static std::string lineOf(const AttentionPoint &point) {
  return fmt::format("{},{:.6g},{:.6g},{:.6g},\"{}\"\n", point.step, point.entropy, point.largest, point.saturated,
                     point.head);
}

static std::optional<AttentionPoint> pointIn(const std::string &line) {
  std::istringstream fields(line);
  AttentionPoint point;
  char comma;
  if (!(fields >> point.step >> comma >> point.entropy >> comma >> point.largest >> comma >> point.saturated >>
        comma) ||
      !std::getline(fields, point.head) || point.head.size() < 2 || point.head.back() != '"')
    return std::nullopt;
  point.head = StringRef(point.head).drop_front().drop_back().str();
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
    all.push_back(pointIn(line).value_or(point));
    log.add(line);
  }
}

} // namespace attnc
