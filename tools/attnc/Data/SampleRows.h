//===- SampleRows.h - the samples of one input --------------------------------------------------------------------===//
//
// A sample is a row of a file. Rows are ragged, which means that each has its own width, in
//
//   - lines of characters or words (TextFile.h, Vocabulary.h): a row ends with at least one zero,
//   - a tensor of the rows one after another, [elements of all rows, ...], with offsets: row r is the elements from
//     offsets[r] to offsets[r + 1], and offsets has one number more than there are rows.
//
// Rows of any other tensor, [rows, ...], have the same width. In a batch, ragged rows are padded with zeros.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Tensors/Vocabularies.h"

namespace attnc {

class SampleRows {
public:
  SampleRows() = default;
  /// Reads the samples of the input `name`. The rows refer to a vocabulary.
  static llvm::Expected<SampleRows> read(llvm::StringRef name, llvm::StringRef path, const Vocabularies &vocabularies);
  /// Reads the offsets of rows that are one after another. Fails if they do not divide the tensor into rows.
  llvm::Error readOffsets(llvm::StringRef path);

  const std::string &path() const { return source; }
  const std::string &offsetsPath() const { return offsetsSource; }
  attn_dtype dtype() const { return tensor.dtype; }
  int64_t count() const { return isDivided() ? int64_t(offsets.size()) - 1 : tensor.shape.front(); }
  /// The number of dimensions of a batch.
  int32_t rank() const { return int32_t(tensor.shape.size()) + isDivided(); }
  /// The size of dimension `d` of a batch; null for the rows, and for the width of ragged rows.
  std::optional<int64_t> size(int32_t d) const;
  /// "f32[20, 3] with offsets", for messages.
  std::string typeText() const;
  /// "file:7", or "row 6 of file" of a tensor.
  std::string placeOf(int64_t row) const;

  bool isOfCharacters() const { return areCharacters; }
  bool isOfWords() const { return words && words->kind() == Vocabulary::Kind::Words; }
  bool isOfLines() const { return isOfCharacters() || isOfWords(); }
  const Vocabulary *vocabulary() const { return words; } ///< of words or labels; null for other rows
  bool isDivided() const { return !offsets.empty(); }    ///< by offsets
  bool isRagged() const { return isOfLines() || isDivided(); }
  /// The number of characters, words or elements of a ragged row.
  int64_t length(int64_t row) const;
  /// The smallest width of a batch with a ragged row: that of a line includes its end.
  int64_t widthOf(int64_t row) const { return length(row) + (isOfLines() ? 1 : 0); }
  /// Fails if a character's code point is not below `room`, which is above 0.
  llvm::Error checkCharacters(int64_t room) const;

  /// A batch of these rows; ragged rows have `width` elements.
  HostTensor gather(llvm::ArrayRef<int64_t> rows, int64_t width) const;
  /// `hash`, changed by all values.
  uint64_t fingerprint(uint64_t hash) const;

private:
  llvm::Error checkOffsets(llvm::StringRef path) const;

  HostTensor tensor;
  std::string source, offsetsSource;
  bool areCharacters = false;
  const Vocabulary *words = nullptr;
  std::vector<int32_t> offsets; ///< empty if the first dimension of the tensor counts rows
};

} // namespace attnc
