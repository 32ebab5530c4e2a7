//===- Traffic.h - reuse-distance model of memory traffic ---------------------------------------------------------===//
//
// Predicts from which memory level a launch reads its operands. A call of an entry point is traced launch by launch, on
// the locations that the memory plan gives to values. The reuse distance of data is the number of bytes touched since
// their last access. The data are in the first memory level whose capacity is at least the reuse distance. Near the
// capacity they are partly in the next level, because the effective capacity is uncertain:
//
//   launch            reads        reuse distance      level (L2 of 1 MB)
//   rows_0            x, 400 KB    400 KB              L2
//   gemm_0            w, 9 MB      all of a call       L3
//
// A launch touches its operands and results concurrently. The reuse distance of a buffer therefore includes a part of
// the working set of the launch that touched it last: 1/8, 3/8, 5/8 and 7/8 of it, for the four quarters of the buffer.
// Hardware prefetching also brings data into the caches. Lines come in pairs, and a stream prefetches the lines that
// follow, such as the next parameter of an optimizer, or the code of the next kernel.
//
// The call is traced twice, and the result is that of the second trace, with warm caches. Each loop iteration touches
// its own elements of per-iteration lists and its own parameters. In a loop of more than 32 iterations, the first 16
// and the last 16 are traced. Reads of an operand that the kernel reads only at subscripts from data are assumed to
// touch no more bytes than the kernel writes.
//
// Cold data and cold code add latency. A launch waits for the first lines of its operands, which it requests in
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
  /// Bytes of operands, results and scratch; element n is for machine.levels[n].
  llvm::SmallVector<double, 4> read, written;
  double latency = 0; ///< seconds: latency of the first code and operands
  double warmUp = 0;  ///< seconds: upper bound of the delay by the wide-vector warm-up; 0 without full-width vectors
};

/// The executed code of a kernel, and its scratch in bytes.
struct LaunchedCode {
  std::vector<CodeRange> ranges;            ///< of all phases, as in PhaseCost::code
  int64_t sharedBytes = 0, workerBytes = 0; ///< scratch shared by the launch; scratch of one worker
  bool isWide = false;                      ///< whether it uses full-width vectors
};

/// The traffic of each launch of the entry point of `plan`; the keys of the result are the func.call ops that are
/// executed at these sizes and launch a kernel. `sizes` are the values of plan.symbols. `kernelOf` returns the kernel
/// that a call launches, or null for a call that launches none; `codeOf` returns the code of this kernel; and
/// `secondsOf` predicts the time of the launch with a given traffic. The trace needs times because other programs evict
/// data from the last cache. `machine` must have at least two levels.
llvm::DenseMap<mlir::Operation *, LaunchTraffic>
trafficOf(const EntryPlan &plan, llvm::ArrayRef<int64_t> sizes, const Machine &machine,
          llvm::function_ref<mlir::func::FuncOp(mlir::func::CallOp)> kernelOf,
          llvm::function_ref<LaunchedCode(mlir::func::CallOp)> codeOf,
          llvm::function_ref<double(mlir::func::CallOp, const LaunchTraffic &)> secondsOf);

} // namespace attnc
