#include "tools/attnc/Train/History.h"
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

std::string HistoryPoint::headings(ArrayRef<std::string> lossNames) {
  return fmt::format("step,{},validation", fmt::join(lossNames, ","));
}

std::string HistoryPoint::line() const {
  return fmt::format("{},{:.6g},{}", step, fmt::join(losses, ","),
                     validation ? fmt::format("{:.6g}", *validation) : "");
}

/// Parses `nan` and `inf`, which streams do not.
std::optional<HistoryPoint> HistoryPoint::parse(StringRef line, StringRef headings) {
  SmallVector<StringRef> fields;
  line.split(fields, ',');
  HistoryPoint point;
  if (fields.size() != headings.count(',') + 1 || fields[0].getAsInteger(10, point.step))
    return std::nullopt;
  for (StringRef field : ArrayRef(fields).drop_front().drop_back())
    if (field.getAsDouble(point.losses.emplace_back()))
      return std::nullopt;
  double validation = 0;
  if (fields.back().empty())
    return point;
  if (fields.back().getAsDouble(validation))
    return std::nullopt;
  point.validation = validation;
  return point;
}

} // namespace attnc
