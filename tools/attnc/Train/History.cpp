#include "tools/attnc/Train/History.h"
#include <cmath>
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

std::string HistoryPoint::headings(ArrayRef<std::string> training, ArrayRef<std::string> validation) {
  return fmt::format("step,{},{}", fmt::join(training, ","), fmt::join(validation, ","));
}

std::string HistoryPoint::line() const {
  std::string text = fmt::format("{}", step);
  for (double each : training)
    text += std::isnan(each) ? ",nan" : fmt::format(",{:.6g}", each); // without the sign
  for (double each : validation)
    text += std::isnan(each) ? "," : fmt::format(",{:.6g}", each);
  return text;
}

/// Parses `nan` and `inf`, which streams do not.
std::optional<HistoryPoint> HistoryPoint::parse(StringRef line, StringRef headings) {
  SmallVector<StringRef> fields, names;
  line.split(fields, ',');
  headings.split(names, ',');
  auto firstValidation = size_t(find(names, "validation") - names.begin());
  HistoryPoint point;
  if (fields.size() != names.size() || fields[0].getAsInteger(10, point.step))
    return std::nullopt;
  for (StringRef field : ArrayRef(fields).slice(1, firstValidation - 1))
    if (field.getAsDouble(point.training.emplace_back()))
      return std::nullopt;
  for (StringRef field : ArrayRef(fields).drop_front(firstValidation))
    if (double &number = point.validation.emplace_back(NAN); !field.empty() && field.getAsDouble(number))
      return std::nullopt;
  return point;
}

} // namespace attnc
