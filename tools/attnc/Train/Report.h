//===- Report.h - report of a training as an HTML page ------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Train/AttentionHistory.h"
#include "tools/attnc/Train/AttentionMaps.h"
#include "tools/attnc/Train/History.h"
#include "tools/attnc/Train/SamplePictures.h"

namespace attnc {

struct Report {
  std::string title;                                      ///< plain text
  std::vector<std::pair<std::string, std::string>> facts; ///< names and values of a table
  std::vector<std::string> lossNames;                     ///< StepEntries::lossNames()
  const History *history = nullptr;                       ///< losses; must not be null
  const AttentionHistory *attention = nullptr;            ///< null: no curves of entropy and saturation
  AttentionMaps maps;                                     ///< without heads: neither maps nor these curves
  std::vector<SamplePicture> pictures;
};

/// Writes a self-contained HTML page to `path`: the facts, the curves of training and validation loss, pictures,
/// attention maps, and the curves of their entropy and saturation. Replaces the file atomically; an error if it cannot
/// be written.
llvm::Error writeReport(const std::string &path, const Report &report);

} // namespace attnc
