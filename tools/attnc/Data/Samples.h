//===- Samples.h - data sets with one tensor for each input -------------------------------------------------------===//
//
// The first dimension of each tensor counts samples. For lines of characters (TextFile.h) or words (Vocabulary.h), the
// width of a batch (its second dimension) is the length of its longest line plus one zero, unless the entry point has a
// fixed width. Inputs whose second dimension is the same dimension of the entry point have the width of the widest of
// them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Data/TrainingData.h"

namespace attnc {

class Samples : public TrainingData {
public:
  /// `places` has one `input=file` for each input from the data. Fails if a file cannot be read, an input is missing or
  /// unknown, or the numbers of samples differ. The samples refer to the vocabularies.
  static llvm::Expected<std::unique_ptr<Samples>> read(const attn_entry_info &entry, EntryInputs inputs,
                                                       const std::vector<std::string> &places,
                                                       const Vocabularies &vocabularies, double heldOut);

  bool isOfLines(int32_t input) const override;
  const Vocabulary *vocabularyOf(int32_t input) const override;
  BatchShape used(BatchShape shape) const override { return {shape.batch, 0}; }

private:
  /// The data of one input.
  struct Input {
    HostTensor tensor;
    std::string path;
    bool isOfCharacters = false;            ///< the rows are lines of characters
    const Vocabulary *vocabulary = nullptr; ///< of words or labels

    bool isOfWords() const { return vocabulary && vocabulary->kind() == Vocabulary::Kind::Words; }
    bool isOfLines() const { return isOfCharacters || isOfWords(); }
    /// The number of characters or words of line `row`.
    int64_t length(int64_t row) const;
  };

  using TrainingData::TrainingData;
  llvm::Error readInput(llvm::StringRef place, const Vocabularies &vocabularies);
  const Input *find(int32_t input) const;
  llvm::Error checkInput(size_t input) const;
  llvm::Error checkCharacters(size_t input, int64_t vocabulary) const;
  int64_t widthOf(size_t input, const std::vector<int64_t> &rows) const;

  llvm::Error checkSamples(const InputRanges &ranges) const override;
  uint64_t hashOfSamples() const override;
  int64_t count() const override { return samples.front().tensor.shape.front(); }
  int64_t places(BatchShape, int64_t size) const override { return size; }
  int64_t rows(BatchShape, int64_t size) const override { return size; }
  int64_t stride(BatchShape) const override { return 1; }
  bool isAccumulated() const override;
  std::vector<HostTensor> gather(BatchShape shape, const std::vector<int64_t> &starts) const override;

  std::vector<Input> samples; ///< of the inputs from the data, in their order
};

} // namespace attnc
