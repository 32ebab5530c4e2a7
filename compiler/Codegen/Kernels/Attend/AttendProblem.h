//===- AttendProblem.h - an attn.attend parsed as batches, rows, keys and products --------------------------------===//
//
// The emitters of attention, for processors and devices, compute an attn.attend in this form. With the score s of a
// query–key pair, its attention weight p, a value vector v and the sum o of a query:
//
//   s  = f(r_1, ..., r_n, other operands)     each r is an attn.reduce over features, e.g. a dot product
//   o += p(s) * v                             summed over the keys
//
// **Batch and rows.** The outer dimensions of the op index its queries. An outer dimension on which a key-side operand
// depends (k, v, the keys' part of a reduction) is a batch dimension: rows of different batches share no keys. If the
// statistic `key_sums` is a result, an outer dimension that it does not sum over is a batch dimension too. All others
// are row dimensions; the rows of a batch are numbered in row-major order of these. For outer indices [b, h, i] and
// keys k[b, h / 4, j, d], b and h are batch dimensions, and i is the row.
//
// **Head groups.** If every key-side operand depends on a batch dimension h only through `h floordiv g`, the g heads of
// a group share their keys (`groupDim`, `group`). The decode algorithm computes the heads of a group as rows.
//
// **Products.** Each attn.reduce of the score that depends on the key is a PairReduction. A sum of `row * key` is a dot
// product, which emitters compute in register tiles or on tensor cores. A sum of tanhs of sums is an additive score
// (SumOfTanh.h). All others are evaluated term by term. Factors of a product that are the same for all pairs of a batch
// are separated (`scales`): emitters apply them once, to the row's operand of a dot product or to the result of another
// reduction.
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

/// The indices that a value of a formula depends on, as a set of bits. Results are cached, so the op must not change.
class IndexUses {
public:
  explicit IndexUses(mlir::attn::AttendOp op);

  static constexpr uint64_t features = uint64_t(1) << 40; ///< an index of an attn.reduce
  static constexpr uint64_t weight = uint64_t(1) << 41;   ///< the argument p of the weight region
  static constexpr uint64_t values = uint64_t(1) << 42;   ///< an index of the summed value
  static uint64_t outer(unsigned dimension) { return uint64_t(1) << dimension; }      ///< an outer index, below 20
  static uint64_t key(unsigned dimension) { return uint64_t(1) << (20 + dimension); } ///< a key index, below 20
  static constexpr uint64_t anyOuter = (uint64_t(1) << 20) - 1;                       ///< mask of all outer indices
  static constexpr uint64_t anyKey = anyOuter << 20;                                  ///< mask of all key indices

  /// The bits of `value`; 0 for a value outside of the op.
  uint64_t of(mlir::Value value);

  /// Whether the last subscript of `extract` is `index` plus an invariant, and no other subscript depends on `index`:
  /// consecutive indices then load consecutive elements. False if a subscript comes from data, from a selection or
  /// from a reduction, because these are checked element by element.
  static bool stepsWith(mlir::tensor::ExtractOp extract, mlir::BlockArgument index);
  /// Whether exactly one subscript of `extract`, not necessarily the last, depends on `index`, and is `index` plus an
  /// invariant. False if a subscript comes from data, from a selection or from a reduction.
  static bool stepsAlong(mlir::tensor::ExtractOp extract, mlir::BlockArgument index);
  /// Whether all subscripts of `extract` are functions of indices alone, without loads, selections and reductions.
  static bool isPlacedByIndices(mlir::tensor::ExtractOp extract);
  /// Whether each subscript of `extract` is a function of indices alone, or is marked as in range (isProved), such as
  /// the block of a key in a paged cache. Its address can then be computed for any key that exists.
  static bool isLocated(mlir::tensor::ExtractOp extract);
  /// The constant g if `value` is `index floordiv g`; otherwise 0.
  static int64_t divisorOf(mlir::Value value, mlir::BlockArgument index);

private:
  uint64_t ofRegion(mlir::Region &region);
  mlir::attn::AttendOp op;
  llvm::DenseMap<mlir::Value, uint64_t> known;
};

/// A load in the score, mask or weight that depends on the row, and whose last subscript alone is the key index, such
/// as a learned bias. Elements of consecutive keys are contiguous and those of consecutive rows are not, so blocks of
/// it are transposed. Loads in an attn.reduce are not among them.
struct PairExtract {
  mlir::tensor::ExtractOp op;
  mlir::BlockArgument key; ///< the key index of the region that contains `op`
  /// Whether `op` loads an f32 in the score region; emitters transpose such an element where the score adds it.
  bool isBias() const;
};

