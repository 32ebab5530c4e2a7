//===- Traffic.h - from which level of memory the operands of launches come ---------------------------------------===//
//
// A call is followed launch by launch. What was touched since some bytes were touched last is how far away they are,
// and the first level that holds so much is where they lie:
//
//   launch            reads        touched since       lies in (L2 of 1 MB)
//   rows_0            x, 400 KB    400 KB              L2
//   gemm_0            w, 9 MB      all of a call       L3
//
// A launch touches its operands and results together, so what it touches first is as far away as all of it is large.
// Beside what is touched lies what comes with it: lines come in pairs, and behind those of a stream more are fetched
// ahead, such as the next parameter of an optimizer's steps, and the code of the next kernel.
//
// The call before this one has warmed the caches. Of loops the first and the last turns are followed, with the
// elements of lists and the parameters of layers that are theirs. What a kernel reads at subscripts from data is taken
// to be no more than it writes.
//
// What lies far away comes late: a launch waits for the first lines of its operands, which are asked for together, and
// for its code, which lies behind that of other kernels and is pushed out of caches as data is.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Memory/Plan.h"
#include "compiler/Predict/CodeTime.h"
#include "compiler/Predict/Machine.h"

namespace attnc {

/// Of one launch, on average over the turns of loops around it: element n is of machine.levels[n].
struct LaunchTraffic {
  llvm::SmallVector<double, 4> read, written;
  double waits = 0; ///< seconds until code and operands begin to come
  double wakes = 0; ///< seconds that may be lost until whole vectors are as fast as ever
};

/// What a kernel runs, and the bytes of scratch that it works in.
struct LaunchedCode {
  std::vector<CodePiece> pieces;
  int64_t sharedBytes = 0, workerBytes = 0;
  bool isWide = false; ///< works on whole vectors
};

/// Of each launch of an entry point, at these sizes; `kernelOf` finds what a call runs, `codeOf` where its code lies,
/// `secondsOf` how long it takes with such a traffic, for the last cache keeps things for a time only.
llvm::DenseMap<mlir::Operation *, LaunchTraffic>
trafficOf(const EntryPlan &plan, llvm::ArrayRef<int64_t> sizes, const Machine &machine,
          llvm::function_ref<mlir::func::FuncOp(mlir::func::CallOp)> kernelOf,
          llvm::function_ref<LaunchedCode(mlir::func::CallOp)> codeOf,
          llvm::function_ref<double(mlir::func::CallOp, const LaunchTraffic &)> secondsOf);

} // namespace attnc
