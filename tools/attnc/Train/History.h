//===- History.h - training and validation losses over the steps --------------------------------------------------===//
//
// Lines "step,loss,validation" of `history.csv` (RunFolder.h), a text file that grows during the training (PointLog.h).
// An alternating training (StepEntries.h) has a column for the loss of each entry point, under its name.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Train/PointLog.h"
#include "llvm/ADT/ArrayRef.h"

namespace attnc {

struct HistoryPoint {
  int64_t step = 0;                 ///< number of completed steps
  std::vector<double> losses;       ///< mean training losses since the previous point, one for each column
  std::optional<double> validation; ///< validation loss, if it was computed

  /// The line of headings for losses of these names.
  static std::string headings(llvm::ArrayRef<std::string> lossNames);
  /// The line of the point, without a line break, with six significant digits; an empty last field without validation.
  std::string line() const;
  /// The point of a line; null for a line with another number of fields than `headings` or with another form.
  static std::optional<HistoryPoint> parse(llvm::StringRef line, llvm::StringRef headings);
};

using History = PointLog<HistoryPoint>;

} // namespace attnc
