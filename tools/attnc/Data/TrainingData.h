//===- TrainingData.h - batches of training and held-out data -----------------------------------------------------===//
//
// The data are one long sequence of tokens (TokenSequence.h), of which a row is a window, or a tensor for each input
// (Samples.h), of which a row is a sample. The last part is held out. Other inputs have the same value in each batch
// (EntryInputs.h). If there are no others, there are no data (NoSamples.h).
//
// The rows of a training step are a function of the seed and the number of the step alone: row b of step s is selected
// by attn_random_uniform(seed, "order", s * batch + b).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Data/EntryInputs.h"
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

struct DataOptions;

/// The sizes of a batch; 0 for a size that has no effect.
struct BatchShape {
  int64_t batch = 0;    ///< rows
  int64_t sequence = 0; ///< tokens of a row

  /// The number of tokens, of samples, or of calls, by `unit`.
  int64_t items() const { return std::max<int64_t>(batch, 1) * std::max<int64_t>(sequence, 1); }
  const char *unit() const { return sequence > 0 ? "tokens" : batch > 0 ? "samples" : "steps"; }
  /// "8 x 128 tokens".
  std::string text() const;
};

/// The inputs of one call before the key of random draws.
struct Batch {
  std::vector<HostTensor> inputs;
  int64_t rows = 0; ///< 1 for a call without data
};

class TrainingData {
public:
  /// Reads the files of the options: one file of tokens (TokenSequence::read), or one for each input of `entry`
  /// (Samples::read), and inputs that are the same in each batch. The data refer to `entry`, which must outlive them.
  static llvm::Expected<std::unique_ptr<TrainingData>> read(const attn_entry_info &entry, const DataOptions &options);
  virtual ~TrainingData();

  /// Fails if there are too few data to train on, or if they do not fit the entry point.
  llvm::Error check(BatchShape shape, const InputRanges &ranges) const;
  /// Fails if a type or size differs from that of the input, or if a token is outside of its range.
  llvm::Error fits(const InputRanges &ranges) const;

  /// The inputs of step `step`, counted from 0. If the step accumulates batches, the rows are divided among them.
  Batch batch(BatchShape shape, uint64_t seed, int64_t step) const;
  /// The inputs of validation batch `number`, from consecutive held-out rows; null after the last batch.
  virtual std::optional<Batch> heldOutBatch(BatchShape shape, int64_t number) const;
  /// Whether there is a batch to validate with.
  virtual bool hasHeldOut() const { return count() > split; }
  /// The number of held-out rows that no batch contains, because the entry point has a fixed number of rows.
  int64_t leftOut(BatchShape shape) const;
  /// All inputs for `samples`, which has the inputs from the data.
  std::vector<HostTensor> complete(std::vector<HostTensor> samples) const {
    return inputs.complete(std::move(samples));
  }

  /// The sizes that determine a batch.
  virtual BatchShape used(BatchShape shape) const = 0;
  bool hasSamples() const { return !inputs.sampled().empty(); }
  virtual bool isSequence() const { return false; } ///< one file of tokens
  virtual bool isText() const { return false; }     ///< one file of tokens that are bytes
  /// Whether an input is a row of tokens, and whether its samples are lines of characters.
  virtual bool isOfTokens(int32_t input) const { return isOfLines(input) || vocabularyOf(input); }
  virtual bool isOfLines([[maybe_unused]] int32_t input) const { return false; }
  /// The vocabulary of an input whose rows are words; null for others.
  virtual const Vocabulary *vocabularyOf([[maybe_unused]] int32_t input) const { return nullptr; }
  /// The tokens of a text, if the data are one file of bytes or words; otherwise null.
  virtual std::optional<std::vector<int32_t>> tokensOf([[maybe_unused]] llvm::StringRef text) const {
    return std::nullopt;
  }
  const Vocabularies &vocabularies() const { return allVocabularies; }
  /// Hash of all values and vocabularies.
  uint64_t fingerprint() const { return allVocabularies.fingerprint(inputs.fingerprint(hashOfSamples())); }

protected:
  TrainingData(const attn_entry_info &entry, EntryInputs inputs, double heldOut)
      : entry(entry), inputs(std::move(inputs)), heldOut(heldOut) {}
  /// Separates the held-out part; requires that the values are read.
  void splitOff() { split = trainingPart(count(), heldOut); }
  /// Fails if the vocabulary of an input has more tokens or labels than the model has room for, unless `room` is 0.
  static llvm::Error checkRoom(llvm::StringRef input, const Vocabulary &vocabulary, int64_t room);
  virtual llvm::Error checkSamples(const InputRanges &ranges) const = 0; ///< as fits() does
  virtual uint64_t hashOfSamples() const = 0;
  virtual int64_t count() const = 0; ///< tokens or samples
  /// The number of positions at which a row can begin in `size` tokens or samples; less than 1 if these are too few.
  virtual int64_t places(BatchShape shape, int64_t size) const = 0;
  /// The number of consecutive rows in `size` tokens or samples; the distance of two rows is `stride`.
  virtual int64_t rows(BatchShape shape, int64_t size) const = 0;
  virtual int64_t stride(BatchShape shape) const = 0;
  /// Whether inputs have a dimension before the rows, because the training step accumulates gradients of batches.
  virtual bool isAccumulated() const = 0;
  /// The inputs from the data of a batch whose rows begin at the tokens or samples `starts`.
  virtual std::vector<HostTensor> gather(BatchShape shape, const std::vector<int64_t> &starts) const = 0;

  const attn_entry_info &entry;
  const EntryInputs inputs;

private:
  static llvm::Expected<std::unique_ptr<TrainingData>> readSamples(const attn_entry_info &entry,
                                                                   const DataOptions &options, EntryInputs inputs,
                                                                   const Vocabularies &vocabularies);
  std::vector<HostTensor> forStep(std::vector<HostTensor> all) const;
  int64_t accumulatedBatches() const { return isAccumulated() && hasSamples() ? *leadingNumber(inputs.sampled(0)) : 1; }
  bool isOfFixedRows() const; ///< whether the entry point has a fixed number of rows

  double heldOut;
  int64_t split = 0;            ///< the first held-out token or sample
  Vocabularies allVocabularies; ///< which vocabularyOf() refers to
};

} // namespace attnc
