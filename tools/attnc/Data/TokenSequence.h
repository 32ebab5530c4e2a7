//===- TokenSequence.h - one long sequence of tokens as data ------------------------------------------------------===//
//
// For entry points with one or two inputs i32[batch, seq] from the data: the tokens, and for each the token that
// follows it. A row is a window of `seq` consecutive tokens; in the second input, the window is shifted by one token.
// Windows of training batches begin anywhere; windows of held-out batches do not overlap. If the training step
// accumulates batches, the inputs have a leading dimension with their number.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Data/TrainingData.h"

namespace attnc {

/// TrainingData of one sequence of tokens.
class TokenSequence : public TrainingData {
public:
  /// Reads the tokens from the file `path`: the integers i32[n] of a .npy file, the rows of a .words file
  /// (Vocabulary::sequenceOf), or the bytes of any other file. `heldOut` is the share of tokens, at the end, that is
  /// held out. Requires an input from the data. An error if the inputs from the data are not as above, if the file
  /// cannot be read, if a .npy file has another tensor, or if words have no vocabulary. `entry` and `vocabularies` must
  /// outlive the result.
  static llvm::Expected<std::unique_ptr<TokenSequence>> read(const attn_entry_info &entry, EntryInputs inputs,
                                                             const std::string &path, const Vocabularies &vocabularies,
                                                             double heldOut);

  bool isOfTokens(int32_t input) const override { return inputs.isSampled(input); }
  bool isSequence() const override { return true; }
  bool isText() const override { return isBytes; }
  const Vocabulary *vocabularyOf(int32_t input) const override { return isOfTokens(input) ? vocabulary : nullptr; }
  std::optional<std::vector<int32_t>> tokensOf(llvm::StringRef text) const override;
  BatchShape used(BatchShape shape) const override { return shape; }

private:
  using TrainingData::TrainingData;

  llvm::Error checkSamples(const InputRanges &ranges) const override;
  uint64_t hashOfSamples() const override;
  int64_t count() const override { return int64_t(tokens.size()); }
  int64_t places(BatchShape shape, int64_t size) const override { return size - shape.sequence - 1; }
  int64_t rows(BatchShape shape, int64_t size) const override { return size < 1 ? 0 : (size - 1) / shape.sequence; }
  int64_t stride(BatchShape shape) const override { return shape.sequence; }
  bool isAccumulated() const override { return inputs.sampled(0).rank == 3; }
  std::vector<HostTensor> gather(BatchShape shape, const std::vector<int64_t> &starts) const override;

  std::vector<int32_t> tokens;            ///< the whole sequence
  bool isBytes = false;                   ///< the tokens are the bytes of a file
  const Vocabulary *vocabulary = nullptr; ///< of words; null for other tokens
};

} // namespace attnc
