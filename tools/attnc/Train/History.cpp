#include "tools/attnc/Train/History.h"
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

static std::string lineOf(const HistoryPoint &point) {
  return fmt::format("{},{:.6g},{}\n", point.step, point.loss,
                     point.validation ? fmt::format("{:.6g}", *point.validation) : "");
}

/// Numbers that are none, too: streams read no `nan`.
static std::optional<HistoryPoint> pointIn(StringRef line) {
  SmallVector<StringRef> fields;
  line.split(fields, ',');
  HistoryPoint point;
  double validation = 0;
  bool isPoint = fields.size() == 3 && !fields[0].getAsInteger(10, point.step) && !fields[1].getAsDouble(point.loss) &&
                 (fields[2].empty() || !fields[2].getAsDouble(validation));
  if (!isPoint)
    return std::nullopt;
  if (!fields[2].empty())
    point.validation = validation;
  return point;
}

Expected<History> History::open(const std::string &path, int64_t step) {
  History history;
  auto take = [&](const std::string &line) {
    auto point = pointIn(line);
    if (point)
      history.all.push_back(*point);
    return point.has_value();
  };
  auto log = StepLog::open(path, "step,loss,validation", step, take);
  if (!log)
    return log.takeError();
  history.log = std::move(*log);
  return history;
}

void History::add(HistoryPoint point) {
  std::string line = lineOf(point);
  all.push_back(pointIn(StringRef(line).rtrim()).value_or(point));
  log.add(line);
}

} // namespace attnc
