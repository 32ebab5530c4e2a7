//===- StudyResults.h - results of a study of attention, as text, CSV and a page ----------------------------------===//
#pragma once

#include "tools/attnc/Data/Concentration.h"
#include "tools/attnc/Page/HtmlPage.h"
#include "tools/attnc/Study/AttentionRows.h"
#include "tools/attnc/Study/Intervention.h"
#include <array>
#include <map>

namespace attnc {

/// The change of outputs, summed over rows. A row is a distribution over the last dimension: its softmax, or the row
/// itself if its elements are nonnegative and have the sum 1.
struct OutputChange {
  /// Requires that `before` is finite, and that its rows have more than one element.
  void add(const HostTensor &before, const HostTensor &after);

  int64_t rows = 0;
  double variation = 0; ///< sum of the total variation distances, 1/2 sum |p - q|
  double flipped = 0;   ///< number of rows whose largest element is at another position

  double meanVariation() const { return rows ? variation / double(rows) : 0; }
  double flippedShare() const { return rows ? flipped / double(rows) : 0; }
};

/// Results for one head, or for all heads together.
struct HeadResults {
  std::string name;
  Concentration concentration;
  std::array<OutputChange, std::size(interventions)> changes; ///< by intervention
};

struct StudyResults {
  std::string model, entry, output; ///< `output`: the compared result
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<HeadResults> heads; ///< if there are several, the last one is for all together
};

/// A line for each head.
std::string textOf(const StudyResults &results);
std::string csvOf(const StudyResults &results);
/// A page with the same numbers as charts.
HtmlPage studyPage(const StudyResults &results);

} // namespace attnc
