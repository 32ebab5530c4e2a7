//===- GuardedBuffer.h - memory that faults when it is overrun ------------------------------------------------===//
#pragma once

#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace attnc {

/// Bytes filled with NaN (0xff), with an inaccessible page right after them, or right before them.
class GuardedBuffer {
public:
  GuardedBuffer() = default;
  GuardedBuffer(int64_t bytes, bool guardBefore, int64_t alignment) {
    int64_t page = sysconf(_SC_PAGESIZE);
    int64_t rounded = (bytes + alignment - 1) / alignment * alignment;
    int64_t usable = (rounded + page - 1) / page * page;
    mappedBytes = usable + 2 * page;
    mapped = static_cast<char *>(mmap(nullptr, mappedBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(mapped + page, usable, PROT_READ | PROT_WRITE);
    std::memset(mapped + page, 0xff, usable);
    start = guardBefore ? mapped + page : mapped + page + usable - rounded;
  }
  GuardedBuffer(GuardedBuffer &&other) noexcept { *this = std::move(other); }
  GuardedBuffer &operator=(GuardedBuffer &&other) noexcept {
    std::swap(mapped, other.mapped);
    std::swap(mappedBytes, other.mappedBytes);
    std::swap(start, other.start);
    return *this;
  }
  ~GuardedBuffer() {
    if (mapped)
      munmap(mapped, mappedBytes);
  }
  char *data() { return start; }

private:
  char *mapped = nullptr;
  char *start = nullptr;
  int64_t mappedBytes = 0;
};

} // namespace attnc
