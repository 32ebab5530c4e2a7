//===- AttentionHistory.h - how attention becomes concentrated while a model is trained ---------------------------===//
//
// Of each head that the report draws, on the same sample all along: the mean entropy of its rows, their mean largest
// weight, and the share of them that are saturated (tools/attnc/Data/Concentration.h). Lines of a text file
// "step,entropy,largest,saturated,head".
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Train/AttentionMaps.h"
#include "tools/attnc/Train/StepLog.h"

namespace attnc {

struct AttentionPoint {
  int64_t step = 0; ///< steps done
  double entropy = 0, largest = 0, saturated = 0;
  std::string head;
};

class AttentionHistory {
public:
  static llvm::Expected<AttentionHistory> open(const std::string &path, int64_t step);
  /// A point of each head; none where there are points of that step.
  void add(int64_t step, const AttentionMaps &maps);
  llvm::Error replace() { return log.replace(); }
  llvm::Error write() { return log.write(); }

  /// With the digits that the file has, so that a resumed run has the same ones.
  const std::vector<AttentionPoint> &points() const { return all; }

private:
  StepLog log;
  std::vector<AttentionPoint> all;
};

} // namespace attnc
