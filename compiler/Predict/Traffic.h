//===- Traffic.h - reuse-distance model of memory traffic ---------------------------------------------------------===//
//
// A call is traced launch by launch. The reuse distance of data is the number of bytes touched since their last access.
// The data are in the first memory level whose capacity is at least that distance; near the capacity they are partly in
// the next level, because the effective capacity is uncertain:
//
//   launch            reads        reuse distance      level (L2 of 1 MB)
//   rows_0            x, 400 KB    400 KB              L2
//   gemm_0            w, 9 MB      all of a call       L3
//
// A launch touches its operands and results concurrently. The reuse distance of a buffer therefore includes a part of
// the working set of the launch that touched it last: 1/8, 3/8, 5/8 and 7/8 of it, for the four quarters of the buffer.
// Hardware prefetching also brings data into the caches: lines come in pairs, and a stream prefetches the lines that
// follow, such as the next parameter of an optimizer, or the code of the next kernel.
//
// The call is traced twice, and the result is that of the second trace, with warm caches. Each loop iteration has its
// elements of per-iteration lists and its layer parameters; in a long loop, the first and the last 16 iterations are
// traced. A read at subscripts from data is assumed to touch no more bytes than the kernel writes.
//
// Cold data and cold code add latency: a launch waits for the first lines of its operands, which it requests in
// parallel, and for its instructions, which compete with data for the caches.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Memory/Plan.h"
#include "compiler/Predict/CodeTime.h"
#include "compiler/Predict/Machine.h"

namespace attnc {

/// Traffic of one launch, averaged over the iterations of loops around it.
struct LaunchTraffic {
  llvm::SmallVector<double, 4> read, written; ///< bytes; element n is for machine.levels[n]
  double latency = 0;                         ///< latency of the first code and operands in seconds
  double warmUp = 0;                          ///< seconds that wide-vector warm-up may add
};

/// The code of a kernel, and its scratch in bytes.
struct LaunchedCode {
  std::vector<CodeRange> ranges;
  int64_t sharedBytes = 0, workerBytes = 0; ///< scratch of the whole launch; of one worker
  bool isWide = false;                      ///< uses full-width vectors
};

/// Traffic of each launch of an entry point at these sizes, by the func.call of the launch. `kernelOf` returns the
/// kernel of a call, `codeOf` its code, and `secondsOf` its time at a given traffic. The trace needs times because
/// other programs evict data from the last cache.
llvm::DenseMap<mlir::Operation *, LaunchTraffic>
trafficOf(const EntryPlan &plan, llvm::ArrayRef<int64_t> sizes, const Machine &machine,
          llvm::function_ref<mlir::func::FuncOp(mlir::func::CallOp)> kernelOf,
          llvm::function_ref<LaunchedCode(mlir::func::CallOp)> codeOf,
          llvm::function_ref<double(mlir::func::CallOp, const LaunchTraffic &)> secondsOf);

} // namespace attnc
