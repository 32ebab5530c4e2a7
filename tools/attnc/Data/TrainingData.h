//===- TrainingData.h - batches of training and held-out data -----------------------------------------------------===//
//
// Either one long sequence of tokens (TokenSequence.h), of which a row is a window, or a tensor for each input
// (Samples.h), of which a row is a sample. The last part is held out.
//
// Which rows a step sees is a function of the seed and the number of the step alone: draw b of step s is
// attn_random_uniform(seed, "order", s * batch + b).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Call/InputRanges.h"
#include "tools/attnc/Tensors/TensorFile.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// The entry point's dimensions that a batch has.
struct BatchShape {
  int64_t batch = 0;    ///< rows
  int64_t sequence = 0; ///< tokens in a row; not used where samples are tensors
};

/// How many of an entry point's inputs data are for: all but the seed of its draws, and their step.
int32_t dataInputs(const attn_entry_info &entry);
/// The size of the first dimension where it is a number.
std::optional<int64_t> leadingNumber(const attn_tensor_info &tensor);

class TrainingData {
public:
  /// `places` are one file (a .npy of integers is tokens, any other file is bytes), or `input=file` for each input of
  /// `entry`, which the data then refer to. `heldOut` is the share that is held out, from 0 to 1.
  static llvm::Expected<std::unique_ptr<TrainingData>> read(const attn_entry_info &entry,
                                                            const std::vector<std::string> &places, double heldOut);
  virtual ~TrainingData();

  /// Whether there are enough to train on, and fit.
  llvm::Error check(BatchShape shape, const InputRanges &ranges) const;
  /// Whether they have the types and sizes of the entry's inputs, and tokens are below what they subscript.
  virtual llvm::Error fits(const InputRanges &ranges) const = 0;

  /// The inputs of step `step`, counted from 0.
  std::vector<HostTensor> batch(BatchShape shape, uint64_t seed, int64_t step) const;
  /// The inputs of validation batch `number`: one after the other of what is held out; empty behind the last.
  std::vector<HostTensor> heldOutBatch(BatchShape shape, int64_t number) const;
  /// How many rows are held out and in no batch, as they are less than the number that the entry point says.
  int64_t leftOut(BatchShape shape) const;

  virtual bool isSequence() const { return false; } ///< one file of tokens
  virtual bool isText() const { return false; }     ///< ... which are bytes
  /// Whether samples of an input are lines of text.
  virtual bool isOfLines([[maybe_unused]] int32_t input) const { return false; }
  virtual uint64_t fingerprint() const = 0; ///< of all values
  int64_t heldOutCount() const { return count() - split; }

protected:
  TrainingData(const attn_entry_info &entry, double heldOut) : entry(entry), heldOut(heldOut) {}
  /// Once the values are there.
  void splitOff() { split = int64_t(double(count()) * (1 - heldOut)); }
  virtual int64_t count() const = 0;    ///< tokens or samples
  virtual const char *unit() const = 0; ///< the word for them
  /// Of `size` of them: at how many places a row can begin; less than 1 where they are too few ...
  virtual int64_t places(BatchShape shape, int64_t size) const = 0;
  /// ... and how many rows they hold side by side, `stride` from each other.
  virtual int64_t rows(BatchShape shape, int64_t size) const = 0;
  virtual int64_t stride(BatchShape shape) const = 0;
  /// Dimensions of inputs in front of the rows: 1 where the step accumulates.
  virtual int32_t accumulated() const = 0;
  virtual std::vector<HostTensor> gather(BatchShape shape, const std::vector<int64_t> &starts) const = 0;

  const attn_entry_info &entry;

private:
  bool isOfFixedRows() const;

  double heldOut;
  int64_t split = 0; ///< where what is held out begins
};

} // namespace attnc
