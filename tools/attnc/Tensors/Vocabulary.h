//===- Vocabulary.h - vocabularies: numbers of words, of the tokens of a tokenizer, or of class labels ------------===//
//
// A vocabulary of words has the tokens
//
//   0  <end>: the end of a row, and the padding after it
//   1  <unk>: every word that is not in the vocabulary
//   2  the most frequent word, 3 the second most frequent word, ...; equally frequent words are in the order of bytes
//
// Words.h splits a text into words. A line of words ("the dog", with "the" = 2 and "dog" = 5) becomes the row
// [2, 5, 0, ...]; zeros follow it, as they follow a row of characters (TextFile.h).
//
// A vocabulary of labels has neither <end> nor <unk>: label 0 is the first in the order of bytes. A line has one label,
// which may consist of several words.
//
// In the file of a vocabulary, line n + 1 is the word or label with the number n. A file that begins with the lines
// "<end>" and "<unk>" is a vocabulary of words; all others are vocabularies of labels.
//
// A tokenizer (TokenizerFile.h), in a file whose name ends in .json, takes the place of a vocabulary of words. The
// tokens of a row are those of the whole line, with the special tokens that the file adds, and at least one token that
// ends a text, which also pads the row.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Tensors/TensorFile.h"
#include "tools/attnc/Tensors/TextFile.h"
#include "tools/attnc/Tensors/TokenizerFile.h"
#include "llvm/ADT/StringMap.h"

namespace attnc {

class Vocabulary {
public:
  enum class Kind { Words, Labels };
  static constexpr int32_t unknown = 1;       ///< token of <unk>, in a vocabulary of words
  static constexpr int64_t specialTokens = 2; ///< number of tokens that are not words: `end` and `unknown`

  /// A vocabulary of the most frequent words; `counts` has the number of occurrences of each word. `mostTokens` limits
  /// size(), which includes the special tokens; 0: no limit.
  static Vocabulary ofWords(const llvm::StringMap<int64_t> &counts, int64_t mostTokens);
  /// A vocabulary of all labels that are keys of `counts`.
  static Vocabulary ofLabels(const llvm::StringMap<int64_t> &counts);
  /// Reads a vocabulary's file. An error if the file cannot be read, if a line is empty, occurs twice or has white
  /// space around it, or if a line of a vocabulary of words has several words. For a tokenizer, an error as for
  /// TokenizerFile::open().
  static llvm::Expected<Vocabulary> read(const std::string &path);
  /// The vocabulary with the file content `lines`; an error as for read().
  static llvm::Expected<Vocabulary> parse(const TextLines &lines);
  /// The content of the vocabulary's file, which read() accepts.
  std::string text() const;

  Kind kind() const { return isOfWords ? Kind::Words : Kind::Labels; }                     ///< Words for a tokenizer
  int64_t size() const { return tokenizer ? tokenizer->size() : int64_t(entries.size()); } ///< of tokens or labels
  const TokenizerFile *tokenizerFile() const { return tokenizer.get(); } ///< null for words and labels
  int32_t end() const { return tokenizer ? tokenizer->end() : 0; }       ///< the token that ends and pads rows
  /// The word or label with this number; U+FFFD for a number outside of the vocabulary.
  llvm::StringRef operator[](int32_t number) const;

  /// The tokens of a text, without an end and without special tokens. Requires a vocabulary of words, as do promptOf(),
  /// rowOf() and sequenceOf(). These functions return an error if a tokenizer has no token for a part of the text.
  llvm::Expected<std::vector<int32_t>> tokensOf(llvm::StringRef text) const;
  /// The tokens of a text that continues: with the special tokens at its start, and without an end.
  llvm::Expected<std::vector<int32_t>> promptOf(llvm::StringRef text) const;
  /// The tokens of a whole text: with special tokens and an end.
  llvm::Expected<std::vector<int32_t>> rowOf(llvm::StringRef text) const;
  /// The words or labels with these numbers, separated by a space; or the text of these tokens.
  std::string textOf(llvm::ArrayRef<int32_t> tokens) const;

  /// The rows of all lines as one sequence.
  llvm::Expected<std::vector<int32_t>> sequenceOf(const TextLines &lines) const;
  /// Lines of words as i32[lines, words of the longest line + 1], padded with <end>; or one label a line, without the
  /// white space around it, as i32[lines]. An error if a line has no label or an unknown one.
  llvm::Expected<HostTensor> encode(const TextLines &rows) const;
  /// The inverse of encode(): a line of text for each row of tokens i32[.., n], which ends before its first <end> (no
  /// lines if n is 0); or a line for each element of labels i32[..]. An error for another element type, a scalar
  /// instead of rows of tokens, or a number outside of the vocabulary. A line break in the text of a tokenizer becomes
  /// a space.
  llvm::Expected<std::string> decode(const HostTensor &tensor) const;

private:
  Vocabulary(bool isOfWords, std::vector<std::string> entries);
  explicit Vocabulary(std::shared_ptr<const TokenizerFile> tokenizer)
      : isOfWords(true), tokenizer(std::move(tokenizer)) {}
  llvm::Expected<HostTensor> encodeLabels(const TextLines &rows) const;
  llvm::Error outside(int64_t row, int32_t number) const;
  std::string someEntries() const;

  bool isOfWords;
  std::vector<std::string> entries;               ///< words or labels, by number
  llvm::StringMap<int32_t> numbers;               ///< the inverse
  std::shared_ptr<const TokenizerFile> tokenizer; ///< null for words and labels
};

bool isWordFile(llvm::StringRef path);  ///< the path ends in .words
bool isLabelFile(llvm::StringRef path); ///< the path ends in .labels

/// The number of tokens of Vocabulary::sequenceOf(lines), which is the same for all vocabularies of words.
int64_t lengthOfSequence(const TextLines &lines);
/// The label on line `line`, without the white space around it; an error if the line is blank.
llvm::Expected<llvm::StringRef> labelOf(const TextLines &lines, int64_t line);

} // namespace attnc
