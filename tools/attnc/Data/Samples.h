//===- Samples.h - data sets with one tensor for each input -------------------------------------------------------===//
//
// Each input has rows of its own (SampleRows.h); all inputs have the same number of rows. Sample r consists of row r of
// each input. The width of ragged rows in a batch is its second dimension. If this dimension has a constant size in the
// entry point, the width is this size. Otherwise it is the width of the widest row of the batch, at least 1, over all
// inputs whose second dimension is the same dimension of the entry point.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Data/SampleRows.h"
#include "tools/attnc/Data/TrainingData.h"

namespace attnc {

/// TrainingData of samples.
class Samples : public TrainingData {
public:
  /// `places` has one INPUT=FILE for each input from the data, and INPUT.offsets=FILE for inputs with offsets.
  /// `heldOut` is the share of samples, at the end, that is held out. An error if a file cannot be read, an input is
  /// missing, unknown or given twice, the offsets do not divide a tensor, or the numbers of samples differ. Requires an
  /// input from the data. `entry` and `vocabularies` must outlive the result.
  static llvm::Expected<std::unique_ptr<Samples>> read(const attn_entry_info &entry, EntryInputs inputs,
                                                       const std::vector<std::string> &places,
                                                       const Vocabularies &vocabularies, double heldOut);

  bool isOfLines(int32_t input) const override;
  const Vocabulary *vocabularyOf(int32_t input) const override;
  BatchShape used(BatchShape shape) const override { return {shape.batch, 0}; }

private:
  using TrainingData::TrainingData;
  llvm::Error readInput(llvm::StringRef place, const Vocabularies &vocabularies);
  llvm::Error readOffsets(llvm::StringRef place);
  std::optional<size_t> numberOf(llvm::StringRef name) const;
  const SampleRows *find(int32_t input) const;
  llvm::Error checkInput(size_t input) const;
  const attn_size_info &widthInfo(size_t input) const;
  std::optional<int64_t> widest(size_t input) const;
  int64_t widthOf(size_t input, const std::vector<int64_t> &rows) const;

  llvm::Error checkSamples(const InputRanges &ranges) const override;
  uint64_t hashOfSamples() const override;
  int64_t count() const override { return samples.front().count(); }
  int64_t places(BatchShape, int64_t size) const override { return size; }
  int64_t rows(BatchShape, int64_t size) const override { return size; }
  int64_t stride(BatchShape) const override { return 1; }
  bool isAccumulated() const override;
  std::vector<HostTensor> gather(BatchShape shape, const std::vector<int64_t> &starts) const override;

  std::vector<SampleRows> samples; ///< of the inputs from the data, in their order
};

} // namespace attnc
