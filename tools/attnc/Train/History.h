//===- History.h - the losses of a training ----------------------------------------------------------------------===//
//
// Lines "step,loss,validation" of a text file that grows while a model is trained (PointLog.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Train/PointLog.h"

namespace attnc {

struct HistoryPoint {
  static constexpr char headings[] = "step,loss,validation";

  int64_t step = 0; ///< steps done
  double loss = 0;  ///< the mean since the point before
  std::optional<double> validation;

  std::string line() const;
  static std::optional<HistoryPoint> parse(llvm::StringRef line);
};

using History = PointLog<HistoryPoint>;

} // namespace attnc
