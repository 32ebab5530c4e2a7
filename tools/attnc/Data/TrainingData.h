//===- TrainingData.h - batches of training and held-out data -----------------------------------------------------===//
//
// The data are one long sequence of tokens (TokenSequence.h), of which a row is a window, or a tensor for each input
// (Samples.h), of which a row is a sample. The last part is held out.
//
// The rows of a training step are a function of the seed and the number of the step alone: row b of step s is selected
// by attn_random_uniform(seed, "order", s * batch + b).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Call/InputRanges.h"
#include "tools/attnc/Call/InputValues.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// The sizes of a batch.
struct BatchShape {
  int64_t batch = 0;    ///< rows
  int64_t sequence = 0; ///< tokens of a row; unused for Samples
};

/// The number of inputs that are data: all except the seed and the step of random draws, which are last.
int32_t dataInputs(const attn_entry_info &entry);

class TrainingData {
public:
  /// `places` has one file of tokens (TokenSequence::read), or `input=file` for each input of `entry`. The data refer
  /// to `entry`, which must outlive them. `heldOut` is the share that is held out, from 0 to 1.
  static llvm::Expected<std::unique_ptr<TrainingData>> read(const attn_entry_info &entry,
                                                            const std::vector<std::string> &places, double heldOut);
  virtual ~TrainingData();

  /// Fails if there are too few data to train on, or if they do not fit the entry point.
  llvm::Error check(BatchShape shape, const InputRanges &ranges) const;
  /// Fails if a type or size differs from that of the input, or if a token is outside of its range.
  virtual llvm::Error fits(const InputRanges &ranges) const = 0;

  /// The inputs of step `step`, counted from 0.
  std::vector<HostTensor> batch(BatchShape shape, uint64_t seed, int64_t step) const;
  /// The inputs of validation batch `number`, from consecutive held-out rows; empty after the last batch.
  std::vector<HostTensor> heldOutBatch(BatchShape shape, int64_t number) const;
  /// The number of held-out rows that no batch contains, because the entry point has a fixed number of rows.
  int64_t leftOut(BatchShape shape) const;

  virtual bool isSequence() const { return false; } ///< one file of tokens
  virtual bool isText() const { return false; }     ///< one file of tokens that are bytes
  /// Whether samples of an input are lines of text.
  virtual bool isOfLines([[maybe_unused]] int32_t input) const { return false; }
  virtual uint64_t fingerprint() const = 0; ///< hash of all values
  int64_t heldOutCount() const { return count() - split; }

protected:
  TrainingData(const attn_entry_info &entry, double heldOut) : entry(entry), heldOut(heldOut) {}
  /// Separates the held-out part; requires that the values are read.
  void splitOff() { split = int64_t(double(count()) * (1 - heldOut)); }
  virtual int64_t count() const = 0;    ///< tokens or samples
  virtual const char *unit() const = 0; ///< their plural in messages
  /// The number of positions at which a row can begin in `size` tokens or samples; less than 1 if these are too few.
  virtual int64_t places(BatchShape shape, int64_t size) const = 0;
  /// The number of consecutive rows in `size` tokens or samples; the distance of two rows is `stride`.
  virtual int64_t rows(BatchShape shape, int64_t size) const = 0;
  virtual int64_t stride(BatchShape shape) const = 0;
  /// The number of dimensions of inputs before the rows: 1 if the training step accumulates gradients, otherwise 0.
  virtual int32_t accumulated() const = 0;
  /// The inputs of a batch whose rows begin at the tokens or samples `starts`.
  virtual std::vector<HostTensor> gather(BatchShape shape, const std::vector<int64_t> &starts) const = 0;

  const attn_entry_info &entry;

private:
  bool isOfFixedRows() const; ///< whether the entry point has a fixed number of rows

  double heldOut;
  int64_t split = 0; ///< the first held-out token or sample
};

} // namespace attnc
