//===- Vocabulary.h - numbers of words and of labels --------------------------------------------------------------===//
//
// A vocabulary of words has the tokens
//
//   0  <end>: the end of a row, and the padding after it
//   1  <unk>: every word that is not in the vocabulary
//   2  the most frequent word, 3 the second most frequent word, ...; equally frequent words are in the order of bytes
//
// A row of words ("the dog", with "the" = 2 and "dog" = 5) is [2, 5, 0, ...], as rows of characters are (TextFile.h).
// A vocabulary of labels has neither <end> nor <unk>: label 0 is the first in the order of bytes. A row has one label.
//
// In a file, line n + 1 is the word or label with the number n. A vocabulary of words thus begins with the lines
// "<end>" and "<unk>"; all others are of labels.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Tensors/TensorFile.h"
#include "tools/attnc/Tensors/TextFile.h"
#include "llvm/ADT/StringMap.h"

namespace attnc {

class Vocabulary {
public:
  enum class Kind { Words, Labels };
  static constexpr int32_t end = 0, unknown = 1;
  static constexpr int64_t specialTokens = 2; ///< `end` and `unknown`

  /// The most frequent of the words that were counted; at most `mostTokens` tokens in all, unless it is 0.
  static Vocabulary ofWords(const llvm::StringMap<int64_t> &counts, int64_t mostTokens);
  static Vocabulary ofLabels(const llvm::StringMap<int64_t> &counts);
  /// Fails if the file cannot be read, has an empty line or a line twice, or a line of several words.
  static llvm::Expected<Vocabulary> read(const std::string &path);
  /// The same for the content of a file.
  static llvm::Expected<Vocabulary> parse(const TextLines &lines);
  /// The content of a file.
  std::string text() const;

  Kind kind() const { return isOfWords ? Kind::Words : Kind::Labels; }
  int64_t size() const { return int64_t(entries.size()); }
  /// The word or label with this number; U+FFFD for a number outside of the vocabulary.
  llvm::StringRef operator[](int32_t number) const;

  /// The tokens of the words of a text, without an end.
  std::vector<int32_t> tokensOf(llvm::StringRef text) const;
  /// The words of tokens, with a space between two of them.
  std::string textOf(llvm::ArrayRef<int32_t> tokens) const;

  /// All words of a text as one sequence, with an end after each line.
  std::vector<int32_t> sequenceOf(const TextLines &lines) const;
  /// Rows of words as i32[rows, words of the longest row + 1], or labels as i32[rows]. Fails if a label is unknown.
  llvm::Expected<HostTensor> encode(const TextLines &rows) const;
  /// The lines of i32[.., n] of words, of which a row ends before its first zero, or of labels, i32[..]. Fails if a
  /// number is outside of the vocabulary.
  llvm::Expected<std::string> decode(const HostTensor &tensor) const;

private:
  Vocabulary(bool isOfWords, std::vector<std::string> entries);
  llvm::Expected<HostTensor> encodeLabels(const TextLines &rows) const;
  llvm::Error outside(int64_t row, int32_t number) const;
  std::string someEntries() const;

  bool isOfWords;
  std::vector<std::string> entries; ///< by number
  llvm::StringMap<int32_t> numbers;
};

/// Whether a path ends in .words, or in .labels.
bool isWordFile(llvm::StringRef path);
bool isLabelFile(llvm::StringRef path);

/// The number of tokens of Vocabulary::sequenceOf().
int64_t lengthOfSequence(const TextLines &lines);
/// The label of a line; an error if the line is blank.
llvm::Expected<llvm::StringRef> labelOf(const TextLines &lines, int64_t line);

} // namespace attnc
