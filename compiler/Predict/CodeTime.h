//===- CodeTime.h - static cost model of generated loop nests -----------------------------------------------------===//
//
// The phase `generate` emits loops (scf) around vector instructions. All control flow (loop bounds, conditions,
// arguments of calls) is arithmetic on sizes, the chunk number and induction variables. The model therefore walks the
// code of a kernel phase with concrete sizes, without executing it. It counts every iteration, including remainders of
// tiles and blocks that a mask skips, for any kind of kernel. The time follows from the instructions (throughput) and
// from their dependences (latency). Names such as `fma` are rates of the machine (Machine.h):
//
//   straight-line code   the largest of: products / fma, all arithmetic / arithmetic, loads / load, stores / store,
//                        shuffles, divisions, gathers, integer work, and all instructions / issue
//   loop                 iterations x time of the body; but at least
//                        - for an innermost loop: iterations x latency of its loop-carried dependence
//                        - for every loop: iterations x critical path of the body / iterations in the reorder window
//
// The critical path of a block takes the size of the scheduler into account: about a hundred instructions wait for
// operands at a time, so two of four consecutive logarithms overlap. Narrow vector instructions next to full-width ones
// have half of the ports for products, and vectors that cross a cache line count twice.
//
// In two cases, iterations of all loops are serial. One is the update in place of rows shorter than a vector, where
// each load overlaps the preceding store. The other is a choice between scalars on the path of an exponential, which
// passes through a register that iterations share (InstructionWork.h).
//
// A loop whose control flow does not depend on its index is walked once; other loops are walked index by index, or at a
// sample of indices. Some control flow depends on data. If data decide between two branches that both compute, the
// faster branch counts; of a switch, the default case. If data decide whether a branch is executed, half of its cost
// counts, and nothing if it handles NaN or is marked as unlikely. If data decide the length of a loop, half of the
// known upper bound of its iterations counts (of nested loops, only for the outermost one), or one iteration if there
// is no bound. All operands are assumed to be in L1; Traffic.h adds the other memory levels.
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

/// Cost of a piece of code (an iteration, a chunk, a phase) on one core.
struct CodeCost {
  double seconds = 0;            ///< predicted time
  double loaded = 0, stored = 0; ///< bytes, counted for each access
  double instructions = 0;       ///< number of executed instructions, as Work::instructions() counts them
  double scheduled = 0;          ///< of these, vector and float instructions, which wait for operands in the scheduler
  double path = 0;               ///< critical path in seconds
  double serial = 0;             ///< seconds of the dependences that are serial across the iterations of all loops
  /// Appends code that is executed afterwards: all members add.
  CodeCost &operator+=(const CodeCost &other);
  /// `times` independent repetitions: all members multiply, except the critical path, which is that of one repetition.
  CodeCost operator*(double times) const;
  /// Adds to this cost, of all `count` iterations of a loop, the latency that out-of-order execution cannot hide.
  /// `path` must be the critical path of one iteration; it becomes that of the loop. `carried` is the latency of the
  /// loop-carried dependence of an iteration, in seconds.
  void addLoopLatency(double count, double carried);
};

/// A range of code, in estimated bytes from the start of the module; functions are laid out in order.
struct CodeRange {
  int64_t begin = 0, end = 0;
};

/// Cost of all chunks of a kernel phase, executed by one core.
struct PhaseCost : CodeCost {
  std::vector<CodeRange> code; ///< executed code: a range for each function
  bool isWide = false;         ///< whether it uses full-width vectors
};

/// The cost model of one module of generated code.
class CodeTime {
public:
  /// Copies `code`, the module of generated code for a processor, and simplifies the copy as the back end would. If
  /// expandMath() (VectorMath.h) fails for it, every costOf() is null.
  CodeTime(mlir::ModuleOp code, const Target &target, const Machine &machine);
  ~CodeTime();

  /// The cost of all `chunks` chunks of the phase whose function is `symbol`. Element n of `sizes` is
  /// attn_kernel_args::sizes[n]. Null if the module has no function for `symbol`, if this calls a function without a
  /// body or of several blocks (other than Halide's), or if the iterations of a loop of Halide, or the length of a
  /// memset, are unknown.
  std::optional<PhaseCost> costOf(llvm::StringRef symbol, llvm::ArrayRef<int64_t> sizes, int64_t chunks);

private:
  class Walk;
  mlir::OwningOpRef<mlir::ModuleOp> code;
  Machine machine;
  std::unique_ptr<Walk> walk;
};

} // namespace attnc
