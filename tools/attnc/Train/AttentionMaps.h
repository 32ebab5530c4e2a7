//===- AttentionMaps.h - attention maps: heat maps of attention weights -------------------------------------------===//
//
// The maps come from an entry point that `attention(f)` exports: one map for each head, with a row for each query and a
// column for each key.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Data/TrainingData.h"
#include "tools/attnc/Page/ShadeMap.h"
#include "tools/attnc/Train/Trainer.h"

namespace attnc {

struct AttentionMaps {
  /// Rows are queries, columns are keys; they have names if inputs are text. The name of a map consists of the result
  /// and the head: "weights[3, 0]".
  std::vector<ShadeMap> heads;
  std::vector<std::string> texts; ///< the input texts, if the model reads text
};

struct MapOptions {
  std::string entry;               ///< empty: no maps
  std::vector<std::string> heads;  ///< such as "3.0": leading indices of sizes above 1; empty: all heads
  std::optional<std::string> text; ///< input text; null: a held-out sample
  int64_t sample = 0;              ///< number of that sample
};

/// Fails if the entry point of `options` does not exist, if it has an input that the training step `step` does not
/// have, or if its text cannot be an input. Called before the first step.
llvm::Error checkMaps(const attn_model &model, const attn_entry_info &step, const TrainingData &data,
                      const MapOptions &options);

/// Runs the entry point with the trainer's weights on one row, the text or the sample of `options`, of which at most
/// `longest` positions are used.
llvm::Expected<AttentionMaps> readMaps(const attn_model &model, Trainer &trainer, const TrainingData &data,
                                       BatchShape shape, const MapOptions &options, int64_t longest = 64);

} // namespace attnc
