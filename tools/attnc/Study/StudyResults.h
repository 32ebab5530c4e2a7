//===- StudyResults.h - results of a study of attention, as text, CSV and a page ----------------------------------===//
#pragma once

#include "tools/attnc/Data/Concentration.h"
#include "tools/attnc/Page/HtmlPage.h"
#include "tools/attnc/Study/AttentionRows.h"
#include "tools/attnc/Study/Intervention.h"
#include <array>
#include <map>

namespace attnc {

/// The change of outputs by an intervention, summed over rows. A row of an output is a distribution over its last
/// dimension: the softmax of the row, or the row itself if its elements are nonnegative and have the sum 1 (± 1e-4).
struct OutputChange {
  /// Adds all rows of an output: `before` is the original output, `after` the output with the intervention. Requires
  /// f32 tensors of the same shape, that `before` is finite, and that rows have more than one element.
  void add(const HostTensor &before, const HostTensor &after);

  int64_t rows = 0;     ///< number of compared rows
  double variation = 0; ///< sum over rows of the total variation distance 1/2 sum |p - q|, which is from 0 to 1
  double flipped = 0;   ///< number of rows whose largest element is at another position

  double meanVariation() const { return rows ? variation / double(rows) : 0; }
  double flippedShare() const { return rows ? flipped / double(rows) : 0; }
};

/// Results for one head, or for all heads together.
struct HeadResults {
  std::string name;                                           ///< HeadsOfWeights::nameOf(), or a name for all heads
  Concentration concentration;                                ///< of the original attention weights
  std::array<OutputChange, std::size(interventions)> changes; ///< by intervention, in the order of `interventions`
};

struct StudyResults {
  std::string model, entry, output;                       ///< names; `output` is the compared result
  std::vector<std::pair<std::string, std::string>> facts; ///< names and values, for the table at the top of the page
  std::vector<HeadResults> heads;                         ///< if there are several, the last one is for all together
};

/// A text table with a line for each head.
std::string textOf(const StudyResults &results);
/// The same numbers as CSV, with a line of headings; shares are from 0 to 1.
std::string csvOf(const StudyResults &results);
/// A page with the same numbers as charts and as a table.
HtmlPage studyPage(const StudyResults &results);

} // namespace attnc
