//===- StepLog.h - append-only log of a training, by step ---------------------------------------------------------===//
//
// Each line begins with a number of steps and a comma. A resumed run continues the file: it drops the lines after its
// first step, and writes them again. Lines that could not be written are written together with the next ones.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <functional>
#include <string>

namespace attnc {

class StepLog {
public:
  /// Reads the lines up to `step`, and writes nothing. `take` is called with each line after the headings; if it
  /// returns false, the line is malformed and reported as an error. A last line without a line break, after a kill, is
  /// dropped.
  static llvm::Expected<StepLog> open(const std::string &path, const std::string &headings, int64_t step,
                                      const std::function<bool(const std::string &line)> &take);
  /// Adds one or several lines, which the next write() writes.
  void add(const std::string &lines) { text += lines; }
  /// Replaces the file atomically by the text so far. Called once, before the first write().
  llvm::Error replace();
  /// Appends and syncs the text that is not yet in the file.
  llvm::Error write();

private:
  std::string path;
  std::string text;   ///< content of the file
  size_t written = 0; ///< length of the prefix that is on disk
};

} // namespace attnc
