//===- TrainingData.h - batches of training and held-out data -----------------------------------------------------===//
//
// The data are one of:
//
//   - one long sequence of tokens, of which a row is a window (TokenSequence.h),
//   - a tensor for each input from the data, of which a row is a sample (Samples.h),
//   - nothing, if all inputs have the same value in each batch (NoSamples.h).
//
// The last part of the data is held out. Inputs that are not from the data have the same value in each batch
// (EntryInputs.h).
//
// The rows of a training step are a function of the seed and the number of the step alone: row b of step s is selected
// by attn_random_uniform(seed, "order", s * batch + b), so rows may repeat.
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

  /// The number of tokens, of samples, or of calls in a batch, by unit().
  int64_t items() const { return std::max<int64_t>(batch, 1) * std::max<int64_t>(sequence, 1); }
  const char *unit() const { return sequence > 0 ? "tokens" : batch > 0 ? "samples" : "steps"; }
  /// A phrase for messages: "8 x 128 tokens", "8 samples" or "without data".
  std::string text() const;
};

/// The inputs of one call of the entry point.
struct Batch {
  std::vector<HostTensor> inputs; ///< all inputs before the key of random draws, in order (EntryInputs.h)
  int64_t rows = 0;               ///< rows from the data; without data 1 if held out, else the batch size of options
};

class TrainingData {
public:
  /// Reads the vocabularies and files of `options`: one file of tokens, or one for each input from the data, and the
  /// inputs that are the same in each batch. An error if a file cannot be read, if an input has neither data nor a
  /// value, if `heldOut` is not from 0 to 1, or if an option is wrong or, for an entry point without inputs from data,
  /// has no effect. `entry` must outlive the result.
  static llvm::Expected<std::unique_ptr<TrainingData>> read(const attn_entry_info &entry, const DataOptions &options);
  virtual ~TrainingData();

  /// An error if the part that is not held out is too small for a row, if fits() is one, or if the rows of a batch
  /// cannot be divided among the batches that the training step accumulates.
  llvm::Error check(BatchShape shape, const InputRanges &ranges) const;
  /// An error if an element type, rank or size of the data or of a value of --input differs from that of its input, if
  /// rows are too wide for their input, or if a token of a sequence, a character, the size of a vocabulary or a value
  /// of --input is beyond the numbers among its limits `ranges`. Integers in tensors of samples are not checked.
  llvm::Error fits(const InputRanges &ranges) const;

  /// The inputs of training step `step`, counted from 0, with `shape.batch` rows of the part that is not held out. If
  /// the step accumulates batches, the rows are divided among these, and inputs have one more leading dimension.
  /// Requires that check() succeeds.
  Batch batch(BatchShape shape, uint64_t seed, int64_t step) const;
  /// The inputs of validation batch `number`, counted from 0: consecutive held-out rows, without a dimension for
  /// accumulation. The last batch may have fewer rows. Null after the last batch. If the entry point has a fixed number
  /// of rows, there is no batch with fewer rows.
  virtual std::optional<Batch> heldOutBatch(BatchShape shape, int64_t number) const;
  /// Whether the held-out data suffice for a validation batch. Without data: whether the entry point has random draws.
  virtual bool hasHeldOut(BatchShape shape) const;
  /// The number of held-out rows that no batch contains, because the entry point has a fixed number of rows.
  int64_t leftOut(BatchShape shape) const;
  /// All inputs before the key; `samples` has one tensor for each input from the data (EntryInputs::complete).
  std::vector<HostTensor> complete(std::vector<HostTensor> samples) const {
    return inputs.complete(std::move(samples));
  }

  /// `shape` with 0 for each size that has no effect on these data.
  virtual BatchShape used(BatchShape shape) const = 0;
  bool hasSamples() const { return !inputs.sampled().empty(); } ///< whether some inputs are from the data
  virtual bool isSequence() const { return false; }             ///< the data are one file of tokens
  virtual bool isText() const { return false; }                 ///< the data are one file, whose bytes are the tokens
  /// Whether a row of the input with number `input` is a window of a TokenSequence, or a line of words or characters.
  virtual bool isOfTokens(int32_t input) const { return isOfLines(input) || vocabularyOf(input); }
  /// Whether the rows of this input are lines of characters.
  virtual bool isOfLines([[maybe_unused]] int32_t input) const { return false; }
  /// The vocabulary of an input whose rows are words; null for other inputs.
  virtual const Vocabulary *vocabularyOf([[maybe_unused]] int32_t input) const { return nullptr; }
  /// The tokens of a text, if the data are one file of bytes or words; otherwise null.
  virtual std::optional<std::vector<int32_t>> tokensOf([[maybe_unused]] llvm::StringRef text) const {
    return std::nullopt;
  }
  const Vocabularies &vocabularies() const { return allVocabularies; }
  /// Hash of all data, of the values of inputs, and of the vocabularies.
  uint64_t fingerprint() const { return allVocabularies.fingerprint(inputs.fingerprint(hashOfSamples())); }

protected:
  TrainingData(const attn_entry_info &entry, EntryInputs inputs, double heldOut)
      : entry(entry), inputs(std::move(inputs)), heldOut(heldOut) {}
  /// Sets `split` by the share `heldOut`. A subclass calls it after it has read the data.
  void splitOff() { split = trainingPart(count(), heldOut); }
  /// An error if `vocabulary`, of the input `input`, has more than `room` tokens or labels. A `room` of 0 is no limit.
  static llvm::Error checkRoom(llvm::StringRef input, const Vocabulary &vocabulary, int64_t room);
  virtual llvm::Error checkSamples(const InputRanges &ranges) const = 0; ///< fits() for inputs from the data
  virtual uint64_t hashOfSamples() const = 0;                            ///< hash of the inputs from the data
  virtual int64_t count() const = 0; ///< number of tokens or samples, with those held out
  /// The number of positions at which a row can begin in `size` tokens or samples; less than 1 if these are too few.
  virtual int64_t places(BatchShape shape, int64_t size) const = 0;
  /// The number of consecutive rows in `size` tokens or samples that do not overlap.
  virtual int64_t rows(BatchShape shape, int64_t size) const = 0;
  /// The number of tokens or samples from the start of such a row to the start of the next one.
  virtual int64_t stride(BatchShape shape) const = 0;
  /// Whether inputs have a dimension before the rows, because the training step accumulates gradients of batches.
  virtual bool isAccumulated() const = 0;
  /// The inputs from the data for a batch whose rows begin at the tokens or samples `starts`, without a dimension for
  /// accumulation.
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
  int64_t split = 0;            ///< number of the first held-out token or sample
  Vocabularies allVocabularies; ///< owns the vocabularies that vocabularyOf() returns
};

} // namespace attnc
