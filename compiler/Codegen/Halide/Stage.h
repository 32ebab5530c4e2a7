//===- Stage.h - Halide stage: one computation of a pipeline as plain data ----------------------------------------===//
//
// A stage computes one tensor by a formula over loops:
//
//   y[b, s, o] = sum over t, c of  x[b, s + 4 t, c] * w[t, c, o]
//
//   loops    b, s, o, t, c          with their sizes, and whether they are summed
//   result   b, s, o                the loop of each dimension of the result, outermost first
//   nodes    Load x (Index b, Add (Index s, Mul (Index t, 4)), Index c), Load w (...), Mul
//   value    the last node          the term of the sum
//   start    a node, 0              the initial value of the sum
//   fold     Add
//
// Loops, nodes and buffers are identified by their position in the lists of the stage, arguments by their position
// among the sizes that all stages of a kernel receive.
//
// A scatter, as in the gradient of a gather, adds its terms at computed subscripts: node places[d] is the subscript of
// dimension d. The loops of its result then run over the initial values:
//
//   y[b, i, j, c] = start + sum over r, s of  g[b, r, s, c]  at  [b, at[b, r, s], j0, c]
//   places   Index b, Load at (...), ..., Index c          isApart: the subscript is the dimension's loop
//
// A stage is plain data: the reader of kernels (ReadKernel.h) uses MLIR and makes stages, the compiler of stages
// (Bitcode.h) uses Halide; schedules (StageSchedule.h) and staging (Staging.h), between the two, use neither.
//
// Subscripts are 32-bit numbers. Dynamic sizes are numbered **arguments** of the stage. An operation that Halide has no
// code for, or would change, is an opaque **call** of an operation of the kernel, by number (Operations.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnc::halide {

/// The size number + factor * A, where A is the value of argument number `argument` of the stage.
struct Size {
  int64_t number = 0;
  int64_t factor = 0;
  unsigned argument = 0;
  bool isConstant() const { return factor == 0; }
  bool operator==(const Size &) const = default;
};

enum class Op {
  // Without operands.
  Number,   ///< f32
  Integer,  ///< i32, or a truth value
  Index,    ///< index of a loop
  Argument, ///< an argument of the stage, i32
  // On f32 or integers.
  Add,
  Sub,
  Mul,
  Min, ///< NaN if an f32 operand is NaN
  Max, ///< likewise
  Equal,
  NotEqual,
  Less,
  LessEqual,
  // On integers. The quotient is rounded down; the divisor is positive.
  FloorDivide,
  Remainder,
  // On f32.
  Divide,
  Negate,
  Absolute,
  SquareRoot,
  Floor,
  Ceil,
  // On truth values.
  And,
  Or,
  ExclusiveOr,
  // On any type.
  Select, ///< operands are the condition, the value if it is true, and the other value
  ToF32,
  Load, ///< operands are subscripts, outermost first
  Call, ///< an opaque call
  /// Check of a data-dependent subscript, the first operand, against the size of the dimension, the second one: yields
  /// the subscript, or 0 if it is out of range, and then sets the kernel's status.
  Checked,
  /// Yields the first operand as an opaque call that also depends on the second, because Halide does not sum over a
  /// loop that a term does not depend on.
  Repeated,
  Folded, ///< without operands: the sum, in `finish`
};

/// One value of a formula.
struct Node {
  Op op = Op::Number;
  attn_dtype element = ATTN_F32;       ///< type of the value
  std::vector<unsigned> operands = {}; ///< numbers of nodes
  double number = 0;                   ///< of a Number: its value
  /// The value of an Integer; the number of the loop, argument or buffer of an Index, Argument or Load.
  int64_t integer = 0;
  /// Number of the kernel's operation, of a Call or of arithmetic that can become a Call.
  std::optional<unsigned> operation = {};
  bool operator==(const Node &other) const; ///< distinguishes 0 from -0
};

/// A loop over the indices from 0 to `size` - 1.
struct Loop {
  Size size;
  bool reduces = false; ///< its terms are folded, or added by a scatter
  bool operator==(const Loop &) const = default;
};

/// A dense row-major tensor that a stage reads. A load from a narrow format (bf16, f16) yields an f32.
struct Buffer {
  attn_dtype element = ATTN_F32;
  std::vector<Size> shape;
  bool operator==(const Buffer &) const = default;
};

/// The operation that combines the terms of reduction loops.
enum class Fold { Add, Mul, Min, Max };

/// One computation; the file comment describes it.
struct Stage {
  std::vector<Loop> loops;
  std::vector<unsigned> result;  ///< the loop of each dimension of the result, outermost first
  attn_dtype element = ATTN_F32; ///< type of the result in memory
  std::vector<Buffer> buffers;
  std::vector<Node> nodes;        ///< operands before their users
  unsigned value = 0;             ///< the node that is stored, or the term that is folded
  /// The node of a fold's initial value, which depends only on loops of the result. Without a fold, it has no meaning.
  unsigned start = 0;
  std::optional<Fold> fold;       ///< null if no terms are combined; Add for every scatter
  std::optional<unsigned> finish; ///< the node to store after the fold, a formula on Folded; null: the fold itself
  std::vector<unsigned> places;   ///< nodes of the subscripts of a scatter's terms; empty for other stages

  unsigned add(Node node); ///< adds the node, unless an equal one exists; returns its number
  /// The size of a dimension of the result.
  const Size &extent(unsigned dimension) const { return loops[result[dimension]].size; }
  /// True if a term with index i of the dimension's loop is added only to elements with index i in this dimension. True
  /// for all dimensions of a stage that is no scatter.
  bool isApart(unsigned dimension) const;
  bool operator==(const Stage &) const = default;
};

/// An affine combination of loop indices, without arguments of the stage.
struct Affine {
  std::vector<int64_t> factors; ///< one for each loop
  int64_t constant = 0;
  bool isConstant() const;
};
/// The node as an affine combination; null if it is not one.
std::optional<Affine> affineOf(const Stage &stage, unsigned node);

/// The number of a node that computes the combination. Adds nodes to the stage as needed.
unsigned nodeOf(Stage &stage, const Affine &affine);

/// Whether `node`, or a node that it is computed from, is Checked: a subscript comes from data.
bool readsByData(const Stage &stage, unsigned node);

/// Whether `node` is computed from the index of the loop.
bool dependsOn(const Stage &stage, unsigned node, unsigned loop);

/// The numbers of the nodes that `root` is computed from, including itself, ascending.
std::vector<unsigned> nodesBelow(const Stage &stage, unsigned root);

/// The stage with opaque calls in place of f32 arithmetic that Halide's simplifier may change. The simplifier turns 0 *
/// x and x - x into 0, and x + 0 into x, which is wrong for NaN, infinities and signed zeros. It does this also after
/// it has determined the outcome of a condition, the value of an index, or that two elements are equal. Opaque calls
/// therefore replace all differences, quotients, conversions of integers to f32, operations with a constant f32
/// operand, and selections that are folded or that another operation than a selection uses. In a stage with a fold, all
/// selections are replaced. Only nodes with Node::operation are replaced.
Stage keepingNan(Stage stage);

/// A limit of the arguments: if no argument exceeds it, all integers that the formula computes and all sizes of loops
/// fit in 32 bits. A loaded, called or Checked integer may have any value of 32 bits, so a sum with one is not proved.
/// The result is the largest of 2^31 - 1, 2^28, 2^24 and 2^20 for which this is proved; null if it is for none.
std::optional<int64_t> largestSize(const Stage &stage);

} // namespace attnc::halide
