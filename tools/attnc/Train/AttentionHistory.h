//===- AttentionHistory.h - concentration of attention during training --------------------------------------------===//
//
// An AttentionPoint is about one head of the attention maps (AttentionMaps.h) after some steps. It has the mean entropy
// of the head's rows, their mean largest attention weight, and the share of saturated rows (Data/Concentration.h). All
// points of a training are about the same sample. The points are lines "step,entropy,largest,saturated,head" of
// `attention.csv` (RunFolder.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Train/AttentionMaps.h"
#include "tools/attnc/Train/PointLog.h"

namespace attnc {

struct AttentionPoint {
  static constexpr const char *headings = "step,entropy,largest,saturated,head";

  int64_t step = 0;                               ///< number of completed steps
  double entropy = 0, largest = 0, saturated = 0; ///< in nats; a weight; a share from 0 to 1
  std::string head;                               ///< name of the map: "weights[3, 0]"

  /// The line of the point, without a line break, with six significant digits of each number. The head is last and in
  /// quotes, because its name may contain commas.
  std::string line() const;
  /// The point of a line; null for a line of another form. Ignores `headings`, which are always the same.
  static std::optional<AttentionPoint> parse(llvm::StringRef line, llvm::StringRef headings);
};

using AttentionHistory = PointLog<AttentionPoint>;

/// Adds a point for each head of `maps`, computed after `step` steps, unless the last point of the history is of the
/// same step.
void addMaps(AttentionHistory &history, int64_t step, const AttentionMaps &maps);

} // namespace attnc
