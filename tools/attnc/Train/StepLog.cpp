#include "tools/attnc/Train/StepLog.h"
#include "compiler/Diagnostics/InputFile.h"
#include "compiler/Diagnostics/Printable.h"
#include "compiler/Emit/OutputFiles.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <cerrno>
#include <fcntl.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace attnc {

Expected<StepLog> StepLog::open(const std::string &path, const std::string &headings, int64_t step,
                                const std::function<bool(const std::string &line)> &take) {
  StepLog log;
  log.path = path;
  log.text = headings + "\n";
  std::string problem;
  std::optional<std::string> before = readText(path, problem);
  if (!before && sys::fs::exists(path))
    return createStringError(formatv("{0}: can't be read: {1}", path, problem));
  std::istringstream in(before.value_or(""));
  int64_t number = 0;
  for (std::string line; std::getline(in, line) && !in.eof();) { // a last line without a line break is incomplete
    if (++number == 1 && line == headings)
      continue;
    std::istringstream fields(line);
    int64_t of = 0;
    char comma = 0;
    bool isStep = fields >> of >> comma && comma == ',';
    if (isStep && of > step)
      continue;
    if (!isStep || !take(line))
      return createStringError(formatv("{0}:{1}: '{2}' is not a line of {3}; correct or remove it", path, number,
                                       printable(line), headings));
    log.text += line + "\n";
  }
  return log;
}

Error StepLog::replace() {
  if (Error error = OutputFiles::replace(path, text))
    return error;
  written = text.size();
  return Error::success();
}

/// Writes the whole text at `offset` of the file, and syncs the file.
static bool writeAt(int file, StringRef bytes, size_t offset) {
  while (!bytes.empty()) {
    ssize_t count = sys::RetryAfterSignal(-1, ::pwrite, file, bytes.data(), bytes.size(), off_t(offset));
    if (count == 0)
      errno = EIO; // pwrite does not set it
    if (count <= 0)
      return false;
    bytes = bytes.drop_front(size_t(count));
    offset += size_t(count);
  }
  return sys::RetryAfterSignal(-1, ::fsync, file) == 0;
}

Error StepLog::write() {
  if (written == text.size())
    return Error::success();
  int file = sys::RetryAfterSignal(-1, ::open, path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  struct stat info;
  bool isOpen = file >= 0 && fstat(file, &info) == 0;
  if (isOpen && size_t(info.st_size) < written) // another program has replaced or truncated it
    written = 0;
  bool isWritten = isOpen && writeAt(file, StringRef(text).drop_front(written), written);
  int fault = errno;
  if (file >= 0)
    ::close(file);
  if (!isWritten)
    return createStringError(formatv("{0}: cannot be written: {1}", path, std::generic_category().message(fault)));
  written = text.size();
  return Error::success();
}

} // namespace attnc
