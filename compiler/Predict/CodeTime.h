//===- CodeTime.h - static cost model of generated loop nests -----------------------------------------------------===//
//
// `generate` emits loops (scf) around vector instructions. All control flow (loop bounds, conditions, arguments of
// calls) is arithmetic on sizes, the chunk number and induction variables. The model therefore walks the code with
// concrete sizes: it counts every iteration, including remainders of tiles and blocks that a mask skips, for any kind
// of kernel. The time follows from the instructions (throughput) and from their dependences (latency):
//
//   straight-line code   the largest of: products / fma, all arithmetic / arithmetic, loads / load, stores / store,
//                        shuffles, divisions, gathers, integer work, and all instructions / issue
//   loop                 iterations x time of the body; but at least
//                        - of an innermost loop: iterations x latency of its loop-carried dependence
//                        - of every loop: iterations x critical path of the body / iterations in the reorder window
//
// The critical path of a block takes the size of the scheduler into account: about a hundred instructions wait for
// operands at a time, so two of four consecutive logarithms overlap. Narrow vector instructions next to full-width ones
// have half of the ports for products, and vectors that cross a cache line count twice.
//
// Two cases are serial across the iterations of all loops: updates in place of rows shorter than a vector, where each
// load overlaps the preceding store, and choices between scalars on the path of an exponential, which pass through a
// register that iterations share (InstructionWork.h).
//
// A loop whose control flow does not depend on its index is walked once; others index by index, or at a sample of
// indices. If data decide between two arms that both compute, the faster arm is the common case. If data decide whether
// code executes, half of it counts, and nothing of code that handles NaN. A loop whose length is data runs half of its
// upper bound, or once if there is none. All operands are assumed to be in L1; Traffic.h adds the other memory levels.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Target/Target.h"
#include "compiler/Predict/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <optional>

namespace attnc {

/// Cost of a piece of code: a chunk, an iteration, ...
struct CodeCost {
  double seconds = 0;
  double loaded = 0, stored = 0; ///< bytes, counted for each access
  double instructions = 0;
  double scheduled = 0; ///< of those, vector and float instructions: they occupy the scheduler until operands arrive
  double path = 0;      ///< critical path in seconds
  double serial = 0;    ///< seconds of dependences on the previous iteration of whichever loop
  /// Sequential composition.
  CodeCost &operator+=(const CodeCost &other);
  /// `times` independent repetitions: all sums multiply, the critical path stays that of one.
  CodeCost operator*(double times) const;
  /// To the cost of all `count` iterations of a loop, adds the latency that overlap cannot hide: each iteration has the
  /// critical path `path` and a loop-carried dependence of `carried` seconds.
  void addLoopLatency(double count, double carried);
};

/// The byte range of code in the module, whose functions are laid out in order.
struct CodeRange {
  int64_t begin = 0, end = 0;
};

/// Cost of a kernel phase.
struct PhaseCost : CodeCost {
  std::vector<CodeRange> code; ///< executed code: a range for each function
  bool isWide = false;         ///< whether it uses full-width vectors
};

/// The cost model of one module of generated code.
class CodeTime {
public:
  /// Copies the module that `generate` leaves, and simplifies it as the back end would.
  CodeTime(mlir::ModuleOp code, const Target &target, const Machine &machine);
  ~CodeTime();

  /// The cost of all chunks of phase `symbol` on one core. Element n of `sizes` is attn_kernel_args::sizes[n]. Null if
  /// the iterations of a loop are not a function of sizes, or if the module has no code of this phase that the model
  /// supports.
  std::optional<PhaseCost> costOf(llvm::StringRef symbol, llvm::ArrayRef<int64_t> sizes, int64_t chunks);

private:
  class Walk;
  mlir::OwningOpRef<mlir::ModuleOp> code;
  Machine machine;
  std::unique_ptr<Walk> walk;
};

} // namespace attnc
