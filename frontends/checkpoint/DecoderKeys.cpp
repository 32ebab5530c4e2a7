#include "frontends/checkpoint/DecoderKeys.h"
#include "frontends/checkpoint/Architecture.h"
#include "frontends/checkpoint/LayerTypes.h"

namespace attnc {

void expectLanguageModel(Config &config, llvm::StringRef library) {
  readArchitecture(config, library, {"ForCausalLM"});
  config.expectOnly("is_causal", true);
  config.expectOnly("is_encoder_decoder", false);
  config.expectOnly("add_cross_attention", false);
}

void readEnd(Config &config, DecoderText &model, std::optional<int64_t> otherwise) {
  std::vector<int64_t> ends = config.numbers("eos_token_id");
  if (ends.empty() && otherwise && *otherwise < model.vocab)
    ends = {*otherwise};
  for (int64_t end : ends)
    if (end < 0 || end >= model.vocab)
      return config.refuse("eos_token_id", "tokens below vocab_size");
    else
      model.ends.push_back(end);
}

void readContext(Config &config, DecoderText &model, llvm::StringRef key, int64_t byDefault) {
  model.context = config.size(key, byDefault);
  if (model.context < 2)
    config.refuse(key, "at least 2");
}

void readSizes(Config &config, DecoderText &model, int64_t context, const HiddenKey &hidden) {
  model.vocab = config.size("vocab_size");
  readContext(config, model, "max_position_embeddings", context);
  model.add("vocab", model.vocab);
  model.add("context", model.context);
  model.add("dim", config.size("hidden_size"));
  model.add("hidden", config.size(hidden.key, hidden.byDefault));
  readEnd(config, model);
}

void readPeriods(Config &config, DecoderText &model, int64_t defaultPeriod, llvm::StringRef other) {
  int64_t layers = config.size("num_hidden_layers");
  int64_t period = readPeriod(config, layers, defaultPeriod, FullLayer::Last, other);
  model.add("periods", layers / period);
  model.add("period", period);
  model.add("rest", layers % period);
}

int64_t readHeads(Config &config, DecoderText &model, const HeadDefaults &family) {
  int64_t heads = config.size("num_attention_heads"), dim = config.size("hidden_size");
  int64_t headDim = config.size("head_dim", family.headDim.value_or(std::max<int64_t>(dim / heads, 1)));
  int64_t kvHeads = config.size("num_key_value_heads", family.kvHeads.value_or(heads));
  if (heads % kvHeads != 0)
    config.refuse("num_key_value_heads", "a divisor of num_attention_heads");
  if (headDim % 2 != 0 && config.has("hidden_size") && config.has("num_attention_heads"))
    config.refuse("head_dim", "an even number");
  model.add("heads", heads);
  model.add("kv_heads", kvHeads);
  model.add("head_dim", headDim);
  return headDim;
}

Experts readExperts(Config &config, DecoderText &model, llvm::StringRef key, const Experts &byDefault,
                    llvm::StringRef picksKey) {
  int64_t count = config.size(key, byDefault.count);
  // Older files have `experts_per_token`.
  int64_t picks = config.size(picksKey, config.size("experts_per_token", byDefault.picks));
  if (picks > count)
    config.refuse(key, "at least " + picksKey.str());
  model.add("experts", count);
  model.add("picks", picks);
  config.ignore({"router_aux_loss_coef", "router_jitter_noise", "output_router_logits"});
  return {count, picks};
}

void addActivation(DecoderText &model, const Activation &activation) {
  if (!activation.function.empty())
    model.add("activation", llvm::StringRef(activation.function));
  if (!activation.file.empty())
    model.uses.push_back(activation.file);
}

} // namespace attnc
