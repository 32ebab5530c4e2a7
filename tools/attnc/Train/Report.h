//===- Report.h - report of a training as an HTML page ------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Train/AttentionHistory.h"
#include "tools/attnc/Train/AttentionMaps.h"
#include "tools/attnc/Train/History.h"
#include "tools/attnc/Train/SamplePictures.h"
#include "tools/attnc/Train/StepEntries.h"

namespace attnc {

struct Report {
  std::string title;                                      ///< plain text
  std::vector<std::pair<std::string, std::string>> facts; ///< names and values of a table
  std::vector<StepEntries::Measured> training;            ///< StepEntries::measured()
  std::vector<std::string> validation;                    ///< Trainer::validationNames()
  const History *history = nullptr;                       ///< losses and metrics; must not be null
  const AttentionHistory *attention = nullptr;            ///< null: no curves of entropy and saturation
  AttentionMaps maps;                                     ///< without heads: neither maps nor these curves
  std::vector<SamplePicture> pictures;
};

/// Writes a self-contained HTML page to `path`: the facts, the curves of training and validation losses and of metrics,
/// pictures, attention maps, and the curves of their entropy and saturation. Replaces the file atomically; an error if
/// it cannot be written.
llvm::Error writeReport(const std::string &path, const Report &report);

} // namespace attnc
