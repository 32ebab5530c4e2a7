#include "tools/attnc/Train/History.h"
#include <fmt/format.h>
#include <sstream>

using namespace llvm;

namespace attnc {

static std::string lineOf(const HistoryPoint &point) {
  return fmt::format("{},{:.6g},{}\n", point.step, point.loss,
                     point.validation ? fmt::format("{:.6g}", *point.validation) : "");
}

static std::optional<HistoryPoint> pointIn(const std::string &line) {
  std::istringstream fields(line);
  HistoryPoint point;
  char comma;
  double validation;
  if (!(fields >> point.step >> comma >> point.loss))
    return std::nullopt;
  if (fields >> comma >> validation)
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
  all.push_back(pointIn(line).value_or(point));
  log.add(line);
}

} // namespace attnc
