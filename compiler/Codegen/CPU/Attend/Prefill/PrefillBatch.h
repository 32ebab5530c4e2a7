//===- PrefillBatch.h - rows and keys of one batch, as formulas index them ------------------------------------===//
//
// A dilated mask divides rows and keys into residue classes (ResidueClasses). A chunk computes a block of queries of
// one residue, and visits only the keys whose residue is that one plus the offset of the mask. Rows and keys are
// numbered within the class throughout; formulas are bound to their indices, number * modulus + residue.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/PrefillContext.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "compiler/Codegen/Kernels/Attend/AttendMask.h"

namespace attnc {

class PrefillBatch : PrefillContext {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  /// Binds sizes and buffers; no batch is chosen yet.
  explicit PrefillBatch(const PrefillContext &context);
  /// Binds the indices of batch `number`. With residue classes, number = batch * modulus + class; then rows and keys
  /// become those of the class, the condition of the class is bound to true, and `mask` assumes that consecutive keys
  /// are `modulus` apart.
  void open(Value number, AttendMask &mask);

  /// The number of residue classes of a batch; 1 if there are none.
  static int64_t modulusOf(const AttendProblem &problem) { return problem.classes ? problem.classes->modulus : 1; }

  /// The number in the batch of a key by its number in the class.
  Value keyIndex(Value key) const { return indexOf(key, keyResidue); }
  /// The number of keys of all classes.
  Value allKeys() const { return problem.classes ? frame.size(problem.keys) : keys; }
  /// How many keys of the class have a number in the batch below `index`.
  Value keysBelow(Value index) const { return countBelow(index, keyResidue); }

  /// `to`, or `formulas`, bound to one key by its number (in the class), the same in all lanes.
  RegionVectoriser bindKey(const RegionVectoriser &to, Value key) const;
  RegionVectoriser bindKey(Value key) const { return bindKey(formulas, key); }
  /// The formulas of one row by its number, the same in all lanes.
  RegionVectoriser bindRow(Value row) const;
  /// The formulas of consecutive rows from number `first` on, in the lanes; all lanes are active.
  RegionVectoriser bindRows(Value first) const;

  RegionVectoriser formulas;               ///< the batch indices are bound
  Values outerSizes, keySizes, valueSizes; ///< of each dimension
  Value rows, keys, values;                ///< numbers of rows and keys of the batch, or its class, and of values

private:
  void openClass(Value number, AttendMask &mask);
  int64_t modulus() const { return modulusOf(problem); }
  Value indexOf(Value number, Value residue) const {
    return problem.classes ? loops.add(loops.mul(number, modulus()), residue) : number;
  }
  Value countBelow(Value index, Value residue) const;
  Values rowSizes() const;

  Value rowResidue, keyResidue; ///< of the class; null where there is one alone
};

} // namespace attnc
