#include "frontends/checkpoint/SourceKeys.h"
#include "frontends/checkpoint/Architecture.h"
#include <fmt/format.h>

namespace attnc {

void expectEncoderDecoder(Config &config, llvm::StringRef library) {
  readArchitecture(config, library, {"ForConditionalGeneration"});
  config.expectOnly("is_encoder_decoder", true);
  config.expectOnly("pruned_heads", llvm::json::Object());
}

void readStart(Config &config, DecoderText &model, std::optional<int64_t> otherwise) {
  std::vector<int64_t> given = config.numbers("decoder_start_token_id");
  std::optional<int64_t> start = given.empty() ? otherwise : given.front();
  bool isToken = start && *start >= 0 && *start < model.vocab;
  if (given.size() > 1 || (!given.empty() && !isToken))
    config.refuse("decoder_start_token_id", "one token below vocab_size");
  if (!isToken)
    return;
  model.start = start;
  model.notes.push_back(fmt::format("A text begins with the token {}: `decoder_start_token_id`.", *start));
}

SourceText textSource(int64_t context, int64_t dim) {
  std::string bound = context == 0 ? "" : fmt::format(" <= {}", context);
  std::string source = fmt::format("source: i32[batch, n{}]", bound);
  return {.inputs = source + ", source_length: i32[batch]",
          .arguments = "source, source_length",
          .features = fmt::format("f32[batch, n, {}]", dim),
          .comment = "The features of each position of a source. Row b has source_length[b] tokens; the features of "
                     "padding mean nothing.",
          .trainedInputs = source,
          .trainedArguments = "source, losses.text_lengths(source)"};
}

} // namespace attnc
