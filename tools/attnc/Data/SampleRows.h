//===- SampleRows.h - the samples of one input --------------------------------------------------------------------===//
//
// A sample of an input is a row of a file. Rows are ragged, which means that each row has its own width, in
//
//   - lines of characters or words (TextFile.h, Vocabulary.h): a row ends with at least one zero, or
//     for a tokenizer with at least one token that ends a text,
//   - a tensor of the rows one after another, [elements of all rows, ...], with offsets: row r consists of the elements
//     from offsets[r] to offsets[r + 1] - 1. The offsets are i32[rows + 1]; the first is 0, the last the first size of
//     the tensor.
//
// Rows of any other tensor, [rows, ...], have the same width. In a batch, ragged rows are padded with zeros, or
// with the token that ends a row of the tokenizer.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Tensors/Vocabularies.h"

namespace attnc {

/// All rows of one input. A default-constructed object has an empty path() and no rows; other members are for objects
/// that read() returns.
class SampleRows {
public:
  SampleRows() = default;
  /// Reads the samples of the input `name` from a file (TensorFile.h). An error if the file cannot be read, if its
  /// tensor has rank 0, or if words or labels have no vocabulary. The result refers to a vocabulary of `vocabularies`,
  /// which must outlive it.
  static llvm::Expected<SampleRows> read(llvm::StringRef name, llvm::StringRef path, const Vocabularies &vocabularies);
  /// Reads the offsets that divide the tensor into ragged rows. An error if the file cannot be read, if the rows are
  /// lines, or if the file's tensor is not i32[rows + 1] with offsets as above. After an error, the object is unusable.
  llvm::Error readOffsets(llvm::StringRef path);

  const std::string &path() const { return source; }               ///< of the file of the rows
  const std::string &offsetsPath() const { return offsetsSource; } ///< empty without offsets
  attn_dtype dtype() const { return tensor.dtype; }
  int64_t count() const { return isDivided() ? int64_t(offsets.size()) - 1 : tensor.shape.front(); } ///< of rows
  /// The number of dimensions of a batch, [rows, ...]: with offsets, one more than the tensor has.
  int32_t rank() const { return int32_t(tensor.shape.size()) + isDivided(); }
  /// The size of dimension `d` of a batch; null for dimension 0, the rows, and for the width (dimension 1) of ragged
  /// rows.
  std::optional<int64_t> size(int32_t d) const;
  /// The type of the file's tensor for messages: "f32[20, 3] with offsets".
  std::string typeText() const;
  /// The place of a row for messages: "file:7" for line 6 from 0, or "row 6 of file".
  std::string placeOf(int64_t row) const;

  bool isOfCharacters() const { return areCharacters; } ///< rows are lines of characters (.txt)
  bool isOfWords() const { return words && words->kind() == Vocabulary::Kind::Words; } ///< lines of words (.words)
  bool isOfLines() const { return isOfCharacters() || isOfWords(); }
  const Vocabulary *vocabulary() const { return words; } ///< of words or labels; null for other rows
  bool isDivided() const { return !offsets.empty(); }    ///< has offsets
  bool isRagged() const { return isOfLines() || isDivided(); }
  /// The number of characters, words or elements of a row, which must be ragged.
  int64_t length(int64_t row) const;
  /// The smallest width of a batch that contains this ragged row: its length, plus 1 for the end of a line.
  int64_t widthOf(int64_t row) const { return length(row) + (isOfLines() ? 1 : 0); }
  /// An error if a code point of the rows, which are characters, is not below `room`. Requires room > 0.
  llvm::Error checkCharacters(int64_t room) const;

  /// A batch with the rows of these numbers, [rows, ...]. Ragged rows are padded or cut to `width` elements; `width` is
  /// ignored for other rows.
  HostTensor gather(llvm::ArrayRef<int64_t> rows, int64_t width) const;
  /// `hash` combined with all elements and offsets.
  uint64_t fingerprint(uint64_t hash) const;

private:
  llvm::Error checkOffsets(llvm::StringRef path) const;
  /// The element that ends and pads rows.
  int32_t padding() const { return isOfWords() ? words->end() : 0; }

  HostTensor tensor; ///< of the whole file
  std::string source, offsetsSource;
  bool areCharacters = false;
  const Vocabulary *words = nullptr; ///< see vocabulary()
  std::vector<int32_t> offsets;      ///< empty if the first dimension of the tensor counts rows
};

} // namespace attnc
