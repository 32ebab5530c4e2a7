//===- History.h - the losses of a training ----------------------------------------------------------------------===//
//
// Lines "step,loss,validation" of a text file that grows while a model is trained (StepLog.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Train/StepLog.h"
#include <optional>
#include <string>
#include <vector>

namespace attnc {

struct HistoryPoint {
  int64_t step = 0; ///< steps done
  double loss = 0;  ///< the mean since the point before
  std::optional<double> validation;
};

class History {
public:
  /// With what is there, up to `step`.
  static llvm::Expected<History> open(const std::string &path, int64_t step);
  /// Adds a line to the file, when that is written next.
  void add(HistoryPoint point);
  llvm::Error replace() { return log.replace(); }
  llvm::Error write() { return log.write(); }

  /// With the digits that the file has, so that a resumed run has the same ones.
  const std::vector<HistoryPoint> &points() const { return all; }

private:
  StepLog log;
  std::vector<HistoryPoint> all;
};

} // namespace attnc
