//===- CodeTime.h - how long generated code computes --------------------------------------------------------------===//
//
// The code that `generate` makes is loops (scf) around instructions on vectors, and all that steers it, bounds of
// loops, conditions, what a routine is called with, is arithmetic on sizes, on the chunk's number and on loops'
// indices. So it can be walked with sizes that are known: each loop runs as often as it would, the edges of tiles and
// blocks that a mask skips are as many as there are, whatever the kind of kernel. What is counted is the work of an
// iteration:
//
//   time of straight code    the most of: products / fma, all arithmetic / arithmetic, loads / load, stores / store,
//                            shuffles, divisions, gathers, work on integers, and all instructions together / issue
//   time of a loop           iterations x that of its body; of an innermost loop at least iterations x the latency of
//                            what one iteration hands on to the next; and of every loop at least iterations x the
//                            latency through its body, over as many iterations as a core has under way at a time
//
// A block's latency is that of its longest chain, where only about a hundred instructions wait for others at a time:
// of four logarithms one behind the other two run side by side. What works on parts of vectors beside whole ones has
// half of the ports for products, and vectors that lie in two lines count twice.
//
// Two things run in turn however loops are nested: rows that are shorter than a vector and are changed in place, where
// each load overlaps what was stored just before, and choices between scalars on the way of an exponential, which pass
// through a register that iterations share (InstructionWork.h).
//
// A loop whose control does not depend on its index is walked once. Others are walked index by index, or at a sample of
// indices where there are many. Where data decides between two arms, the faster one is taken for the common case, and
// where it decides whether something is done, half of that counts, but nothing of what is done for NaN; a loop to a
// length from data runs half as often as what bounds that, and once where nothing does. All operands are taken to lie
// in the nearest cache: Traffic.h says what moves from others.
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

/// What code does, of one chunk, of one iteration, ...
struct CodeCost {
  double seconds = 0;
  double loaded = 0, stored = 0; ///< bytes, as often as they are
  double instructions = 0;
  double waiting = 0; ///< of those, on floats or in vectors: they wait for what they read
  double path = 0;    ///< seconds from the first instruction to the last, each waiting for what it reads
  double inTurn = 0;  ///< seconds of what waits for the same in the iteration before, of whatever loop
  /// One behind the other.
  CodeCost &operator+=(const CodeCost &other);
  /// So many that do not wait for each other.
  CodeCost operator*(double times) const;
  /// Of `count` turns, of which each takes `path` and hands on behind `handedOn` seconds: what overlap can't hide.
  void waitWithin(double count, double handedOn);
};

/// Where code lies among all of the module, as functions lie behind each other.
struct CodePiece {
  int64_t begin = 0, end = 0;
};

/// Of a phase.
struct PhaseCost : CodeCost {
  std::vector<CodePiece> code; ///< that runs in it, however often: a piece for each function
  bool isWide = false;         ///< whether it works on whole vectors
};

class CodeTime {
public:
  /// Of a module as `generate` leaves it, which is copied, and simplified as the back end would.
  CodeTime(mlir::ModuleOp code, const Target &target, const Machine &machine);
  ~CodeTime();

  /// All chunks of phase `symbol`, on one core. Element n of `sizes` is attn_kernel_args::sizes[n].
  /// Nothing where how often a loop turns is not a function of those.
  std::optional<PhaseCost> costOf(llvm::StringRef symbol, llvm::ArrayRef<int64_t> sizes, int64_t chunks);

private:
  class Walk;
  mlir::OwningOpRef<mlir::ModuleOp> code;
  Machine machine;
  std::unique_ptr<Walk> walk;
};

} // namespace attnc
