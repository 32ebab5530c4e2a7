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
  /// One map for each head. Rows are queries and columns are keys; rows or columns have names if their dimension is the
  /// last one of an input of tokens. The name of a map consists of the entry point's result and the indices of the
  /// head: "weights[3, 0]".
  std::vector<ShadeMap> heads;
  std::vector<std::string> texts; ///< the text of each input of tokens; for one sequence of tokens, of the first input
};

struct MapOptions {
  std::string entry;               ///< entry point with the attention weights; empty: no maps
  std::vector<std::string> heads;  ///< such as "3.0": indices in leading dimensions above size 1; empty: all heads
  std::optional<std::string> text; ///< input text; null: a held-out sample
  int64_t sample = 0;              ///< number of the held-out sample, from 0
};

/// An error if the entry point of `options` does not exist, if it has an input that the training step `step` does not
/// have, if a result is not a map of queries and keys, or if the text cannot be an input. Success without an entry
/// point. Called before the first step.
llvm::Error checkMaps(const attn_model &model, const attn_entry_info &step, const TrainingData &data,
                      const MapOptions &options);

/// Runs the entry point with the trainer's weights on one row: the text or the held-out sample of `options`. A text, or
/// a row of a sequence of tokens (`shape.sequence`), is cut to `longest` positions. Requires that checkMaps() succeeds,
/// and that the weights are packed (Trainer::repackWeights). Empty without an entry point. An error if there is no such
/// sample (and the entry point has inputs), if no head is selected, or if the call fails.
llvm::Expected<AttentionMaps> readMaps(const attn_model &model, Trainer &trainer, const TrainingData &data,
                                       BatchShape shape, const MapOptions &options, int64_t longest = 64);

} // namespace attnc
