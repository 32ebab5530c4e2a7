//===- AttentionHistory.h - concentration of attention during training --------------------------------------------===//
//
// Of each head that the report draws, on the same sample all along: the mean entropy of its rows, their mean largest
// weight, and the share of them that are saturated (tools/attnc/Data/Concentration.h). Lines of a text file
// "step,entropy,largest,saturated,head".
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Train/AttentionMaps.h"
#include "tools/attnc/Train/PointLog.h"

namespace attnc {

struct AttentionPoint {
  static constexpr char headings[] = "step,entropy,largest,saturated,head";

  int64_t step = 0; ///< steps done
  double entropy = 0, largest = 0, saturated = 0;
  std::string head;

  /// The name is last and in quotes, for it may have commas.
  std::string line() const;
  static std::optional<AttentionPoint> parse(llvm::StringRef line);
};

using AttentionHistory = PointLog<AttentionPoint>;

/// Adds a point for each head, unless there are points of that step.
void addMaps(AttentionHistory &history, int64_t step, const AttentionMaps &maps);

} // namespace attnc
