//===- Stream.h - texts that are printed while they are written ---------------------------------------------------===//
#pragma once

#include "tools/attnc/Generate/TextForm.h"
#include "tools/attnc/Generate/Writer.h"

namespace attnc {

/// Writes and prints tokens, at most `count`, and the end of the text. The first call of the writer is for one token,
/// and later calls take about a tenth of a second. Returns the tokens.
llvm::Expected<std::vector<int32_t>> printTokens(Writer &writer, Printer &printer, int64_t count);

/// Prints numbers of tokens and rates to standard error, and how many drafted tokens were verified and accepted:
///
///   (12 prompt tokens, 340 a second; 128 tokens, 45 a second; 2.3 of 4.0 drafts accepted a call)
void printRates(const WriterTimes &times);

} // namespace attnc
