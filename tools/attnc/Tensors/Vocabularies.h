//===- Vocabularies.h - the vocabularies of a model's inputs and results ------------------------------------------===//
//
// All inputs and results of words share one vocabulary, but for those that have one of their own, by name. Each input
// of labels has its own. A vocabulary is, in this order,
//
//   - a file that the user names: FILE for the shared vocabulary, NAME=FILE for that of an input or result,
//   - made from the data of a training (VocabularyBuild),
//   - a file of the folder of a training: vocabulary.NAME.txt if it exists, otherwise vocabulary.txt for words.
//
// Files are read when they are needed.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Tensors/Vocabulary.h"
#include <map>
#include <set>

namespace attnc {

/// The number of the first tokens or rows of the data that are not held out.
inline int64_t trainingPart(int64_t count, double heldOut) { return int64_t(double(count) * (1 - heldOut)); }

/// The files that vocabularies are made from.
struct VocabularyBuild {
  std::vector<std::string> data;   ///< `input=file` or one file; words of the part that is not held out
  std::vector<std::string> inputs; ///< `input=file`; all words
  double heldOut = 0;
  int64_t mostTokens = 0;                  ///< of a vocabulary of words; 0: no limit
  std::vector<std::string> ownInputs = {}; ///< inputs of words with a vocabulary of their own
};

class Vocabularies {
public:
  /// `files` has FILE or NAME=FILE. With an empty FILE, NAME has no vocabulary of `folder`, which may be empty. Fails
  /// if two files are for the same name.
  static llvm::Expected<Vocabularies> open(llvm::ArrayRef<std::string> files, std::string folder);
  /// Makes the vocabularies of .words and .labels files that have none by a file of the user or of the folder.
  llvm::Error build(const VocabularyBuild &from);

  /// The vocabulary that the file `path` of the input or result `name` is read or written with; null for a file of
  /// neither words nor labels.
  llvm::Expected<const Vocabulary *> forFile(llvm::StringRef name, llvm::StringRef path) const;
  llvm::Expected<const Vocabulary *> find(llvm::StringRef name, Vocabulary::Kind kind) const;
  /// The vocabulary for a text of `name`; null if the user excludes it, or if there is no vocabulary at all.
  llvm::Expected<const Vocabulary *> forText(llvm::StringRef name) const;
  /// The vocabulary of labels of `name`; null if there is none.
  llvm::Expected<const Vocabulary *> ifLabels(llvm::StringRef name) const;

  /// The vocabularies that were looked up, by the names of their files in the folder of a training.
  std::vector<std::pair<std::string, const Vocabulary *>> used() const;
  /// `hash`, changed by all vocabularies that were looked up.
  uint64_t fingerprint(uint64_t hash) const;
  /// Whether a file of a training's folder is a vocabulary, by its name.
  static bool isVocabularyFile(llvm::StringRef name);

private:
  /// The key of the vocabulary for `name` in `known`: `name`, or empty for the shared one; null if there is none.
  std::optional<std::string> keyOf(llvm::StringRef name, Vocabulary::Kind kind) const;
  std::string fileOf(llvm::StringRef key) const;
  std::vector<std::string> filesInFolder() const;
  llvm::Expected<const Vocabulary *> read(const std::string &key) const;
  llvm::Error missing(llvm::StringRef name, Vocabulary::Kind kind, llvm::StringRef more = "") const;
  bool isGiven(const std::string &key) const { return files.count(key) > 0; }
  bool isExcluded(const std::string &key) const { return isGiven(key) && files.at(key).empty(); }
  bool hasFile(const std::string &key) const;

  std::map<std::string, std::string> files; ///< named by the user
  std::string folder;
  mutable std::map<std::string, Vocabulary> known; ///< made or read
  mutable std::set<std::string> inUse;             ///< keys of those that were looked up
};

} // namespace attnc
