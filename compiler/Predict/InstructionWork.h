//===- InstructionWork.h - throughput and latency of the instructions of a block ----------------------------------===//
//
// The part of the cost model (CodeTime.h) for straight-line code. It maps each op of generated code to the machine
// instructions that the back end selects, and these to times on a machine (Machine.h). For example, a product whose
// only user is a sum is part of a multiply-add, a comparison and a selection of the same two values are one maximum, a
// scalar load and its broadcast are one load, and address arithmetic is mostly free.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Predict/Machine.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"

namespace attnc {

/// Numbers of instructions by the execution resource that they occupy. A vector op counts once for each vector register
/// of its type. Numbers may be fractions.
struct Work {
  double products = 0;       ///< multiply-adds and products
  double arithmetic = 0;     ///< other float or vector instructions
  double narrow = 0;         ///< the part of products + arithmetic on vectors of at most half the width, or on scalars
  double narrowProducts = 0; ///< the part of products on these
  double divisions = 0;
  double roots = 0; ///< square roots
  double shuffles = 0;
  double loads = 0, stores = 0;
  double broadcasts = 0;                  ///< loads of one element
  double splitLoads = 0, splitStores = 0; ///< the parts of `loads` and `stores` that cross a cache line
  double gathered = 0;                    ///< gathered elements; they count twice if addresses have 64 bits
  double scattered = 0;                   ///< scattered elements
  double scalars = 0;                     ///< integer instructions
  double scalarDivisions = 0;
  double loadedBytes = 0, storedBytes = 0;

  Work &operator+=(const Work &other);
  /// Instructions that occupy the scheduler until their operands arrive.
  double scheduled() const { return products + arithmetic + divisions + roots + shuffles; }
  /// Instructions that are issued, without gathers, scatters and scalar divisions.
  double instructions() const {
    return products + arithmetic + divisions + roots + shuffles + loads + broadcasts + stores + scalars;
  }
};

/// The work of ops, and its time on one core of a machine, which must outlive the object.
class WorkTime {
public:
  explicit WorkTime(const Machine &machine) : machine(machine) {}

  /// The work of `op`, without its regions. `op` is of the dialects of generated code: vector, memref, arith, math or
  /// llvm, or an attn.uniform.
  Work workOf(mlir::Operation *op) const;
  /// Whether the op uses vectors of more than half of the register width.
  bool isWide(mlir::Operation *op) const;
  /// The work of filling `bytes` bytes of memory.
  Work fillWork(double bytes) const;
  /// For a load, store or prefetch of vector or memref, the number of instructions that compute its address from its
  /// subscripts, except the last one and those that are affine in induction variables; 0 for other ops.
  static double addressInstructions(mlir::Operation *op);
  /// The time of the work by throughput alone: the longest time over all execution resources.
  double seconds(const Work &work) const;
  /// The critical path of a block in seconds, with a scheduler of limited size.
  double criticalPath(mlir::Block &block) const;
  /// The latency in seconds of the loop-carried dependences of `body`, the body of an scf.for: the longest path from
  /// any loop-carried value to the terminator.
  double iterationLatency(mlir::Block &body) const;
  /// The same for any block: the longest path from the arguments `carried` to the terminator.
  double carriedLatency(mlir::Block &body, llvm::ArrayRef<mlir::BlockArgument> carried) const;
  /// The seconds by which an execution of the block delays the next one although no value is carried: `path`, its
  /// critical path, if a choice between scalars follows an exponential on a processor with mask registers; otherwise 0.
  double serialLatency(mlir::Block &block, double path) const;
  /// Whether the block has masked loads from and masked stores to buffers that an operand and a result share. If a row
  /// is shorter than a vector, the load of the next row then overlaps the preceding store, and store forwarding fails.
  static bool failsForwarding(mlir::Block &block);
  /// The estimated code size of the work in bytes.
  static double codeBytes(const Work &work);
  /// The share, at most 1, of the out-of-order window that `instructions` instructions occupy, of which `scheduled`
  /// wait for operands.
  static double windowShare(double instructions, double scheduled);

private:
  Work vectorWork(mlir::Operation *op) const;
  double latencyOf(mlir::Operation *op) const;
  double longestPath(mlir::Block &block, llvm::ArrayRef<mlir::BlockArgument> from) const;
  const Machine &machine;
};

} // namespace attnc
