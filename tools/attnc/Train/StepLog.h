//===- StepLog.h - append-only log of a training, by step ---------------------------------------------------------===//
//
// The file is text: a line of headings, then lines that begin with a number of completed steps and a comma. A resumed
// training continues the file from the step of its checkpoint: it drops the lines of later steps, and writes them
// again. Lines that could not be written, for example to a full disk, are written together with the next ones.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <functional>
#include <string>

namespace attnc {

/// The log in memory, and its file.
class StepLog {
public:
  /// Reads the lines of the file `path` up to step `step`, and writes nothing. Without a file, the log is empty. `take`
  /// is called with each of these lines, without the headings; if it returns false, the line is malformed, which is an
  /// error. A last line without a line break, which a kill leaves, is dropped. An error if the file cannot be read.
  static llvm::Expected<StepLog> open(const std::string &path, const std::string &headings, int64_t step,
                                      const std::function<bool(const std::string &line)> &take);
  /// Adds one or several lines, each with its line break, which the next write() writes.
  void add(const std::string &lines) { text += lines; }
  /// Replaces the file atomically by the text so far. Called once, before the first write().
  llvm::Error replace();
  /// Appends the text that is not yet in the file, and syncs the file. Writes the whole text if another program has
  /// removed or shortened the file. After an error, the next write() writes the same text again.
  llvm::Error write();

private:
  std::string path;
  std::string text;   ///< all lines, with the headings: the content that the file should have
  size_t written = 0; ///< length of the prefix that is on disk
};

} // namespace attnc
