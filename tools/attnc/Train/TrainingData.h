//===- TrainingData.h - what a model is trained on ---------------------------------------------------------------===//
//
// Either one long sequence of tokens, for entry points that take tokens and the tokens that follow, both of
// i32[batch, seq]; or a tensor for each input, whose first dimension counts samples. The last part is held out.
//
// Which windows or samples a step sees is a function of the seed and the number of the step alone: draw b of step s is
// attn_random_uniform(seed, "order", s * batch + b).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

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

/// How many of an entry point's inputs data are for: all but the seed of its draws.
int32_t dataInputs(const attn_entry_info &entry);
/// The size of the first dimension where it is a number.
std::optional<int64_t> leadingNumber(const attn_tensor_info &tensor);

class TrainingData {
public:
  /// `places` are one file (a .npy of integers is tokens, any other file is bytes), or `input=file` for each input.
  static llvm::Expected<TrainingData> read(const attn_model &model, const attn_entry_info &entry,
                                           const std::vector<std::string> &places, double heldOut);

  /// Whether the entry's inputs fit, and every token is below `vocabulary` (0: not known).
  llvm::Error check(BatchShape shape, int64_t vocabulary) const;

  /// The inputs of step `step`, counted from 0.
  std::vector<HostTensor> batch(BatchShape shape, uint64_t seed, int64_t step) const;
  /// The inputs of validation batch `number`: one after the other of what is held out; empty behind the last.
  std::vector<HostTensor> heldOutBatch(BatchShape shape, int64_t number) const;

  bool isSequence() const { return !tokens.empty(); }
  bool isText() const { return isBytes; } ///< tokens are bytes
  uint64_t fingerprint() const;           ///< of all values
  int64_t heldOutCount() const { return count() - split; }

private:
  int64_t count() const { return isSequence() ? int64_t(tokens.size()) : samples.front().shape.front(); }
  std::vector<HostTensor> gather(BatchShape shape, const std::vector<int64_t> &starts) const;

  int32_t accumulated() const;

  const attn_entry_info *entry = nullptr;
  std::vector<int32_t> tokens;
  bool isBytes = false;
  std::vector<HostTensor> samples; ///< in the order of the entry's inputs
  int64_t split = 0;               ///< where what is held out begins
};

} // namespace attnc
