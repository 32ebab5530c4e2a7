//===- TrainingData.h - what a model is trained on ---------------------------------------------------------------===//
//
// Either one long sequence of tokens, for entry points that take tokens and the tokens that follow, both of
// i32[batch, seq]; or a tensor for each input, whose first dimension counts samples. The last part is held out. Where
// such a tensor is lines of text (TextFile.h), a batch is as wide as its longest line and the zero behind it, unless
// the entry point says a width; inputs that share a dimension are as wide as the widest of them.
//
// Which windows or samples a step sees is a function of the seed and the number of the step alone: draw b of step s is
// attn_random_uniform(seed, "order", s * batch + b).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/InputRanges.h"
#include "tools/attnc/TensorFile.h"
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// The entry point's dimensions that a batch has.
struct BatchShape {
  int64_t batch = 0;    ///< rows
  int64_t sequence = 0; ///< tokens in a row; 0 where samples are tensors
};

/// How many of an entry point's inputs data are for: all but the seed of its draws, and their step.
int32_t dataInputs(const attn_entry_info &entry);
/// The size of the first dimension where it is a number.
std::optional<int64_t> leadingNumber(const attn_tensor_info &tensor);

class TrainingData {
public:
  /// `places` are one file (a .npy of integers is tokens, any other file is bytes), or `input=file` for each input.
  static llvm::Expected<TrainingData> read(const attn_model &model, const attn_entry_info &entry,
                                           const std::vector<std::string> &places, double heldOut);

  /// Whether there are enough to train on, and fit.
  llvm::Error check(BatchShape shape, const InputRanges &ranges) const;
  /// Whether they have the types and sizes of the entry's inputs, and tokens are below what they subscript.
  llvm::Error fits(const InputRanges &ranges) const;

  /// The inputs of step `step`, counted from 0.
  std::vector<HostTensor> batch(BatchShape shape, uint64_t seed, int64_t step) const;
  /// The inputs of validation batch `number`: one after the other of what is held out; empty behind the last.
  std::vector<HostTensor> heldOutBatch(BatchShape shape, int64_t number) const;

  bool isSequence() const { return samples.empty(); } ///< one file of tokens
  bool isText() const { return isBytes; }             ///< tokens are bytes
  /// Whether samples of an input are lines of text.
  bool isOfLines(int32_t input) const { return !samples.empty() && samples[input].isOfLines; }
  uint64_t fingerprint() const; ///< of all values
  int64_t heldOutCount() const { return count() - split; }

private:
  /// What there is for one input.
  struct Samples {
    HostTensor tensor;
    std::string path;
    bool isOfLines = false;
    /// How many characters line `row` has.
    int64_t length(int64_t row) const;
  };

  llvm::Error readSamples(llvm::StringRef place);
  llvm::Error fitsTokens(int64_t vocabulary) const;
  llvm::Error fitsInput(int32_t input) const;
  llvm::Error fitsCharacters(int32_t input, int64_t vocabulary) const;
  int64_t count() const { return isSequence() ? int64_t(tokens.size()) : samples.front().tensor.shape.front(); }
  std::vector<HostTensor> gather(BatchShape shape, const std::vector<int64_t> &starts) const;
  int64_t widthOf(size_t input, const std::vector<int64_t> &rows) const;

  int32_t accumulated() const;

  const attn_entry_info *entry = nullptr;
  std::vector<int32_t> tokens;
  bool isBytes = false;
  std::vector<Samples> samples; ///< in the order of the entry's inputs
  int64_t split = 0;            ///< where what is held out begins
};

} // namespace attnc
