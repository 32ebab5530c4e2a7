//===- Allocator.h - configuration of jemalloc by which oversized allocations fail --------------------------------===//
#pragma once

namespace attnc {

/// Installs a jemalloc hook that maps memory without MAP_NORESERVE, so that an allocation beyond the memory of the
/// machine fails in mmap (malloc returns null). jemalloc itself maps with MAP_NORESERVE: the allocation succeeds, and
/// the operating system kills the process when the memory is filled. Call this function once, before the program
/// starts other threads. The function does nothing in a program that is not linked with jemalloc.
void accountForAllocatedMemory();

} // namespace attnc
