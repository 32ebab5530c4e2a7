//===- AttendProblem.h - an attn.attend read as batches, rows, keys and products -------------------------------===//
//
// The emitters compute attention in this form. For each outer index tuple and key,
//
//   s  = f(r_1, ..., r_n, other operands)     r = attn.reduce over features: sums of products, and other sums
//   o += p(s) * v
//
// **Batch and rows.** An outer dimension on which a key-side operand depends (k, v, the keys' part of a reduction) is a
// batch dimension: rows of different batches share no keys. With `key_sums`, an outer dimension that is not summed is
// one too. All others are row dimensions; flattened in order, they are a batch's queries: i, for [b, h, i] and k[b, h /
// 4, j, d].
//
// **Head groups.** If every key-side operand depends on a batch dimension h only through `h floordiv g`, the g heads of
// a group share their keys: `groupDim`, `group`. In the decode algorithm they are rows.
//
// **Products.** Each attn.reduce of the score is a PairReduction: its terms combine extracts that depend on the row
// (`rowExtracts`: transposed once for each block of queries into a tile of the scratch), on the key (loaded as
// scalars), or on the features alone. A sum of `row * key` is a dot product, the register-tiled case; a sum of tanhs of
// sums is an additive score (SumOfTanh.h); all others are evaluated term by term, in registers. Factors of a product
// that are the same for all pairs of a batch become one factor (`scales`), of the row's tile for a dot product, of the
// result for others. It includes log2 e if the score is the product, as exponentials are to base two.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Kernels/Attend/Normaliser/Normaliser.h"
#include "compiler/Codegen/Kernels/Attend/PassPlan.h"
#include "compiler/Codegen/Kernels/Attend/SumOfTanh.h"
#include "compiler/Codegen/Nest/KernelSizes.h"
#include "dialects/Attn/Attn.h"
#include "llvm/ADT/SmallVector.h"

namespace attnc {

/// The indices that a value of a formula depends on, as a set of the bits below.
class IndexUses {
public:
  explicit IndexUses(mlir::attn::AttendOp op);

  static constexpr uint64_t features = uint64_t(1) << 40; ///< an index of an attn.reduce
  static constexpr uint64_t weight = uint64_t(1) << 41;   ///< the argument p of the weight region
  static constexpr uint64_t values = uint64_t(1) << 42;   ///< an index of the summed value
  static uint64_t outer(unsigned dimension) { return uint64_t(1) << dimension; }
  static uint64_t key(unsigned dimension) { return uint64_t(1) << (20 + dimension); }
  static constexpr uint64_t anyOuter = (uint64_t(1) << 20) - 1;
  static constexpr uint64_t anyKey = anyOuter << 20;

  uint64_t of(mlir::Value value);

