#include "frontends/checkpoint/DecoderKeys.h"

namespace attnc {

void readSizes(Config &config, DecoderText &model, int64_t context) {
  model.vocab = config.size("vocab_size");
  model.context = config.size("max_position_embeddings", context);
  model.add("vocab", model.vocab);
  model.add("context", model.context);
  model.add("dim", config.size("hidden_size"));
  model.add("hidden", config.size("intermediate_size"));
  if (std::vector<int64_t> ends = config.numbers("eos_token_id"); !ends.empty())
    model.stop = ends.front();
}

int64_t readHeads(Config &config, DecoderText &model, const HeadDefaults &family) {
  int64_t heads = config.size("num_attention_heads"), dim = config.size("hidden_size");
  int64_t headDim = config.size("head_dim", family.headDim.value_or(std::max<int64_t>(dim / heads, 1)));
  int64_t kvHeads = config.size("num_key_value_heads", family.kvHeads.value_or(heads));
  if (heads % kvHeads != 0)
    config.refuse("num_key_value_heads", "a divisor of num_attention_heads");
  if (headDim % 2 != 0)
    config.refuse("head_dim", "an even number");
  model.add("heads", heads);
  model.add("kv_heads", kvHeads);
  model.add("head_dim", headDim);
  return headDim;
}

} // namespace attnc
