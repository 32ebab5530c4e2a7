//===- AttentionHistory.h - concentration of attention during training --------------------------------------------===//
//
// A point has, for one head in the report and one sample, the mean entropy of the head's rows, their mean largest
// attention weight, and the share of saturated rows (tools/attnc/Data/Concentration.h). The points are lines
// "step,entropy,largest,saturated,head" of a text file.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Train/AttentionMaps.h"
#include "tools/attnc/Train/PointLog.h"

namespace attnc {

struct AttentionPoint {
  static constexpr char headings[] = "step,entropy,largest,saturated,head";

  int64_t step = 0; ///< number of completed steps
  double entropy = 0, largest = 0, saturated = 0;
  std::string head;

  /// The line of the point, without a line break. The head is last and in quotes, because its name may contain
  /// commas.
  std::string line() const;
  /// Null for a line of another form.
  static std::optional<AttentionPoint> parse(llvm::StringRef line);
};

using AttentionHistory = PointLog<AttentionPoint>;

/// Adds a point for each head, unless the history already has points of that step.
void addMaps(AttentionHistory &history, int64_t step, const AttentionMaps &maps);

} // namespace attnc
