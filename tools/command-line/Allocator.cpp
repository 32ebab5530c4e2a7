//===- Allocator.cpp - jemalloc, with system calls that fail if there is not enough memory ------------------------===//
#include "tools/command-line/Allocator.h"
#include <cstdint>
#include <fmt/format.h>
#include <jemalloc/jemalloc.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" {
__attribute__((weak)) decltype(mallctl) mallctl; // null without jemalloc
// Read by jemalloc at program start. Without the threshold, blocks of 8 MiB or more are in an arena of their own, which
// is created later and does not get the hooks. Setting hooks creates an arena, so there are few of them.
extern const char *malloc_conf;
const char *malloc_conf = "oversize_threshold:0,narenas:8";
}

namespace attnc {

/// Implements `alloc` of jemalloc's extent_hooks_t: maps `bytes` at a multiple of `alignment`; null on failure. Unlike
/// jemalloc's function it maps without MAP_NORESERVE, so that the kernel compares the size with the memory.
static void *mapMemory(extent_hooks_t *, void *address, size_t bytes, size_t alignment, bool *isZero, bool *isCommitted,
                       unsigned) {
  size_t page = sysconf(_SC_PAGESIZE), mapped;
  if (address || __builtin_add_overflow(bytes, alignment - page, &mapped))
    return nullptr; // an extent is not enlarged in place
  void *begin = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED)
    return nullptr;
  size_t before = -reinterpret_cast<uintptr_t>(begin) & (alignment - 1);
  char *aligned = static_cast<char *>(begin) + before;
  if (before > 0)
    munmap(begin, before);
  if (size_t after = mapped - before - bytes)
    munmap(aligned + bytes, after);
  *isZero = *isCommitted = true;
  return aligned;
}

void accountForAllocatedMemory() {
  unsigned arenas = 0;
  extent_hooks_t *old = nullptr;
  size_t size = sizeof(arenas), hooksSize = sizeof(old);
  if (!mallctl || mallctl("opt.narenas", &arenas, &size, nullptr, 0) != 0 ||
      mallctl("arena.0.extent_hooks", &old, &hooksSize, nullptr, 0) != 0)
    return;
  static extent_hooks_t hooks = *old;
  hooks.alloc = mapMemory;
  extent_hooks_t *changed = &hooks;
  for (unsigned arena = 0; arena != arenas; ++arena)
    mallctl(fmt::format("arena.{}.extent_hooks", arena).c_str(), nullptr, nullptr, &changed, sizeof(changed));
}

} // namespace attnc
