//===- Traffic.h - reuse-distance model of memory traffic ---------------------------------------------------------===//
//
// A call is traced launch by launch. The reuse distance of data is the number of bytes touched since their last access;
// the data are in the first memory level whose capacity is at least that:
//
//   launch            reads        reuse distance      level (L2 of 1 MB)
//   rows_0            x, 400 KB    400 KB              L2
//   gemm_0            w, 9 MB      all of a call       L3
//
// A launch touches its operands and results concurrently, so the first bytes that it touches are as distant as its
// whole working set. Hardware prefetching touches more: cache lines come in pairs, and a stream prefetches the lines
// that follow, such as the next parameter of an optimizer, or the code of the next kernel.
//
// Caches are warm from the previous call. Of a loop the first and the last iterations are traced, each with its
// elements of per-iteration lists and its layer parameters. A read at subscripts from data is assumed to touch no more
// bytes than the kernel writes.
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

/// Traffic of one launch, averaged over the iterations of loops around it; element n is for machine.levels[n].
struct LaunchTraffic {
  llvm::SmallVector<double, 4> read, written;
  double latency = 0; ///< latency of the first code and operands in seconds
  double warmUp = 0;  ///< seconds that wide-vector warm-up may add
};

/// The code of a kernel, and its scratch in bytes.
struct LaunchedCode {
  std::vector<CodeRange> ranges;
  int64_t sharedBytes = 0, workerBytes = 0;
  bool isWide = false; ///< uses full-width vectors
};

/// Traffic of each launch of an entry point, at these sizes. `kernelOf` returns the kernel of a call, `codeOf` its
/// code, and `secondsOf` its time at a given traffic: time matters because other programs evict data from the last
/// cache.
llvm::DenseMap<mlir::Operation *, LaunchTraffic>
trafficOf(const EntryPlan &plan, llvm::ArrayRef<int64_t> sizes, const Machine &machine,
          llvm::function_ref<mlir::func::FuncOp(mlir::func::CallOp)> kernelOf,
          llvm::function_ref<LaunchedCode(mlir::func::CallOp)> codeOf,
          llvm::function_ref<double(mlir::func::CallOp, const LaunchTraffic &)> secondsOf);

} // namespace attnc
