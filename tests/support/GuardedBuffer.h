//===- GuardedBuffer.h - memory that faults on out-of-bounds accesses ---------------------------------------------===//
//
// Memory for operands of generated code: tensors of a caller, an arena, scratch of workers.
//
//   AgainstEnd     | page | ..filler.. buffer | page |      accesses beyond the buffer fault
//   AgainstStart   | page | buffer ..filler.. | page |      accesses before the buffer fault
//   Misaligned     | page | ..filler.. buffer . | page |    the address is an odd multiple of the promised alignment
//
// The promised alignment is the one that generated code may rely on (attn/abi.h). AgainstEnd and AgainstStart may be
// aligned to more, so tests use all three placements.
//
// Buffer and filler initially contain NaN (bytes 0xff). If generated code has written to a filler, the destructor ends
// the process.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace attnc {

enum class Placement { AgainstEnd, AgainstStart, Misaligned };
inline constexpr Placement everyPlacement[] = {Placement::AgainstEnd, Placement::AgainstStart, Placement::Misaligned};

/// One or several buffers of the same size.
class GuardedBuffer {
public:
  GuardedBuffer() = default; ///< no buffer: data() is null
  /// Allocates `count` buffers of `bytes` bytes, stride() bytes apart, each between two inaccessible pages. `alignment`
  /// is the promised alignment in bytes, a power of two. Ends the process if there is no memory.
  GuardedBuffer(int64_t bytes, Placement placement, int64_t alignment, int64_t count = 1) : bytes(bytes), count(count) {
    int64_t rounded = (bytes + alignment - 1) / alignment * alignment;
    int64_t slack = placement == Placement::Misaligned ? alignment : 0;
    usable = (rounded + slack + page - 1) / page * page;
    mapped = static_cast<char *>(
        mmap(nullptr, mappedBytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (mapped == MAP_FAILED)
      fail("no memory for a guarded buffer");
    offset = placement == Placement::AgainstStart ? 0 : usable - rounded;
    if (slack != 0 && offset % (2 * alignment) == 0)
      offset -= alignment;
    for (int64_t number = 0; number < count; ++number) {
      mprotect(usablePart(number), usable, PROT_READ | PROT_WRITE);
      std::memset(usablePart(number), filler, usable);
    }
  }
  GuardedBuffer(GuardedBuffer &&other) noexcept { *this = std::move(other); }
  GuardedBuffer &operator=(GuardedBuffer &&other) noexcept {
    std::swap(mapped, other.mapped);
    std::swap(bytes, other.bytes);
    std::swap(count, other.count);
    std::swap(usable, other.usable);
    std::swap(offset, other.offset);
    return *this;
  }
  ~GuardedBuffer() {
    if (!mapped)
      return;
    for (int64_t number = 0; number < count; ++number)
      if (!isFiller(usablePart(number), usablePart(number) + offset) ||
          !isFiller(usablePart(number) + offset + bytes, usablePart(number) + usable))
        fail("generated code wrote outside of a buffer");
    munmap(mapped, mappedBytes());
  }

  char *data() const { return mapped ? usablePart(0) + offset : nullptr; } ///< the first buffer
  int64_t size() const { return bytes; }                                   ///< bytes of one buffer
  int64_t stride() const { return usable + page; } ///< bytes from the start of a buffer to that of the next one

private:
  static constexpr int filler = 0xff;

  char *usablePart(int64_t number) const { return mapped + page + number * stride(); }
  int64_t mappedBytes() const { return page + count * stride(); }
  static bool isFiller(const char *from, const char *to) {
    return std::all_of(from, to, [](char byte) { return byte == static_cast<char>(filler); });
  }
  [[noreturn]] static void fail(const char *message) {
    std::fprintf(stderr, "%s\n", message);
    std::abort();
  }

  inline static const int64_t page = sysconf(_SC_PAGESIZE);
  char *mapped = nullptr;
  int64_t bytes = 0, count = 0, usable = 0, offset = 0;
};

} // namespace attnc
