// Tests the parts of imported models that are for training.
#include "tests/frontends/checkpoint/Import.h"

using namespace attnc;
using testing::EndsWith;
using testing::HasSubstr;

namespace {

/// The import of a config.json with a training step.
Import trained(const std::string &config) { return Import(config, {.trains = true}); }

TEST(FineTuning, ADecoderLearnsTheNextToken) {
  Import import = trained(R"({"model_type": "llama", "vocab_size": 96, "hidden_size": 32, "intermediate_size": 56,
    "num_hidden_layers": 3, "num_attention_heads": 4, "max_position_embeddings": 64})");
  EXPECT_EQ(import.message, "");
  EXPECT_THAT(import.result.text, HasSubstr(R"(use nn
use optim
use models.losses

model Llama(rate = 1e-5, warm = 100) {
  decoder: llama.Decoder(
)"));
  EXPECT_THAT(import.result.text, EndsWith(R"(
  /// The mean cross-entropy of each token after the first.
  fn loss(tokens: i32[batch, seq <= 64]) -> f32 {
    losses.next_token_loss(logits(tokens), tokens)
  }
}

export logits
export next = incremental(last, along: seq)
export write = decode(next, with: draw, at_most: 63)
export loss
export train = minimize(loss, with: optim.adamw(lr: optim.warmup(rate, warm)), clip_norm: 1.0)
)"));
}

TEST(FineTuning, AnEncoderWithADecoderLearnsTheTextAfterItsStart) {
  Import import = trained(R"({"model_type": "t5", "vocab_size": 96, "d_model": 32, "d_kv": 8, "d_ff": 56,
    "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 7})");
  EXPECT_THAT(import.result.text, HasSubstr(R"(
  /// The mean cross-entropy of each token of the texts that are written.
  fn loss(source: i32[batch, n], tokens: i32[batch, seq]) -> f32 {
    let before = losses.after_start(tokens, 7)
    losses.token_loss(logits(source, losses.text_lengths(source), before), tokens)
  }
)"));
}

TEST(FineTuning, AClassifierLearnsLabels) {
  Import texts = trained(R"({"model_type": "bert", "architectures": ["BertForSequenceClassification"]})");
  EXPECT_THAT(texts.result.text, HasSubstr(R"(
  fn loss(tokens: i32[batch, seq <= 512], label: i32[batch]) -> f32 {
    mean(nn.cross_entropy(classifier(pooler(encoder.features(tokens, losses.text_lengths(tokens)))), label))
  }
)"));
  Import images = trained(R"({"model_type": "vit", "architectures": ["ViTForImageClassification"]})");
  EXPECT_THAT(images.result.text, HasSubstr(R"(
  fn loss(pixel_values: f32[batch, 3, 224, 224], label: i32[batch]) -> f32 {
    mean(nn.cross_entropy(logits(pixel_values), label))
  }
)"));
}

TEST(FineTuning, AMaskedLanguageModelLearnsHiddenTokens) {
  Import import = trained(R"({"model_type": "roberta", "architectures": ["RobertaForMaskedLM"]})");
  EXPECT_THAT(import.result.text, HasSubstr(R"(
// The folder has no tokenizer with a token [MASK] or <mask>: `--set mask=...` gives its number.
)"));
  EXPECT_THAT(import.result.text, HasSubstr("model Roberta(rate = 1e-5, warm = 100, mask) {"));
  EXPECT_THAT(import.result.text, HasSubstr(R"(
  /// The mean cross-entropy of tokens that are hidden from the network.
  fn loss(tokens: i32[batch, seq <= 510]) -> f32 {
    losses.masked_loss((tokens, length) => head(encoder.features(tokens, length), encoder.token.table), tokens, 30522, mask)
  }
)"));
}

TEST(FineTuning, AClassifierOfTokensLearnsTheirLabels) {
  Import import = trained(R"({"model_type": "bert", "architectures": ["BertForTokenClassification"]})");
  EXPECT_THAT(import.result.text, HasSubstr(R"(
  /// The mean cross-entropy of the classes of tokens.
  fn loss(tokens: i32[batch, seq <= 512], labels: i32[batch, seq]) -> f32 {
    let length = losses.text_lengths(tokens)
    losses.label_loss(classifier(encoder.features(tokens, length)), labels, length)
  }
)"));
}

TEST(FineTuning, ImagesAndTextsLearnWhichBelongTogether) {
  Import import = trained(R"({"model_type": "clip", "architectures": ["CLIPModel"]})");
  EXPECT_THAT(import.result.text, HasSubstr(R"(
  /// The mean cross-entropy of the text of each image and the image of each text.
  fn loss(pixel_values: f32[batch, 3, 224, 224], tokens: i32[batch, seq <= 77]) -> f32 {
    losses.contrastive_loss(logits(pixel_values, tokens))
  }
)"));
}

TEST(FineTuning, ADenoiserLearnsTheNoise) {
  Import import = trained(R"({"_class_name": "DiTTransformer2DModel", "num_embeds_ada_norm": 10})");
  EXPECT_THAT(import.result.text, HasSubstr("model Dit(rate = 1e-5, warm = 100, unlabelled = 0.1) {"));
  EXPECT_THAT(import.result.text, HasSubstr(R"(
  /// The mean squared error of the noise in images at random time steps.
  fn loss(latents: f32[batch, 4, 32, 32], class_labels: i32[batch]) -> f32 {
    let labels = losses.some_replaced(class_labels, unlabelled, 10)
    losses.noise_loss((noisy, t) => network(noisy, t, labels), latents)
  }
)"));
}

TEST(FineTuning, AdaptersLeaveTheNetworkAsItIs) {
  Import import(R"({"model_type": "bert", "architectures": ["BertForSequenceClassification"]})",
                {.trains = true, .lora = Adapters{.targets = {"query", "intermediate.dense"}, .rank = 4}});
  EXPECT_EQ(import.message, "");
  EXPECT_THAT(import.result.text, HasSubstr(R"(
model Bert(rate = 2e-4, warm = 100, rank = 4, alpha = 16.0, drop = 0.0) {
  frozen encoder: bert.Encoder()"));
  EXPECT_THAT(import.result.text,
              HasSubstr(R"() as "bert" with adapters.LoRA(rank, alpha, drop) at "query", "intermediate.dense"
  frozen pooler: encoders.Pooler(dim: 768) as "bert.pooler"
  classifier: nn.Linear(inputs: 768, outputs: 2) as "classifier"
)"));
}

TEST(FineTuning, EachFamilyHasLayersToAdapt) {
  Import import(R"({"model_type": "t5", "vocab_size": 96, "d_model": 32, "d_kv": 8, "d_ff": 56, "num_layers": 2,
    "num_heads": 4})",
                {.lora = Adapters()});
  EXPECT_THAT(import.result.text, HasSubstr(R"(
model T5(rank = 8, alpha = 16.0) {
  network: t5.EncoderDecoder()"));
  EXPECT_THAT(import.result.text, HasSubstr(R"() as "" with adapters.LoRA(rank, alpha) at "q", "v"
)"));
}

TEST(FineTuning, OtherModelsHaveNoLoss) {
  EXPECT_EQ(trained(R"({"model_type": "bert", "architectures": ["BertModel"]})").message,
            "config.json: there is no loss to train Bert with: it needs a class with a head in `architectures`, or "
            "`decoder_start_token_id` if a decoder follows an encoder");
}

} // namespace
