//===- DecoderKeys.h - keys of config.json that families of decoders have in common -------------------------------===//
#pragma once

#include "frontends/checkpoint/Activation.h"
#include "frontends/checkpoint/ModelText.h"

namespace attnc {

/// Records a problem if the file is not of a language model: of the class `library` + "ForCausalLM", or one of another
/// attention than that to earlier positions.
void expectLanguageModel(Config &config, llvm::StringRef library);

/// Reads the number of positions, at least 2.
void readContext(Config &config, DecoderText &model, llvm::StringRef key, int64_t byDefault);

/// The key of the width of the hidden layer; without a default it must be given.
struct HiddenKey {
  llvm::StringRef key = "intermediate_size";
  std::optional<int64_t> byDefault = std::nullopt;
};

/// Reads the sizes of the vocabulary, the context, the features and the hidden layer, and the token that ends a text.
/// `context` is the default of `max_position_embeddings`.
void readSizes(Config &config, DecoderText &model, int64_t context, const HiddenKey &hidden = {});

/// Reads the tokens that end a text; `otherwise` is the default of the family, if the vocabulary has it.
void readEnd(Config &config, DecoderText &model, std::optional<int64_t> otherwise = std::nullopt);

/// Numbers of experts, and of those that a token passes through.
struct Experts {
  int64_t count, picks;
};

/// Reads the numbers of experts, and returns them; `key` is that of their count, and `picksKey` that of a token's.
Experts readExperts(Config &config, DecoderText &model, llvm::StringRef key, const Experts &byDefault,
                    llvm::StringRef picksKey = "num_experts_per_tok");

/// Adds the argument `activation` unless it has its default.
void addActivation(DecoderText &model, const Activation &activation);

/// Reads the types of the layers, in periods of `defaultPeriod` layers without `layer_types`: the last layer of a
/// period attends to all positions, and the others have the type `other`, also those after the last period.
void readPeriods(Config &config, DecoderText &model, int64_t defaultPeriod,
                 llvm::StringRef other = "sliding_attention");

/// Defaults of a family, where config.json has none.
struct HeadDefaults {
  std::optional<int64_t> kvHeads; ///< `num_key_value_heads`; null: the number of query heads
  std::optional<int64_t> headDim; ///< `head_dim`; null: the width by the number of heads
};

/// Reads the number of heads of queries and of keys, and returns their number of features, an even number.
int64_t readHeads(Config &config, DecoderText &model, const HeadDefaults &family);

} // namespace attnc
