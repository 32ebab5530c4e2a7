#include "tools/attnc/Train/History.h"
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

std::string HistoryPoint::line() const {
  return fmt::format("{},{:.6g},{}", step, loss, validation ? fmt::format("{:.6g}", *validation) : "");
}

/// Parses `nan` and `inf`, which streams do not.
std::optional<HistoryPoint> HistoryPoint::parse(StringRef line) {
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

} // namespace attnc
