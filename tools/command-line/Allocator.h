//===- Allocator.h - jemalloc, with system calls that fail if there is not enough memory --------------------------===//
#pragma once

namespace attnc {

/// Makes allocations that exceed the memory of the machine fail, also with jemalloc. By default jemalloc maps memory
/// with MAP_NORESERVE, so that the allocation succeeds, and the kernel kills the process when the memory is filled.
/// Call it before there are other threads. It does nothing in a program that is not linked with jemalloc.
void accountForAllocatedMemory();

} // namespace attnc
