//===- StudyResults.h - what a study of attention found -----------------------------------------------------------===//
#pragma once

#include "tools/attnc/Data/Concentration.h"
#include "tools/attnc/Page/HtmlPage.h"
#include "tools/attnc/Study/AttentionRows.h"
#include "tools/attnc/Study/Intervention.h"
#include <array>
#include <map>

namespace attnc {

/// How far two outputs are apart, row by row: as probabilities of what the last dimension counts. A row of logits is
/// made probabilities by softmax; one that is of them already (none negative, of sum 1) is taken as it is.
struct OutputChange {
  /// `before` is finite, and its rows have more than one element.
  void add(const HostTensor &before, const HostTensor &after);

  int64_t rows = 0;
  double variation = 0; ///< sum of total variation distances, half the sum of |p - q|, from 0 to 1
  double flipped = 0;   ///< rows whose largest element is another one

  double meanVariation() const { return rows ? variation / double(rows) : 0; }
  double flippedShare() const { return rows ? flipped / double(rows) : 0; }
};

/// Of one head, or of all at once.
struct HeadResults {
  std::string name;
  Concentration concentration;
  std::array<OutputChange, std::size(interventions)> changes; ///< by what was done to its rows
};

struct StudyResults {
  std::string model, entry, output; ///< `output`: the result that was compared
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<HeadResults> heads; ///< the last is all of them at once, where there are several
};

/// A line for each head.
std::string textOf(const StudyResults &results);
std::string csvOf(const StudyResults &results);
/// With charts.
HtmlPage studyPage(const StudyResults &results);

} // namespace attnc
