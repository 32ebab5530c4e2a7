//===- NoSamples.h - calls without data ---------------------------------------------------------------------------===//
//
// For entry points whose inputs before the key of random draws all have values (EntryInputs.h): the model may draw its
// own data from the key. Each call is a batch; the model determines the number of samples in it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Data/TrainingData.h"

namespace attnc {

/// TrainingData whose batches are all equal: the values of `inputs`.
class NoSamples : public TrainingData {
public:
  /// Requires that `inputs` has a value for each input before the key. `entry` must outlive this object.
  explicit NoSamples(const attn_entry_info &entry, EntryInputs inputs) : TrainingData(entry, std::move(inputs), 0) {}

  /// The batch, with 1 row. If the entry point has no draws, all calls are equal, and the result is null for `number`
  /// above 0. With draws it is never null: the caller limits the number of batches.
  std::optional<Batch> heldOutBatch(BatchShape shape, int64_t number) const override;
  /// False without draws, although heldOutBatch() has a batch 0: it would equal the batches of training.
  bool hasHeldOut(BatchShape) const override { return draws(); }
  BatchShape used(BatchShape) const override { return {0, 0}; }

private:
  bool draws() const { return inputsBeforeKey(entry) < entry.input_count; } ///< the entry point has random draws
  llvm::Error checkSamples(const InputRanges &) const override { return llvm::Error::success(); }
  uint64_t hashOfSamples() const override { return 0; }
  int64_t count() const override { return 0; }
  int64_t places(BatchShape, int64_t) const override { return 1; }
  int64_t rows(BatchShape, int64_t) const override { return 0; }
  int64_t stride(BatchShape) const override { return 1; }
  bool isAccumulated() const override { return inputs.areOfOneBatch(); }
  std::vector<HostTensor> gather(BatchShape, const std::vector<int64_t> &) const override { return {}; }
};

} // namespace attnc
