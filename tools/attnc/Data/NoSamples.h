//===- NoSamples.h - calls without data ---------------------------------------------------------------------------===//
//
// For entry points whose inputs before the key of random draws all have values: the model may draw its own data. A
// batch is one call; the model determines the number of samples in it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Data/TrainingData.h"

namespace attnc {

class NoSamples : public TrainingData {
public:
  explicit NoSamples(const attn_entry_info &entry, EntryInputs inputs) : TrainingData(entry, std::move(inputs), 0) {}

  /// Without draws all calls are equal, so there is one batch.
  std::optional<Batch> heldOutBatch(BatchShape shape, int64_t number) const override;
  bool hasHeldOut() const override { return draws(); }
  BatchShape used(BatchShape) const override { return {0, 0}; }

private:
  bool draws() const { return inputsBeforeKey(entry) < entry.input_count; }
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
