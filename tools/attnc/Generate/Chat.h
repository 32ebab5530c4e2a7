//===- Chat.h - conversations in the terminal ---------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Generate/Writer.h"

namespace attnc {

/// Reads messages from the lines of standard input, and prints the answers of the model, until the input ends. The text
/// of the model is that of the chat template of the tokenizer (attn/tokenizer.h), and an answer ends in front of the
/// tokens `ends`. If the conversation is longer than the context, its oldest messages are left out, except that of the
/// system. An error if there is no tokenizer with a known template, or if one message is longer than the context.
llvm::Error chat(const GenerateOptions &options, const Vocabularies &vocabularies, const Vocabulary *vocabulary,
                 llvm::ArrayRef<int32_t> ends, const WriterModels &models);

} // namespace attnc
