//===- StepLog.h - a file with a line for each point of a training ------------------------------------------------===//
//
// Lines begin with a number of steps and a comma. The file grows while a model is trained, and a resumed run goes on
// with it: lines after the step that it begins with are dropped, as the run writes them again. Lines that could not be
// written are written with the next ones.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <functional>
#include <string>

namespace attnc {

class StepLog {
public:
  /// Reads the file up to `step`, and writes nothing. `take` is called with each line after the headings, and returns
  /// whether the line has their form: an error names one that has not. A last line that a kill has cut off is dropped.
  static llvm::Expected<StepLog> open(const std::string &path, const std::string &headings, int64_t step,
                                      const std::function<bool(const std::string &line)> &take);
  /// Adds a line, or several, to what is to be written.
  void add(const std::string &lines) { text += lines; }
  /// Before write(): puts what was read and added in the place of the file. A fault or a kill leaves the old file.
  llvm::Error replace();
  /// Writes and syncs what is not yet.
  llvm::Error write();

private:
  std::string path;
  std::string text;   ///< the whole file
  size_t written = 0; ///< as much of it is on disk
};

} // namespace attnc
