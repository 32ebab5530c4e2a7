//===- DeepseekKeys.h - keys of config.json that DeepSeek and its relatives have in common ------------------------===//
#pragma once

#include "frontends/checkpoint/DecoderKeys.h"

namespace attnc {

/// The sizes of LatentAttention in models/deepseek.attn.
struct LatentSizes {
  std::optional<int64_t> rank, plain, turned, valueDim; ///< defaults; null: the key must be given
};

/// Reads the number of heads and the sizes of latent attention, without the rank of queries, and returns the number of
/// rotated features.
int64_t readLatentSizes(Config &config, DecoderText &model, const LatentSizes &byDefault);

/// Groups of experts, of which a token keeps the best ones.
struct Groups {
  int64_t count, kept;
};

/// Reads the groups of experts; `key` is that of their count.
void readGroups(Config &config, DecoderText &model, llvm::StringRef key, const Experts &experts,
                const Groups &byDefault);

/// Reads the width of the hidden layer of an expert and of the shared one. `sharedKey` is the key of the number of
/// experts that are joined to the shared one, and `shared` its default.
void readExpertWidths(Config &config, DecoderText &model, std::optional<int64_t> width, llvm::StringRef sharedKey,
                      int64_t shared);

} // namespace attnc
