//===- PrefillBatch.h - index bindings of the rows and keys of a batch in prefill attention -----------------------===//
//
// A batch has rows (queries) that share keys. The parts of the prefill algorithm refer to a row or a key by its number.
// This class translates numbers to the indices of the attn.attend and binds them in formulas: it returns
// RegionVectorisers, which evaluate the regions of the op.
//
// A dilated mask divides rows and keys into residue classes (ResidueClasses of AttendProblem.h). A chunk then computes
// queries of one residue, and visits only the keys whose residue is this one plus the offset of the mask. Rows and keys
// are numbered within the class, and their flat index in the batch is number * modulus + residue. Without residue
// classes, a batch is one class, and numbers are flat indices.
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

  /// Binds sizes and buffers in `formulas`; open() chooses the batch.
  explicit PrefillBatch(const PrefillContext &context);
  /// Binds the indices of a batch in `formulas`. Called once, before the functions below that bind or count. Without
  /// residue classes, `number` (index) is that of the batch. With them, number = batch * modulus + class. Then `rows`
  /// and `keys` become those of the class, the condition of the class is bound to true, and `mask` assumes that
  /// consecutive keys are `modulus` apart.
  void open(Value number, AttendMask &mask);

  /// The number of residue classes of a batch; 1 if there are none.
  static int64_t modulusOf(const AttendProblem &problem) { return problem.classes ? problem.classes->modulus : 1; }

  // Values are of type index.

  /// The flat index in the batch of the key with number `key` in the class.
  Value keyIndex(Value key) const { return indexOf(key, keyResidue); }
  /// The number of keys of the batch, all classes together.
  Value allKeys() const { return problem.classes ? frame.size(problem.keys) : keys; }
  /// How many keys of the class have a flat index in the batch below `index`. If `index` exceeds allKeys(), keys that
  /// do not exist count, too.
  Value keysBelow(Value index) const { return countBelow(index, keyResidue); }

  /// A copy of `to`, or of `formulas`, bound to one key by its number, the same key in all lanes.
  RegionVectoriser bindKey(const RegionVectoriser &to, Value key) const;
  RegionVectoriser bindKey(Value key) const { return bindKey(formulas, key); }
  /// A copy of `formulas` bound to one row by its number, the same row in all lanes.
  RegionVectoriser bindRow(Value row) const;
  /// A copy of `formulas` bound to consecutive rows from number `first` on, one row in each lane. All lanes are active.
  RegionVectoriser bindRows(Value first) const;

  RegionVectoriser formulas;               ///< all regions; after open(), the batch indices are bound
  Values outerSizes, keySizes, valueSizes; ///< the sizes of each outer, key and value dimension of the attn.attend
  Value rows, keys, values; ///< after open(), the numbers of rows and keys of the class; elements of a value vector

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
