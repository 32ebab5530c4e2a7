//===- Stage.h - one computation, as Halide is told of it ----------------------------------------------------===//
//
// A stage writes one tensor, by a formula over loops:
//
//   y[b, s, o] = sum over t, c of  x[b, s + 4 t, c] * w[t, c, o]
//
//   loops    b, s, o, t, c          sizes, and which are summed over
//   result   b, s, o                the loop of each of its dimensions, outermost first
//   nodes    Load x (Index b, Add (Index s, Mul (Index t, 4)), Index c), Load w (...), Mul
//   value    the last node;  start  a node, 0;  fold  Add
//
// A stage may add its terms where subscripts say, as the gradient of a gather does. The loops of its result then are
// those of the start, and of each dimension there is a place:
//
//   y[b, i, j, c] = start + sum over r, s of  g[b, r, s, c]  at  [b, at[b, r, s], j0, c]
//   places   Index b, Load at (...), ..., Index c          where a place is the dimension's own loop, points are apart
//
// It is plain data: what reads kernels (ReadKernel.h) knows MLIR, what compiles stages (Bitcode.h) knows Halide, and
// what lies between, the schedule (StageSchedule.h) and the split into stages (Staging.h), knows neither.
//
// Subscripts are 32-bit numbers. Sizes that are dynamic are **arguments** of the stage, numbered. What Halide has no
// code for, or does not keep the meaning of, is a **call** of an operation of the kernel, by number (Operations.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnc::halide {

/// number + factor * argument
struct Size {
  int64_t number = 0;
  int64_t factor = 0;
  unsigned argument = 0;
  bool isConstant() const { return factor == 0; }
  bool operator==(const Size &) const = default;
};

/// BF16 and F16 are of tensors in memory alone: a load of one is a number of f32.
enum class Element { F32, I32, Truth, BF16, F16 };
/// What a load of it is.
inline Element widened(Element element) {
  return element == Element::BF16 || element == Element::F16 ? Element::F32 : element;
}
/// In memory.
inline int64_t bytesOf(Element element) {
  return element == Element::Truth ? 1 : element == Element::BF16 || element == Element::F16 ? 2 : 4;
}

enum class Op {
  // Of no operands.
  Number,  ///< f32
  Integer, ///< i32, or a truth value
  Index,   ///< the number of an iteration of a loop
  Argument,
  // Of f32 or of integers.
  Add,
  Sub,
  Mul,
  Min, ///< of f32: NaN where one is
  Max,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  // Of integers. The quotient is rounded down, and the divisor is a positive number.
  FloorDivide,
  Remainder,
  // Of f32.
  Divide,
  Negate,
  Absolute,
  SquareRoot,
  Floor,
  Ceil,
  // Of truth values.
  And,
  Or,
  ExclusiveOr,
  // Of any.
  Select,
  ToF32,
  Load, ///< operands are subscripts, outermost first
  Call, ///< an operation that Halide does not look into
  /// A subscript that comes from data, and the size of the dimension: the subscript, or 0 where it is out of range,
  /// which the kernel's status says then.
  Checked,
  /// The first operand, of which Halide is told that it is another one for each second operand: Halide sums over no
  /// loop that a term does not depend on.
  Repeated,
  Folded, ///< of no operands: the sum, in `finish`
};

struct Node {
  Op op = Op::Number;
  Element element = Element::F32;
  std::vector<unsigned> operands = {};
  double number = 0;   ///< of Number
  int64_t integer = 0; ///< of Integer; which loop, argument or buffer it is
  /// Of Call, and of arithmetic that can be made one: which operation of the kernel.
  std::optional<unsigned> operation = {};
  bool operator==(const Node &other) const; ///< 0 and -0 are two numbers
};

struct Loop {
  Size size;
  bool reduces = false;
  bool operator==(const Loop &) const = default;
};

/// A dense row-major tensor that a stage reads.
struct Buffer {
  Element element = Element::F32;
  std::vector<Size> shape;
  bool operator==(const Buffer &) const = default;
};

enum class Fold { Add, Mul, Min, Max };

struct Stage {
  std::vector<Loop> loops;
  std::vector<unsigned> result;
  Element element = Element::F32;
  std::vector<Buffer> buffers;
  std::vector<Node> nodes; ///< operands in front of their users
  unsigned value = 0;      ///< what is written or folded
  unsigned start = 0;      ///< what a fold begins with, in which only loops of the result occur
  std::optional<Fold> fold;
  std::optional<unsigned> finish; ///< what is written of a fold, a formula with it; nothing where that is the fold
  std::vector<unsigned> places;   ///< of a sum, where each term goes; empty where that is the element of the loops

  unsigned add(Node node); ///< the number of this node or an equal one
  /// The size of a dimension of the result.
  const Size &extent(unsigned dimension) const { return loops[result[dimension]].size; }
  /// Whether all terms of an element of the result have its index in this dimension as an iteration of its loop.
  bool isApart(unsigned dimension) const;
  bool operator==(const Stage &) const = default;
};

/// A sum of multiples of loops and a constant.
struct Affine {
  std::vector<int64_t> factors; ///< one a loop
  int64_t constant = 0;
  bool isConstant() const;
};
/// The node as such a sum; nothing where it is none.
std::optional<Affine> affineOf(const Stage &stage, unsigned node);

/// A node that computes the sum.
unsigned nodeOf(Stage &stage, const Affine &affine);

/// Whether a node is computed from a subscript that is checked.
bool readsByData(const Stage &stage, unsigned node);

/// Whether the value of a node can change with the loop.
bool dependsOn(const Stage &stage, unsigned node, unsigned loop);

/// The nodes that `root` is computed from, itself with them, in order.
std::vector<unsigned> nodesBelow(const Stage &stage, unsigned root);

/// The same stage with calls in the place of arithmetic of f32 whose result Halide may change. Its simplifier has
/// 0 * x and x - x for 0 and x + 0 for x, whatever NaN, infinities and signs of zeros make of them, also where it finds
/// out by itself which number a condition chooses, which an index is, or that two elements are one. So it sees no
/// difference and no quotient, no arithmetic with a number of the program or of an index, and no condition that is
/// computed with.
Stage keepingNan(Stage stage);

/// The largest size that dynamic sizes may have so that all integers of the formula fit in 32 bits; nothing where there
/// is none worth having.
std::optional<int64_t> largestSize(const Stage &stage);

} // namespace attnc::halide
