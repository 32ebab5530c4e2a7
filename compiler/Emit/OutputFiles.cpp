#include "compiler/Emit/OutputFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

namespace attnc {

namespace fs = llvm::sys::fs;

static llvm::Error failed(const std::string &path, std::error_code code) {
  return llvm::createStringError(code, "can't write %s: %s", path.c_str(), code.message().c_str());
}

OutputFiles::~OutputFiles() {
  for (Pending &each : pending)
    llvm::consumeError(each.file.discard());
  for (const std::string &directory : llvm::reverse(created))
    fs::remove(directory); // fails if it is not empty
}

/// Creates a directory and its parents, and records the new ones.
std::error_code OutputFiles::makeDirectories(llvm::StringRef directory) {
  llvm::SmallVector<std::string> missing;
  for (llvm::StringRef each = directory; !each.empty() && !fs::exists(each); each = llvm::sys::path::parent_path(each))
    missing.push_back(each.str());
  created.insert(created.end(), missing.rbegin(), missing.rend());
  return fs::create_directories(directory);
}

/// The canonical path, so that two spellings of one file are equal.
static std::string canonicalPath(llvm::StringRef path) {
  llvm::SmallString<128> directory(path), real;
  fs::make_absolute(directory);
  llvm::sys::path::remove_dots(directory, /*remove_dot_dot=*/true);
  std::string name = llvm::sys::path::filename(directory).str();
  llvm::sys::path::remove_filename(directory);
  if (!fs::real_path(directory, real))
    directory = real;
  llvm::sys::path::append(directory, name);
  return directory.str().str();
}

static llvm::Error writeTo(int descriptor, const std::string &path, llvm::StringRef bytes) {
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/false);
  stream << bytes;
  stream.flush();
  std::error_code code = stream.error();
  stream.clear_error();
  return code ? failed(path, code) : llvm::Error::success();
}

/// The descriptor of this process that a path names: 1 of /dev/stdout, 3 of /dev/fd/3.
static std::optional<int> descriptorOf(llvm::StringRef path) {
  llvm::StringRef directory = llvm::sys::path::parent_path(path), name = llvm::sys::path::filename(path);
  int number = -1;
  if (directory == "/dev" && name == "stdout")
    return STDOUT_FILENO;
  if (directory == "/dev" && name == "stderr")
    return STDERR_FILENO;
  bool isNumber = !name.getAsInteger(10, number) && number >= 0;
  return isNumber && (directory == "/dev/fd" || directory == "/proc/self/fd") ? std::optional(number) : std::nullopt;
}

/// Writes to a descriptor itself: opening its path would overwrite earlier output from the first byte. Flushes the
/// process's buffered output first.
static llvm::Error writeToDescriptor(int descriptor, const std::string &path, llvm::StringRef bytes) {
  if (descriptor == STDOUT_FILENO) {
    std::fflush(stdout);
    llvm::outs().flush();
  }
  return writeTo(descriptor, path, bytes);
}

static llvm::Error appendTo(const std::string &path, llvm::StringRef bytes) {
  int descriptor = -1;
  if (std::error_code code = fs::openFileForWrite(path, descriptor, fs::CD_OpenExisting, fs::OF_Append))
    return failed(path, code);
  llvm::Error error = writeTo(descriptor, path, bytes);
  ::close(descriptor);
  return error;
}

bool OutputFiles::isStream(const std::string &path) {
  fs::file_status status;
  llvm::StringRef directory = llvm::sys::path::parent_path(path);
  if (directory == "/dev" || directory == "/dev/fd" || directory == "/proc/self/fd")
    return true;
  return !fs::status(path, status) && fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

/// File systems that cannot sync directories return EINVAL.
static std::error_code sync(int descriptor) {
  bool isSynced = llvm::sys::RetryAfterSignal(-1, ::fsync, descriptor) == 0 || errno == EINVAL;
  return isSynced ? std::error_code() : std::error_code(errno, std::generic_category());
}

/// A rename is durable once its directory is synced.
static std::error_code syncDirectoryOf(const std::string &path) {
  std::string directory = llvm::sys::path::parent_path(path).str();
  int descriptor =
      llvm::sys::RetryAfterSignal(-1, ::open, directory.empty() ? "." : directory.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return std::error_code(errno, std::generic_category());
  std::error_code code = sync(descriptor);
  ::close(descriptor);
  return code;
}

llvm::Expected<std::string> OutputFiles::reserve(const std::string &path) {
  llvm::StringRef directory = llvm::sys::path::parent_path(path);
  if (!directory.empty())
    if (std::error_code code = makeDirectories(directory))
      return failed(path, code);
  if (fs::is_directory(path))
    return failed(path, std::make_error_code(std::errc::is_a_directory));
  if (isStream(path))
    return llvm::createStringError("can't write " + path + ": it is a device or a pipe, expected a file");
  for (const Pending &each : pending)
    if (canonicalPath(each.path) == canonicalPath(path))
      return llvm::createStringError("can't write " + path + ": another output has the same path");
  llvm::Expected<fs::TempFile> file = fs::TempFile::create(path + ".%%%%%%%%.tmp");
  if (!file)
    return failed(path, llvm::errorToErrorCode(file.takeError()));
  pending.push_back({path, std::move(*file)});
  return pending.back().file.TmpName;
}

llvm::Error OutputFiles::write(const std::string &path, llvm::StringRef bytes) {
  llvm::Expected<std::string> temporary = reserve(path);
  if (!temporary)
    return temporary.takeError();
  return writeTo(pending.back().file.FD, path, bytes);
}

llvm::Error OutputFiles::commit() {
  while (!pending.empty()) {
    Pending each = std::move(pending.front());
    pending.erase(pending.begin());
    // TempFile::keep(path) would fall back to a copy, which may leave half a file.
    if (std::error_code code = fs::rename(each.file.TmpName, each.path)) {
      llvm::consumeError(each.file.discard());
      return failed(each.path, code);
    }
    std::error_code code = llvm::errorToErrorCode(each.file.keep());
    if (code && code != std::errc::interrupted) // an interrupted close has closed it
      return failed(each.path, code);
  }
  created.clear();
  return llvm::Error::success();
}

llvm::Error OutputFiles::replace(const std::string &path, llvm::StringRef bytes) {
  if (std::optional<int> descriptor = descriptorOf(path))
    return writeToDescriptor(*descriptor, path, bytes);
  if (isStream(path))
    return appendTo(path, bytes);
  OutputFiles files;
  if (llvm::Error error = files.write(path, bytes))
    return error;
  if (std::error_code code = sync(files.pending.back().file.FD))
    return failed(path, code);
  if (llvm::Error error = files.commit())
    return error;
  std::error_code code = syncDirectoryOf(path);
  return code ? failed(path, code) : llvm::Error::success();
}

} // namespace attnc
