//===- Writer.h - texts that decoding loops continue --------------------------------------------------------------===//
//
// A Writer calls an entry point of `decode` for one row:
//
//   - A model that is compiled by the command, or by `attnc compile --stream`, has a resumed loop
//     (compiler/Derive/Incremental/ResumedNames.h). The states of the text are kept from call to call, so a call can
//     write few tokens, and a text that begins like the previous one is read from the first token that differs. With
//     drafts, a call verifies several tokens (SpeculativeLoop.h).
//   - Another object, a model for a device, or a beam search has only the whole loop. Each call reads the text again,
//     and writes as many tokens as the loop can.
//
// The tokens do not depend on the number of tokens of a call. Both kinds write the same tokens, up to rounding: draws
// have a seed for each `at_most` tokens, and the loop reads the longest end of a text for which `at_most` tokens have
// room in the context, at these places.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Generate/WriterInputs.h"

namespace attnc {

/// Tokens and seconds of calls.
struct WriterTimes {
  int64_t promptTokens = 0, tokens = 0;  ///< that were read, without those that were in the states; that were written
  double promptSeconds = 0, seconds = 0; ///< promptSeconds is 0 if the whole loop reads the prompt
  int64_t verifications = 0, drafted = 0, accepted = 0; ///< calls that verify drafted tokens, and numbers of these
};

/// Compiled models, which must outlive their writers.
struct WriterModels {
  const attn_model &model;
  const attn_model *draft = nullptr; ///< writes drafts; null: there are none, or they repeat the text
};

class Writer {
public:
  /// Finds the entry point, reads its inputs and loads the weights. The text ends in front of the first of the tokens
  /// `ends`.
  static llvm::Expected<std::unique_ptr<Writer>> open(const GenerateOptions &options, const Vocabularies &vocabularies,
                                                      const WriterModels &models, llvm::ArrayRef<int32_t> ends);
  virtual ~Writer() = default;

  /// The largest number of tokens that are read at the beginning of a text; -1: any number. If a text has more, the
  /// last ones are read.
  int64_t window() const;
  /// Begins a text: write() continues it. `expected` is a guess of the number of tokens that follow.
  void begin(llvm::ArrayRef<int32_t> text, int64_t expected);
  /// Writes the next tokens, at most `most`, and at least one unless the text ends.
  llvm::Expected<std::vector<int32_t>> write(int64_t most);
  bool hasEnded() const { return isEnded; } ///< no token follows
  /// The number of tokens that a call may write at about the cost of one.
  virtual int64_t tokensOfCall() const { return 1; }
  llvm::ArrayRef<int32_t> wholeText() const { return text; } ///< read and written
  /// Writes the tokens that this model writes after the text of `other`, at most `most`, with the draws of `other`.
  llvm::Expected<std::vector<int32_t>> continueTextOf(const Writer &other, int64_t most);

  WriterTimes times; ///< of all calls so far

protected:
  Writer(const GenerateOptions &options, const Vocabularies &vocabularies, const attn_model &model)
      : options(options), model(model), inputs(options, vocabularies), runner(model) {}
  /// Sets contextSize and atMost, and reads the inputs.
  virtual llvm::Error readInputs() = 0;
  /// Calls the loop for at most `most` tokens, and sets `written`. Sets isEnded if the row ends. Counts all times but
  /// the number of tokens.
  virtual llvm::Error call(int64_t most, std::vector<int32_t> &written) = 0;
  /// The part of the text that the loop reads.
  llvm::ArrayRef<int32_t> readText() const { return llvm::ArrayRef(text).drop_front(skipped); }
  bool isFirstCall() const { return text.size() == begun; } ///< after begin()
  int32_t seed() const;
  /// The largest value of a size that is a dimension; -1: any.
  static int64_t limitOf(const attn_entry_info &entry, const attn_size_info &size);

  const GenerateOptions &options;
  const attn_model &model;
  WriterInputs inputs;
  Runner runner;
  int64_t contextSize = -1; ///< positions of a text; -1: any number
  int64_t atMost = 1;       ///< tokens of a call
  std::vector<int32_t> endTokens;
  std::vector<int32_t> text;    ///< read and written
  size_t begun = 0;             ///< tokens of the text that begin() set
  size_t skipped = 0;           ///< tokens at the beginning of the text that the loop does not read
  int64_t expectedTokens = 0;   ///< that begin() is told
  int64_t draws = 0, drawn = 0; ///< blocks of atMost tokens with the same seed; tokens of the last of them
  bool isEnded = false;

private:
  llvm::Error prepare(llvm::ArrayRef<std::string> weights, llvm::ArrayRef<int32_t> ends);
  static llvm::Expected<std::unique_ptr<Writer>> openDraft(const GenerateOptions &options,
                                                           const Vocabularies &vocabularies, const attn_model &model,
                                                           llvm::ArrayRef<int32_t> ends);
  void beginDraws();
};

} // namespace attnc
