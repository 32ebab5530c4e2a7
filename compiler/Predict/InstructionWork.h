//===- InstructionWork.h - throughput and latency of the instructions of a block ----------------------------------===//
//
// Maps each op of generated code to the machine instructions that the back end selects: a product whose only user is a
// sum fuses to a multiply-add, a comparison with a selection of the same two values is a maximum, a scalar load with a
// broadcast is one load, and address arithmetic is mostly free.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Predict/Machine.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"

namespace attnc {

/// Instruction counts by execution resource, in vector registers.
struct Work {
  double products = 0;       ///< multiply-adds and products
  double arithmetic = 0;     ///< other float or vector instructions
  double narrow = 0;         ///< of both, those on vectors of at most half the width, or on scalars
  double narrowProducts = 0; ///< of products, the narrow ones
  double divisions = 0;
  double roots = 0; ///< square roots
  double shuffles = 0;
  double loads = 0, stores = 0;
  double broadcasts = 0;                  ///< loads of one element
  double splitLoads = 0, splitStores = 0; ///< of `loads` and `stores`, how many cross a cache line
  double gathered = 0;                    ///< elements; twice if their addresses have 64 bits each
  double scattered = 0;                   ///< elements
  double scalars = 0;                     ///< integer instructions
  double scalarDivisions = 0;
  double loadedBytes = 0, storedBytes = 0;

  Work &operator+=(const Work &other);
  /// Instructions that occupy the scheduler until their operands arrive.
  double scheduled() const { return products + arithmetic + divisions + roots + shuffles; }
  /// Instructions that are issued.
  double instructions() const {
    return products + arithmetic + divisions + roots + shuffles + loads + broadcasts + stores + scalars;
  }
};

/// Work of ops, and its time on a machine.
class WorkTime {
public:
  explicit WorkTime(const Machine &machine) : machine(machine) {}

  /// Work of `op`, without its regions.
  Work workOf(mlir::Operation *op) const;
  /// Whether the op uses vectors of more than half of the register width.
  bool isWide(mlir::Operation *op) const;
  /// Work of filling `bytes` of memory.
  Work fillWork(double bytes) const;
  /// Instructions that compute the address of an access, except for its last subscript; 0 for other ops.
  static double addressInstructions(mlir::Operation *op);
  /// Reciprocal throughput: the largest time over all execution resources.
  double seconds(const Work &work) const;
  /// Critical path of a block in seconds, with a scheduler of limited size.
  double criticalPath(mlir::Block &block) const;
  /// Latency in seconds of the loop-carried dependences of the body of an scf.for, through all carried values.
  double iterationLatency(mlir::Block &body) const;
  /// The same from the arguments `carried` alone, for any block.
  double carriedLatency(mlir::Block &body, llvm::ArrayRef<mlir::BlockArgument> carried) const;
  /// Seconds by which an execution of the block delays the next one without a loop-carried value; `path` is its
  /// critical path.
  double serialLatency(mlir::Block &block, double path) const;
  /// Whether masked vectors are loaded from and stored to one buffer. If a row is shorter than a vector, the load of
  /// the next row overlaps the preceding store (store forwarding fails).
  static bool failsForwarding(mlir::Block &block);
  /// Code size of the work in bytes.
  static double codeBytes(const Work &work);
  /// The share of the out-of-order window that `instructions` occupy, of which `scheduled` wait for operands: at most
  /// 1.
  static double windowShare(double instructions, double scheduled);

private:
  Work vectorWork(mlir::Operation *op) const;
  double latencyOf(mlir::Operation *op) const;
  double longestPath(mlir::Block &block, llvm::ArrayRef<mlir::BlockArgument> from) const;
  const Machine &machine;
};

} // namespace attnc
