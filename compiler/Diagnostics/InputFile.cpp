#include "compiler/Diagnostics/InputFile.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace attnc {

static const char *kindOf(mode_t mode) {
  return S_ISDIR(mode) ? "directory" : S_ISFIFO(mode) ? "pipe" : S_ISSOCK(mode) ? "socket" : "device";
}

InputFile::InputFile(std::string path) : name(std::move(path)) {
  do // nonblocking, because opening a pipe without a writer would wait
    descriptor = open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  while (descriptor < 0 && errno == EINTR);
  struct stat about;
  if (descriptor < 0 || fstat(descriptor, &about) != 0) {
    missing = errno == ENOENT;
    reason = std::strerror(errno);
  } else if (!S_ISREG(about.st_mode)) {
    reason = fmt::format("it is a {}, expected a regular file", kindOf(about.st_mode));
  } else {
    bytes = static_cast<uint64_t>(about.st_size);
    return;
  }
  if (descriptor >= 0)
    close(descriptor);
  descriptor = -1;
}

InputFile::InputFile(std::string path, std::string_view memory)
    : name(std::move(path)), memory(memory), isInMemory(true), bytes(memory.size()) {}

InputFile InputFile::inMemory(std::string path, std::string_view bytes) { return {std::move(path), bytes}; }

InputFile::~InputFile() {
  if (descriptor >= 0)
    close(descriptor);
}

bool InputFile::read(uint64_t at, uint64_t count, char *to) {
  if (isInMemory && at <= memory.size() && count <= memory.size() - at) {
    std::memcpy(to, memory.data() + at, count);
    return true;
  }
  while (!isInMemory && count > 0) {
    ssize_t got = pread(descriptor, to, count, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      reason = std::strerror(errno);
      return false;
    }
    if (got == 0)
      break;
    to += got;
    at += static_cast<uint64_t>(got);
    count -= static_cast<uint64_t>(got);
  }
  if (count > 0)
    reason = fmt::format("it had {} bytes when it was opened, and ends at {} now", bytes, at);
  return count == 0;
}

std::optional<std::string> readText(const std::string &path, std::string &problem) {
  InputFile file(path);
  std::string text;
  // Trial allocation, because std::string would throw; volatile, or the compiler removes it.
  void *volatile room = file.size() < text.max_size() ? std::malloc(file.size() + 1) : nullptr;
  std::free(room);
  if (file.isOpen() && !room) {
    problem = fmt::format("no memory for its {} bytes", file.size());
    return std::nullopt;
  }
  if (file.isOpen())
    text.resize(file.size());
  if (!file.isOpen() || !file.read(0, text.size(), text.data())) {
    problem = file.problem();
    return std::nullopt;
  }
  return text;
}

} // namespace attnc