  /// Whether the last subscript of `extract` is `index` plus an invariant, and no other one depends on it: consecutive
  /// indices load consecutive elements. False if a subscript comes from data, which is checked element by element.
  static bool stepsWith(mlir::tensor::ExtractOp extract, mlir::BlockArgument index);
  /// The same with any one of the subscripts.
  static bool stepsAlong(mlir::tensor::ExtractOp extract, mlir::BlockArgument index);
  /// Whether the subscripts of `extract` are functions of indices alone.
  static bool isPlacedByIndices(mlir::tensor::ExtractOp extract);
  /// The constant g if `value` is `index floordiv g`; otherwise 0.
  static int64_t divisorOf(mlir::Value value, mlir::BlockArgument index);

private:
  uint64_t ofRegion(mlir::Region &region);
  mlir::attn::AttendOp op;
  llvm::DenseMap<mlir::Value, uint64_t> known;
};

/// A load in the score, mask or weight that depends on the row and on the key, such as a learned bias. Elements of
/// consecutive keys are contiguous and those of consecutive rows are not, so blocks of it are transposed.
struct PairExtract {
  mlir::tensor::ExtractOp op;
  mlir::BlockArgument key; ///< of its region
  /// Whether it is a float that only the score reads: it is transposed where it is added.
  bool isBias() const;
};

/// An attn.reduce of the score that depends on the key.
struct PairReduction {
  mlir::attn::ReduceOp op;
  llvm::SmallVector<mlir::tensor::ExtractOp> rowExtracts; ///< of floats: depend on a row dimension, not on a key
  bool isDot = false;                                     ///< a sum of rowExtracts[0] * keyFactor
  mlir::Value keyFactor;                                  ///< for a dot product: an expression without row dimensions
  std::optional<SumOfTanh> tanhs;                         ///< for an additive score
  llvm::SmallVector<std::pair<mlir::Value, bool>> scales; ///< (factor, whether it divides)
  mlir::Value scaled;                                     ///< the scaled reduction, as a value of the score
  SizeExpr features;                                      ///< number of terms
};

/// A condition of the mask that drops all keys of row i but j = i + offset (mod modulus): a dilated mask. It divides
/// rows and keys into residue classes; pairs are within a class.
struct ResidueClasses {
  int64_t modulus = 1, offset = 0;
  mlir::Value condition;
};

/// An attn.attend in this form.
struct AttendProblem {
  mlir::func::FuncOp kernel;
  mlir::attn::AttendOp op;
  std::shared_ptr<const Normaliser> normaliser;
  llvm::SmallVector<unsigned> batchDims, rowDims; ///< of the outer dimensions, ascending
  llvm::SmallVector<SizeExpr> outerSizes, keySizes, valueSizes;
  SizeExpr batches = 1, rows = 1, keys = 1, values = 1; ///< products of the sizes
  std::optional<unsigned> groupDim;                     ///< a batch dimension
  int64_t group = 1;                                    ///< heads of a group
  llvm::SmallVector<PairReduction, 1> products;         ///< in the order of the score
  llvm::SmallVector<PairExtract> pairExtracts;
  std::optional<ResidueClasses> classes;
  /// The score is products[0].scaled.
  bool scoreIsProduct = false;
  /// The score is within finite bounds for all operands (a soft cap), or NaN.
  bool scoreIsBounded = false;
  /// weight(c * p) = c * weight(p), so it can be applied before the row's sum is known.
  bool weightIsLinear = false;
  PassPlan passes;

  bool hasMask() const { return !op->getRegion(1).empty(); }
  bool hasWeight() const { return !op->getRegion(2).empty(); }
  bool hasValue() const { return !op->getRegion(3).empty() && resultOf(mlir::attn::Statistic::Value).has_value(); }
  bool hasSink() const { return !op->getRegion(4).empty(); }
  uint64_t rowUses() const; ///< the row dimensions, as bits of IndexUses
  /// The same problem with each row as a batch of its own.
  AttendProblem withRowsAsBatches() const;
  /// The number of the kernel's result that is `statistic`; null if the kernel does not return it.
  std::optional<unsigned> resultOf(mlir::attn::Statistic statistic) const;
  bool yields(mlir::attn::Statistic statistic) const { return resultOf(statistic).has_value(); }
  /// Whether the largest keys or their weights are a result.
  bool yieldsTop() const { return yields(mlir::attn::Statistic::Top) || yields(mlir::attn::Statistic::TopWeights); }
  /// The number of largest keys; 0 if no result has them.
  int64_t top() const;
  /// Whether `key_sums` sums over this outer dimension.
  bool isSummed(unsigned dimension) const;
  /// The cost of the kernel by the definition of attention.
  KernelCost cost() const;
  /// The value that a region yields.
  static mlir::Value yielded(mlir::Region &region) { return region.front().getTerminator()->getOperand(0); }
};

/// Reads the kernel; fails with the reason if it is not a single attn.attend that the emitters can evaluate.
Verdict readAttendProblem(mlir::func::FuncOp kernel, AttendProblem &problem);
/// Reads one op of any kernel: `kernel` and `op` of the problem are set by the caller.
Verdict readAttendOp(AttendProblem &problem);

} // namespace attnc
