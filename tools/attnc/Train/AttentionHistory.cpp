#include "tools/attnc/Train/AttentionHistory.h"
#include "tools/attnc/Data/Concentration.h"
#include "llvm/ADT/StringRef.h"
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

std::string AttentionPoint::line() const {
  return fmt::format("{},{:.6g},{:.6g},{:.6g},\"{}\"", step, entropy, largest, saturated, head);
}

/// Parses `nan` and `inf`, which streams do not.
std::optional<AttentionPoint> AttentionPoint::parse(StringRef line, StringRef) {
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

void addMaps(AttentionHistory &history, int64_t step, const AttentionMaps &maps) {
  if (!history.points().empty() && history.points().back().step == step)
    return;
  for (const ShadeMap &map : maps.heads) {
    Concentration rows;
    for (int64_t row = 0; row < map.rows; ++row)
      rows.add(ArrayRef(map.values).slice(size_t(row * map.columns), size_t(map.columns)));
    history.add({step, rows.meanEntropy(), rows.meanLargest(), rows.saturatedShare(), map.name});
  }
}

} // namespace attnc
