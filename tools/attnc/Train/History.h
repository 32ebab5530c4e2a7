//===- History.h - training and validation loss over the steps ----------------------------------------------------===//
//
// Lines "step,loss,validation" of `history.csv` (RunFolder.h), a text file that grows during the training (PointLog.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Train/PointLog.h"

namespace attnc {

struct HistoryPoint {
  static constexpr char headings[] = "step,loss,validation";

  int64_t step = 0;                 ///< number of completed steps
  double loss = 0;                  ///< mean training loss since the previous point
  std::optional<double> validation; ///< validation loss, if it was computed

  /// The line of the point, without a line break, with six significant digits; an empty last field without validation.
  std::string line() const;
  /// The point of a line; null for a line of another form.
  static std::optional<HistoryPoint> parse(llvm::StringRef line);
};

using History = PointLog<HistoryPoint>;

} // namespace attnc
