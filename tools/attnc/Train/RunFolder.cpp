#include "tools/attnc/Train/RunFolder.h"
#include "tools/attnc/Messages/Messages.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace attnc {

static constexpr char anotherFolder[] = "; give a writable folder by -o";

static Error failed(const std::string &path, const char *what, std::error_code code, const char *remedy) {
  return createStringError(formatv("{0}: {1}: {2}{3}", path, what, code.message(), remedy));
}

static std::error_code lastError() { return {errno, std::generic_category()}; }

static int openFile(const std::string &path, int flags) {
  return sys::RetryAfterSignal(-1, [&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); });
}

/// Whether both are the same file.
static bool isSame(const struct stat &a, const struct stat &b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

/// Whether `path` is still the open file. If not, `errno` is the reason why the path cannot be looked up, or 0.
static bool isAt(int descriptor, const std::string &path) {
  struct stat open, found;
  errno = 0;
  return fstat(descriptor, &open) == 0 && stat(path.c_str(), &found) == 0 && isSame(open, found);
}

/// "process 4711 on tesla since 2026-11-23 18:05:48 UTC".
static std::string thisProcess() {
  char host[256] = "", since[64] = "";
  gethostname(host, sizeof host - 1);
  time_t now = time(nullptr);
  struct tm parts;
  if (gmtime_r(&now, &parts))
    strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return formatv("process {0} on {1} since {2}", getpid(), host, since).str();
}

static std::string holderIn(int lockFile) {
  char text[512];
  ssize_t size = sys::RetryAfterSignal(-1, [&] { return ::pread(lockFile, text, sizeof text, 0); });
  std::string holder = StringRef(text, size > 0 ? size_t(size) : 0).trim().str();
  std::ranges::replace_if(
      holder, [](char c) { return !isPrint(c); }, '?');
  return holder.empty() ? "" : " (" + holder + ")";
}

Expected<RunFolder> RunFolder::open(const std::string &path) {
  if (std::error_code code = sys::fs::create_directories(path))
    return failed(path, "can't be created", code, anotherFolder);
  RunFolder folder(path);
  folder.directory = openFile(path, O_RDONLY | O_DIRECTORY);
  if (folder.directory < 0)
    return failed(path, "can't be opened", lastError(), anotherFolder);
  if (Error error = folder.lock(anotherFolder))
    return std::move(error);
  if (folder.isLocked)
    folder.removeUnfinished();
  return folder;
}

RunFolder::RunFolder(RunFolder &&other)
    : path(other.path), directory(std::exchange(other.directory, -1)), lockFile(std::exchange(other.lockFile, -1)),
      isLocked(std::exchange(other.isLocked, false)) {}

RunFolder::~RunFolder() {
  std::string place = file(runfile::lock);
  if (lockFile >= 0 && isAt(lockFile, place))
    ::unlink(place.c_str());
  for (int descriptor : {lockFile, directory})
    if (descriptor >= 0)
      ::close(descriptor);
}

Error RunFolder::lock(const char *remedy) {
  std::string place = file(runfile::lock);
  for (;;) {
    int candidate = openFile(place, O_RDWR | O_CREAT | O_NOFOLLOW);
    if (candidate < 0)
      return failed(place, "can't be written", lastError(), remedy);
    isLocked = sys::RetryAfterSignal(-1, ::flock, candidate, LOCK_EX | LOCK_NB) == 0;
    if (!isLocked) {
      if (errno == EWOULDBLOCK) {
        std::string holder = holderIn(candidate);
        ::close(candidate);
        return createStringError(
            formatv("another training writes to {0}{1}; give each a separate folder by -o", path, holder));
      }
      warn(formatv("{0} can't be locked ({1}): make sure that no other training writes to that folder", place,
                   std::generic_category().message(errno))
               .str());
    }
    if (isAt(candidate, place)) {
      lockFile = candidate;
      break;
    }
    std::error_code code = lastError();
    ::close(candidate);
    if (code && code != std::errc::no_such_file_or_directory) // the previous process may have removed it
      return failed(place, "can't be looked up", code, remedy);
  }
  // The text is for messages alone, so an error, such as a full disk, is ignored here; other files report it.
  std::string text = thisProcess() + "\n";
  if (::ftruncate(lockFile, 0) == 0)
    (void)!::pwrite(lockFile, text.data(), text.size(), 0);
  return Error::success();
}

Error RunFolder::check() {
  if (!isAt(directory, path))
    return createStringError(formatv("{0} is no longer the folder that this training began in", path));
  if (lockFile >= 0 && isAt(lockFile, file(runfile::lock)))
    return Error::success();
  if (lockFile >= 0)
    ::close(std::exchange(lockFile, -1));
  return lock("");
}

/// Removes temporary files such as `checkpoint.safetensors.0123456789abcdef.part`. While this process has the lock, no
/// other process writes them, so they are those of a dead process.
void RunFolder::removeUnfinished() const {
  std::error_code code;
  for (sys::fs::directory_iterator each(path, code), end; !code && each != end; each.increment(code)) {
    StringRef name = sys::path::filename(each->path());
    auto isPartOf = [&](StringRef whole) { return name.starts_with((whole + ".").str()); };
    bool isUnfinished = (name.ends_with(".part") || name.ends_with(".tmp")) && any_of(runfile::replaced, isPartOf);
    if (isUnfinished)
      sys::fs::remove(each->path());
  }
}

} // namespace attnc
