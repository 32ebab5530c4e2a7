#include "compiler/Emit/OutputFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

static llvm::Error failed(const std::string &path, std::error_code code) {
  return llvm::createStringError(code, "can't write %s: %s", path.c_str(), code.message().c_str());
}

OutputFiles::~OutputFiles() {
  for (Pending &each : pending)
    llvm::consumeError(each.file.discard());
  for (const std::string &directory : llvm::reverse(created))
    llvm::sys::fs::remove(directory); // stays where it is not empty
}

/// Makes a directory and those above it, and remembers which were not there.
std::error_code OutputFiles::makeDirectories(llvm::StringRef directory) {
  llvm::SmallVector<std::string> missing;
  for (llvm::StringRef each = directory; !each.empty() && !llvm::sys::fs::exists(each);
       each = llvm::sys::path::parent_path(each))
    missing.push_back(each.str());
  created.insert(created.end(), missing.rbegin(), missing.rend());
  return llvm::sys::fs::create_directories(directory);
}

/// The path without detours, so that two spellings of one file are the same.
static std::string placeOf(llvm::StringRef path) {
  llvm::SmallString<128> directory(path), real;
  llvm::sys::fs::make_absolute(directory);
  llvm::sys::path::remove_dots(directory, /*remove_dot_dot=*/true);
  std::string name = llvm::sys::path::filename(directory).str();
  llvm::sys::path::remove_filename(directory);
  if (!llvm::sys::fs::real_path(directory, real))
    directory = real;
  llvm::sys::path::append(directory, name);
  return directory.str().str();
}

llvm::Expected<std::string> OutputFiles::reserve(const std::string &path) {
  llvm::StringRef directory = llvm::sys::path::parent_path(path);
  if (!directory.empty())
    if (std::error_code code = makeDirectories(directory))
      return failed(path, code);
  if (llvm::sys::fs::is_directory(path))
    return failed(path, std::make_error_code(std::errc::is_a_directory));
  for (const Pending &each : pending)
    if (placeOf(each.path) == placeOf(path))
      return llvm::createStringError("can't write " + path + ": it is another output too");
  llvm::Expected<llvm::sys::fs::TempFile> file = llvm::sys::fs::TempFile::create(path + ".%%%%%%%%.tmp");
  if (!file)
    return failed(path, llvm::errorToErrorCode(file.takeError()));
  pending.push_back({path, std::move(*file)});
  return pending.back().file.TmpName;
}

llvm::Error OutputFiles::write(const std::string &path, llvm::StringRef bytes) {
  llvm::Expected<std::string> temporary = reserve(path);
  if (!temporary)
    return temporary.takeError();
  llvm::raw_fd_ostream stream(pending.back().file.FD, /*shouldClose=*/false);
  stream << bytes;
  stream.flush();
  if (stream.has_error()) {
    std::error_code code = stream.error();
    stream.clear_error();
    return failed(path, code);
  }
  return llvm::Error::success();
}

llvm::Error OutputFiles::commit() {
  while (!pending.empty()) {
    Pending each = std::move(pending.front());
    pending.erase(pending.begin());
    if (llvm::Error error = each.file.keep(each.path))
      return failed(each.path, llvm::errorToErrorCode(std::move(error)));
  }
  created.clear();
  return llvm::Error::success();
}

llvm::Error OutputFiles::replace(const std::string &path, llvm::StringRef bytes) {
  OutputFiles files;
  if (llvm::Error error = files.write(path, bytes))
    return error;
  return files.commit();
}

} // namespace attnc
