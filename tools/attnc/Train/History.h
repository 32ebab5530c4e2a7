//===- History.h - losses and metrics over the steps -------------------------------------------------------------===//
//
// Lines "step,loss,validation" of `history.csv` (RunFolder.h), a text file that grows during the training (PointLog.h).
// Each metric has a further column, such as "step,loss,reward,validation,validation_reward". An alternating training
// (StepEntries.h) has a column for the loss of each entry point, under its name.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Train/PointLog.h"
#include "llvm/ADT/ArrayRef.h"

namespace attnc {

struct HistoryPoint {
  int64_t step = 0;               ///< number of completed steps
  std::vector<double> training;   ///< the means of the training losses and metrics since the previous point
  std::vector<double> validation; ///< the validation loss and its metrics; all NaN if not computed

  /// The line of headings for columns of these names. The first name of `validation` is "validation", and no name of
  /// `training` is.
  static std::string headings(llvm::ArrayRef<std::string> training, llvm::ArrayRef<std::string> validation);
  /// The line of the point, without a line break, with six significant digits. A NaN of `validation` is an empty field,
  /// whether it was computed or not.
  std::string line() const;
  /// The point of a line; null for a line with another number of fields than `headings` or with another form.
  static std::optional<HistoryPoint> parse(llvm::StringRef line, llvm::StringRef headings);
};

using History = PointLog<HistoryPoint>;

} // namespace attnc
