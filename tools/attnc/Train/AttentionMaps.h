//===- AttentionMaps.h - pictures of attention weights ------------------------------------------------------------===//
//
// Pictures of the weights of attention, from an entry point made by `attention(f)`: one of each head, with a row for
// each query and a column for each key.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Data/TrainingData.h"
#include "tools/attnc/Page/ShadeMap.h"
#include "tools/attnc/Train/Trainer.h"

namespace attnc {

struct AttentionMaps {
  /// Rows are queries, columns keys, named where inputs are text; a map is named by result and head: "weights[3, 0]".
  std::vector<ShadeMap> heads;
  std::vector<std::string> texts; ///< what they are of, where the model reads text
};

struct MapOptions {
  std::string entry;               ///< empty: none
  std::vector<std::string> heads;  ///< as "3.0": leading indices of more than one value; empty: all
  std::optional<std::string> text; ///< to look at; without it, what is held out
  int64_t sample = 0;              ///< its number there
};

/// Whether the entry is there and takes what training does, or less, and the text can be read; said before the first
/// step.
llvm::Error checkMaps(const attn_model &model, const attn_entry_info &step, const TrainingData &data,
                      const MapOptions &options);

/// Runs the entry on one row, of at most `longest` positions.
llvm::Expected<AttentionMaps> readMaps(const attn_model &model, Trainer &trainer, const TrainingData &data,
                                       BatchShape shape, const MapOptions &options, int64_t longest = 64);

} // namespace attnc
