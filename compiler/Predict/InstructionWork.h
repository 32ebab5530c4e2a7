//===- InstructionWork.h - what instructions ask of a core --------------------------------------------------------===//
//
// Each op of generated code as the instructions that the back end will make of it: a product whose only reader is a
// sum is fused with it, a comparison and a selection of the same two values are a maximum, a number that is loaded and
// spread over a vector is one load, and arithmetic on addresses is hidden behind the rest.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Predict/Machine.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"

namespace attnc {

/// Instructions, each kind in vectors.
struct Work {
  double products = 0;       ///< multiply-adds and products
  double arithmetic = 0;     ///< of floats or in vectors, other than those
  double narrow = 0;         ///< of both, those on vectors of floats half as wide or less, or on one
  double narrowProducts = 0; ///< of the products, those
  double divisions = 0;
  double roots = 0; ///< square
  double shuffles = 0;
  double loads = 0, stores = 0;
  double broadcasts = 0;                  ///< loads of one element
  double splitLoads = 0, splitStores = 0; ///< of those, how many lie in two lines
  double gathered = 0;                    ///< elements; twice where their addresses are of 64 bits each
  double scattered = 0;                   ///< elements
  double scalars = 0;                     ///< on integers
  double scalarDivisions = 0;
  double loadedBytes = 0, storedBytes = 0;

  Work &operator+=(const Work &other);
  /// What waits for what it reads.
  double waiting() const { return products + arithmetic + divisions + roots + shuffles; }
  /// All that has to be begun.
  double instructions() const {
    return products + arithmetic + divisions + roots + shuffles + loads + broadcasts + stores + scalars;
  }
};

/// The work of ops, and how long it takes a machine.
class WorkTime {
public:
  explicit WorkTime(const Machine &machine) : machine(machine) {}

  /// Of `op` alone: what is in its regions is not counted.
  Work of(mlir::Operation *op) const;
  /// Whether it works on whole vectors.
  bool isWide(mlir::Operation *op) const;
  /// Of filling so many bytes.
  Work ofFill(double bytes) const;
  /// Of computing where an access lies, but for its last subscript; 0 of what is none.
  static double instructionsOfAddress(mlir::Operation *op);
  /// The longest of what each part of a core has to do.
  double seconds(const Work &work) const;
  /// The longest way through the ops of a block, each waiting for what it reads, and for room among those that do.
  double latencyThrough(mlir::Block &block) const;
  /// The same in a loop's body, from what it carries to what it hands on.
  double latencyOfTurn(mlir::Block &body) const;
  /// The same from these of its arguments alone.
  double latencyFrom(mlir::Block &body, llvm::ArrayRef<mlir::BlockArgument> carried) const;
  /// Seconds of a block that the next time it runs has to wait for, though it hands nothing on; `path` is the longest
  /// way through it.
  double latencyInTurn(mlir::Block &block, double path) const;
  /// Whether vectors that masks cut off are loaded and stored in one buffer: where a row is shorter than a vector, that
  /// of the next one overlaps what was stored just before.
  static bool forwards(mlir::Block &block);
  /// What so much work is as code.
  static double bytesOfCode(const Work &work);
  /// How much of what a core has under way at a time so many instructions are, of which some wait, at most 1.
  static double shareOfWindow(double instructions, double waiting);

private:
  Work ofWhole(mlir::Operation *op) const;
  double latencyOf(mlir::Operation *op) const;
  double longestWay(mlir::Block &block, llvm::ArrayRef<mlir::BlockArgument> from) const;
  const Machine &machine;
};

} // namespace attnc
