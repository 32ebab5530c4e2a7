//===- SourceKeys.h - keys of config.json that families of encoders with a decoder have in common -----------------===//
#pragma once

#include "frontends/checkpoint/DecoderKeys.h"

namespace attnc {

/// Records a problem if the file is not of the class `library` + "ForConditionalGeneration".
void expectEncoderDecoder(Config &config, llvm::StringRef library);

/// Adds a note of the token that begins a text; `otherwise` is the default of the family, if the vocabulary has it.
void readStart(Config &config, DecoderText &model, std::optional<int64_t> otherwise = std::nullopt);

/// The source of a decoder that attends to a text of at most `context` tokens (0: of any number of them), and its
/// features, `dim` for each token.
SourceText textSource(int64_t context, int64_t dim);

} // namespace attnc
