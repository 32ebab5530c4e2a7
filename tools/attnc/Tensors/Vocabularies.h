//===- Vocabularies.h - the vocabularies of a model's inputs and results ------------------------------------------===//
//
// A vocabulary maps words or labels to numbers (Vocabulary.h). Inputs and results in files of words (.words) share one
// vocabulary, except for inputs and results that have one of their own. Each input or result in a file of labels
// (.labels) has its own. The first of these that exists is the vocabulary of an input or result called NAME:
//
//   - a file that the user gives by --vocabulary: NAME=FILE; for words next FILE, which is the shared vocabulary,
//   - its own vocabulary: one that build() made for NAME from the data of a training, or the file vocabulary.NAME.txt
//     in the folder of a training,
//   - for words, the shared vocabulary: one that build() made, or the file vocabulary.txt in this folder.
//
// If the folder has no file vocabulary.NAME.txt or vocabulary.txt, a tokenizer in tokenizer.NAME.json or tokenizer.json
// takes its place.
//
// A file is read when its vocabulary is first looked up.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Tensors/Vocabulary.h"
#include <map>
#include <set>

namespace attnc {

/// The number of tokens or rows, of `count`, that are for training. They come first; the share `heldOut` (0 to 1) at
/// the end is held out for evaluation.
inline int64_t trainingPart(int64_t count, double heldOut) { return int64_t(double(count) * (1 - heldOut)); }

/// The files that build() makes vocabularies from.
struct VocabularyBuild {
  /// Training data: `NAME=FILE` with a row of input NAME on each line, or one FILE without a name, whose words are one
  /// sequence. Words that are held out are not counted; labels are counted in all rows.
  std::vector<std::string> data;
  std::vector<std::string> inputs;         ///< `NAME=FILE`, inputs that are the same in all batches; all words count
  double heldOut = 0;                      ///< share of `data` that is held out, see trainingPart()
  int64_t mostTokens = 0;                  ///< largest size of a vocabulary of words; 0: no limit
  std::vector<std::string> ownInputs = {}; ///< names of inputs of words that get a vocabulary of their own
};

/// All vocabularies of a model. This object owns each Vocabulary that its functions return.
class Vocabularies {
public:
  /// `files` are the values of --vocabulary: FILE or NAME=FILE. `NAME=` with an empty FILE excludes NAME from the
  /// vocabularies of `folder` and from the shared vocabulary; build() may still make one for NAME. `folder` is the
  /// folder of a training; empty: none. Reads no file. An error if two files are for the same name.
  static llvm::Expected<Vocabularies> open(llvm::ArrayRef<std::string> files, std::string folder);
  /// Makes vocabularies for the .words and .labels files of `from`, except for those that have a file of the user or of
  /// the folder. An error if a file cannot be read, if a line of a .labels file is blank, or if `mostTokens` is set and
  /// no vocabulary of words is made.
  llvm::Error build(const VocabularyBuild &from);

  /// The vocabulary by which the file `path` of the input or result `name` is read or written, as by find(); null if
  /// `path` ends in neither .words nor .labels.
  llvm::Expected<const Vocabulary *> forFile(llvm::StringRef name, llvm::StringRef path) const;
  /// The vocabulary of the input or result `name`. An error if there is none or the user excludes it (unless build()
  /// has made one), if its file cannot be read, or if it is of another kind than `kind`.
  llvm::Expected<const Vocabulary *> find(llvm::StringRef name, Vocabulary::Kind kind) const;
  /// The vocabulary of words of `name`, for a prompt or a generated text. Null if the user excludes `name`, or if no
  /// vocabulary of words exists: the tokens are then bytes. An error as for find(), and if the folder has vocabularies
  /// of words, but none for `name`.
  llvm::Expected<const Vocabulary *> forText(llvm::StringRef name) const;
  /// The vocabulary of labels of `name`; null if there is none. An error as for find(), also if the user excludes
  /// `name` and build() has made none for it.
  llvm::Expected<const Vocabulary *> ifLabels(llvm::StringRef name) const;

  /// The vocabularies that were looked up, each with the name of its file in the folder of a training: "vocabulary.txt"
  /// or "vocabulary.NAME.txt", and "tokenizer.json" or "tokenizer.NAME.json" for a tokenizer.
  std::vector<std::pair<std::string, const Vocabulary *>> used() const;
  /// The files of used() and their contents; for a tokenizer, also the file with the token that ends texts.
  std::vector<std::pair<std::string, std::string>> filesOfUsed() const;
  /// `hash` combined with the content of all vocabularies that were looked up.
  uint64_t fingerprint(uint64_t hash) const;
  /// Whether `name`, of a file in the folder of a training, is the name of a vocabulary's file.
  static bool isVocabularyFile(llvm::StringRef name);

private:
  /// The key of the vocabulary for `name`: `name` if it has its own, empty for the shared one; null if there is none.
  std::optional<std::string> keyOf(llvm::StringRef name, Vocabulary::Kind kind) const;
  std::string fileOf(llvm::StringRef key) const;
  std::vector<std::string> filesInFolder() const;
  llvm::Expected<const Vocabulary *> read(const std::string &key) const;
  llvm::Error missing(llvm::StringRef name, Vocabulary::Kind kind, llvm::StringRef more = "") const;
  bool isGiven(const std::string &key) const { return files.count(key) > 0; }
  bool isExcluded(const std::string &key) const { return isGiven(key) && files.at(key).empty(); }
  bool hasFile(const std::string &key) const;

  std::map<std::string, std::string> files;        ///< paths that the user gives, by key; an empty path excludes
  std::string folder;                              ///< of a training; may be empty
  mutable std::map<std::string, Vocabulary> known; ///< vocabularies that were made or read, by key
  mutable std::set<std::string> inUse;             ///< keys of vocabularies that were looked up
};

} // namespace attnc