/// An attn.reduce of the score that depends on the key.
struct PairReduction {
  mlir::attn::ReduceOp op;
  /// Loads of floats that depend on the row, not on the key. In a dot product: its one factor that does not depend on
  /// the key, which may be the same for all rows.
  llvm::SmallVector<mlir::tensor::ExtractOp> rowExtracts;
  bool isDot = false;             ///< `op` is the sum of rowExtracts[0] * keyFactor
  mlir::Value keyFactor;          ///< of a dot product: an expression that depends on the key, not on the row
  std::optional<SumOfTanh> tanhs; ///< of an additive score
  llvm::SmallVector<std::pair<mlir::Value, bool>> scales; ///< (factor; true: divide by it, false: multiply)
  mlir::Value scaled; ///< the value of the score formula after all `scales`; the result of `op` if there are none
  SizeExpr features;  ///< number of terms
};

/// A dilated mask: a condition that masks every pair of row index i and key index j but those with j = i + offset (mod
/// modulus). It divides rows and keys into residue classes, and only pairs within a class are unmasked.
struct ResidueClasses {
  int64_t modulus = 1, offset = 0; ///< 0 <= offset < modulus
  mlir::Value condition;           ///< this condition in the mask formula
};

/// An attn.attend in this form. It is valid after readAttendProblem() or readAttendOp() returned yes.
struct AttendProblem {
  mlir::func::FuncOp kernel;
  mlir::attn::AttendOp op;
  std::shared_ptr<const Normaliser> normaliser;
  llvm::SmallVector<unsigned> batchDims, rowDims;               ///< numbers of the outer dimensions, ascending
  llvm::SmallVector<SizeExpr> outerSizes, keySizes, valueSizes; ///< one for each dimension
  SizeExpr batches = 1, rows = 1, keys = 1, values = 1; ///< batches; rows and keys of a batch; elements of a value
  int64_t firstRow = 0;                                 ///< number in the op of the first of `rows` (withRowsFrom)
  std::optional<unsigned> groupDim;                     ///< the batch dimension of heads; null without head groups
  int64_t group = 1;                                    ///< heads of a group
  llvm::SmallVector<PairReduction, 1> products;         ///< in the order of the score formula
  llvm::SmallVector<PairExtract> pairExtracts;          ///< empty if there are several key dimensions
  /// Set only if a dilated mask is one of the conditions that `and` joins in the mask formula, and there are one row
  /// and one key dimension, no `pairExtracts`, and no result `weights` or `key_sums`, which are in the order of the
  /// keys.
  std::optional<ResidueClasses> classes;
  /// The score is products[0].scaled, and there is no other product.
  bool scoreIsProduct = false;
  /// The score is within finite bounds for all operands, as with a soft cap, or NaN.
  bool scoreIsBounded = false;
  /// The weight formula is linear: weight(c * p) = c * weight(p), so it can be applied before the row's sum is known.
  /// False without a weight formula.
  bool weightIsLinear = false;
  PassPlan passes;

  // Whether the op has this region; hasValue() also requires that the kernel returns the sum of values.
  bool hasMask() const { return !op->getRegion(1).empty(); }
  bool hasWeight() const { return !op->getRegion(2).empty(); }
  bool hasValue() const { return !op->getRegion(3).empty() && resultOf(mlir::attn::Statistic::Value).has_value(); }
  bool hasSink() const { return !op->getRegion(4).empty(); }
  uint64_t rowUses() const; ///< the row dimensions, as bits of IndexUses
  /// The same problem with each row as a batch of its own: the row dimensions become batch dimensions.
  AttendProblem withRowsAsBatches() const;
  /// The same problem with the rows from number `first` on alone. Requires one row dimension, of a constant size.
  AttendProblem withRowsFrom(int64_t first) const;
  /// The number of the kernel's result that is `statistic`; null if the kernel does not return it.
  std::optional<unsigned> resultOf(mlir::attn::Statistic statistic) const;
  bool yields(mlir::attn::Statistic statistic) const { return resultOf(statistic).has_value(); }
  /// Whether the largest keys or their weights are a result.
  bool yieldsTop() const { return yields(mlir::attn::Statistic::Top) || yields(mlir::attn::Statistic::TopWeights); }
  /// The number of largest keys; 0 if no result has them.
  int64_t top() const;
  /// Whether `key_sums` sums over this outer dimension.
  bool isSummed(unsigned dimension) const;
  /// The cost of the kernel by the definition of attention: every pair counts, also a masked one.
  KernelCost cost() const;
  /// The value that a region yields.
  static mlir::Value yielded(mlir::Region &region) { return region.front().getTerminator()->getOperand(0); }
};

/// Parses a kernel of kind `attend` into `problem`, a new object. Returns no, with the reason, if the kernel has not
/// exactly one attn.attend, returns other values than its results, or has formulas or sizes that the emitters cannot
/// evaluate.
Verdict readAttendProblem(mlir::func::FuncOp kernel, AttendProblem &problem);
/// The same for one attn.attend of any kernel. The caller sets problem.kernel and problem.op before.
Verdict readAttendOp(AttendProblem &problem);

} // namespace attnc
