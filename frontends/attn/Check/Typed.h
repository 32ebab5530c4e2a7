//===- Typed.h - the typed AST ------------------------------------------------------------------------------------===//
//
// The result of the checker: a small core language without unresolved names or types. Hyperparameters are numbers,
// modules are instantiated, names are resolved, calls are inlined, every variable is bound once, and every expression
// has an element type and a shape. The importer is a plain walk over it.
//
//   Program      parameters, and entry points
//   Entry        arguments, a block of statements, results
//   Statement    Let: locals = expression          Loop: repeats a block over a homogeneous list of modules
//                Scan: repeats a block over the time steps of a recurrence
//                DecoderCall: calls an entry point with a decoding loop
//   Expr         two sorts with common nodes:
//
//     tensor expressions   in statements; operands are tensors
//     element expressions  inside a Comprehension, IndexReduction or Attend; all are scalars, and Subscript reads
//                          tensors
//
// Rows in a body (`q[b, h, i]`, `dot(...)`, `s[t] @ w`) have been rewritten to elements: a dot product is an
// IndexReduction over a product of two Subscripts. Tensors that a body reads are bound before the statement, so the
// base of a Subscript is a LocalRef or a ParameterRef. Nested work has been hoisted out of bodies:
//
//   in a Comprehension   an IndexReduction is the whole body, or nowhere; nested ones are tensors bound before
//   in an Attend         the remaining IndexReductions and costly functions (exp, log, tanh, ...) mix outer and key
//                        indices, depend on the `w` of the weight, or may fail a run-time check under a mask;
//                        others are tensors that are bound before and read
//
// Expressions form a DAG. A node with several paths to it is computed once if the importer memoises by address within a
// region. Nodes live as long as their Program.
//
// Only scalars have the element type Index: index arithmetic in bodies, and sizes in statements. Conversions to and
// from f32 and i32 are explicit Casts. Div on Index and I32 is floor division, and Rem its remainder.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Source.h"
#include "dialects/Attn/Statistics.h"
#include "frontends/attn/Check/Dim.h"
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace attnc::typed {

enum class Element { F32, I32, Bool, Index };

/// Returns "f32", "i32", "bool" or "index".
const char *textOf(Element element);

/// Element type and shape of an expression.
struct Type {
  Element element = Element::F32;
  Shape shape;
  size_t rank() const { return shape.size(); }
  bool operator==(const Type &other) const { return element == other.element && shape == other.shape; }
};

/// Returns text such as "f32[batch, seq, 64]"; a scalar is "f32".
std::string textOf(const Type &type);

//===- Names ------------------------------------------------------------------------------------------------------===//

/// Initial values of a parameter. kind is one of zeros, ones, constant(a), normal(mean a, deviation b), uniform(from a,
/// to b).
struct Initialiser {
  std::string kind = "zeros";
  double a = 0, b = 0;
};

/// A parameter of the model, or one for each index tuple of `counts` (a homogeneous list of modules).
struct Parameter {
  std::string name;            ///< its path, such as "blocks.norm1.gain"; unique
  std::vector<int64_t> counts; ///< lengths of the lists, outermost first; empty for a single parameter
  Type type;                   ///< of one element; all Dims are constants
  Initialiser initialiser;
  std::string checkpoint; ///< its name in a checkpoint; {0}, {1} stand for the indices of counts
  bool frozen = false;
  bool isUpdated = false; ///< a `state` of a module: frozen, and updated by training steps
  bool isState = false;   ///< a state of training: an optimizer's, or the number of training steps
  std::vector<std::string> tags;
  SourceRange range;
};

/// A variable, bound once: an argument, a Let, a loop's argument or result, or the `w` of `weight: w => ...`.
struct Local {
  std::string name; ///< as in the program; not unique
  Type type;
  SourceRange range;
};

/// The counter of a Loop or a Scan, with 0 <= i < count. The count of a Loop is a number.
struct LoopCounter {
  std::string name;
  Dim count;
  SourceRange range;
};

/// An index of a Comprehension, IndexReduction or Attend, with 0 <= i < extent.
struct Index {
  std::string name;
  Dim extent;
  SourceRange range;
};

//===- Expressions ------------------------------------------------------------------------------------------------===//

struct Expr;
using ExprRef = const Expr *;

/// A number of the element type of the expression's type. As a tensor expression it has rank 0.
struct Constant {
  double real = 0;     ///< F32
  int64_t integer = 0; ///< I32, Index; 0 or 1 for Bool
};

/// The value of a size, of element Index and rank 0.
struct DimValue {
  Dim dim;
};

/// The time step of an enclosing Scan, of element Index and rank 0. It is not an index of a body: a tensor subscripted
/// by it alone is a tensor of the time step.
struct StepRef {
  const LoopCounter *counter;
};

/// A local. In an element expression it is a scalar Local (the `w` of a weight); tensors are read by Subscript.
struct LocalRef {
  const Local *local;
};

/// A parameter; an element of a list of parameters is selected by one index, a Pick, for each of its counts.
struct ParameterRef {
  /// The iteration of a loop, or a constant.
  struct Pick {
    const LoopCounter *counter = nullptr; ///< null: `constant`
    int64_t constant = 0;
  };
  const Parameter *parameter;
  std::vector<Pick> picks;
};

enum class Op {
  // binary
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  Pow,
  Min,
  Max,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  And,
  Or,
  // unary
  Neg,
  Not,
  Abs,
  Stop, ///< f32: the identity, with a derivative of zero
#define ATTN_MATH_FUNCTION(NAME, OP, DOC, VALUE, COSTLY, MLIR) OP,
#include "frontends/attn/Check/MathFunctions.def"
  // condition, if true, if false
  Select,
};

/// "add", "select", ...
const char *textOf(Op op);

/// An elementwise operator. Tensor operands broadcast: shapes align at their trailing dimensions, and a missing
/// dimension or the literal 1 is repeated to the size of the result. Operands have the same element type (the condition
/// of a Select is Bool); comparisons yield Bool.
struct Elementwise {
  Op op;
  std::vector<ExprRef> operands;
};

/// The operand converted to the element type of this expression. F32 to I32 rounds towards zero, saturates, and maps
/// NaN to 0; Bool yields 0 or 1; a number yields whether it differs from 0.
struct Cast {
  ExprRef operand;
};

/// The operation that combines the terms of a reduction. ArgMax and ArgMin yield the lowest index (I32 element) of the
/// largest and smallest term. A mean is a sum and a division. A reduction of no terms is the combiner's identity: 0, 1,
/// -inf and +inf (the least and the largest I32), true, false; the index 0.
enum class Combiner { Add, Mul, Max, Min, And, Or, ArgMax, ArgMin };

const char *textOf(Combiner combiner);

// Tensor expressions.

/// `source` reduced along `axes` (sorted), which the result lacks. ArgMax and ArgMin have one axis.
struct AxisReduction {
  Combiner combiner;
  ExprRef source;
  std::vector<unsigned> axes;
};

/// a[..., m, k] @ b[..., k, n]. Leading dimensions broadcast as in Elementwise. Either operand may have rank 1: a[k]
/// and the result then lack m, b[k] and the result lack n.
struct MatMul {
  ExprRef a, b;
};

/// Dimension d of the result is dimension permutation[d] of the source.
struct Permute {
  ExprRef source;
  std::vector<unsigned> permutation;
};

/// The same elements in row-major order. Each group maps `sources` consecutive dimensions of the source to `results`
/// dimensions of the result, with equal products; at least one of the two is 1 where that is possible. A group of (0,
/// n) adds n dimensions of 1, (n, 0) drops them.
struct Reshape {
  struct Group {
    unsigned sources, results;
  };
  ExprRef source;
  std::vector<Group> groups;
};

/// The range of the source that begins at `offsets`, with the size of the type.
struct Slice {
  ExprRef source;
  std::vector<Dim> offsets;
};

/// The parts, one behind the other, along the dimension `axis`; their other dimensions are equal.
struct Concat {
  std::vector<ExprRef> parts;
  unsigned axis;
};

/// A tensor whose elements are all the scalar `value` (rank 0).
struct Fill {
  ExprRef value;
};

/// [i, j] => body. The result has one dimension for each index; the body is an element expression.
struct Comprehension {
  std::vector<const Index *> indices;
  ExprRef body;
};

/// The function from the scores of a row to its attention weights: the list of Normalisers.def.
enum class Normaliser {
#define ATTN_NORMALISER(NAME, WORD, TRAITS) NAME,
#include "dialects/Attn/Normalisers.def"
};

const char *textOf(Normaliser normaliser);

using mlir::attn::Statistic;

/// [outer...] => attend keys { ... } yields (...). Its statement binds one local for each of `yields`, in order, with
/// the shape in dialects/Attn/Statistics.h. `outer` are the indices of the rows, `keys` those of the keys, `values` the
/// dimensions of the value of a key. Score, mask and weight are element expressions over outer and keys, `value` over
/// all three.
struct Attend {
  std::vector<const Index *> outer, keys, values;
  Normaliser normaliser = Normaliser::Softmax;
  double alpha = 2;       ///< of entmax
  ExprRef sink = nullptr; ///< of softmax, over the outer indices; null: no sink
  ExprRef score = nullptr;
  ExprRef mask = nullptr;          ///< null: all keys
  const Local *weightIn = nullptr; ///< p, the normalised score: a scalar Local in `weight`
  ExprRef weight = nullptr;        ///< the attention weight as a function of p; null: p itself
  ExprRef value = nullptr;         ///< null: no Value statistic
  std::vector<Statistic> yields;
  int64_t top = 0;                   ///< number of keys of the statistics of `top(n)`; 0 without them
  std::vector<const Index *> summed; ///< indices of `outer` over which KeySums sums
  std::string module;                ///< path of its module, "blocks.{0}.mix"; empty in the model itself
};

// Element expressions.

struct IndexRef {
  const Index *index;
};

/// The reason why an access by an index of a Subscript is in range.
enum class InRange {
  Proved,  ///< proved by the checker
  Runtime, ///< from data: emitted code clamps the index, and sets an error status if it is out of range
};

/// An element of a tensor; `indices` (element Index) has one for each dimension of the base. If a guard in the program
/// makes a subscript valid (`if s >= 1 then a[s - 1] else 0`), the index here is clamped, so that it is in range on
/// both branches and may be evaluated anywhere.
struct Subscript {
  ExprRef base; ///< a tensor expression without indices: LocalRef or ParameterRef
  std::vector<ExprRef> indices;
  std::vector<InRange> inRange; ///< for each of `indices`
};

/// A reduction: combiner over indices where filter => body.
struct IndexReduction {
  Combiner combiner;
  std::vector<const Index *> indices;
  ExprRef filter = nullptr; ///< null: all terms
  ExprRef body;
};

/// A random number in [0, 1), a function of its key: the entry's seed and step, the call of `random`, the iterations of
/// the loops around, and the element of the drawn tensor.
struct Draw {
  int64_t site;       ///< the number of the call in its entry, in the order in which calls are inlined
  ExprRef seed, step; ///< I32, LocalRefs
  std::vector<const LoopCounter *> loops; ///< outermost first
  std::vector<const Index *> dimensions;  ///< indices whose extents are the sizes of the drawn tensor
  std::vector<ExprRef> element;           ///< the drawn element: one Index number for each of `dimensions`
};

/// An expression: a node, with the type and the source range of its value.
struct Expr {
  using Node = std::variant<Constant, DimValue, StepRef, LocalRef, ParameterRef, Elementwise, Cast, AxisReduction,
                            MatMul, Permute, Reshape, Slice, Concat, Fill, Comprehension, Attend, IndexRef, Subscript,
                            IndexReduction, Draw>;
  Node node;
  Type type; ///< of an Attend: the type of its first yield
  SourceRange range;

  /// Returns the node as a `T`, or null if it is of another kind.
  template <class T> const T *as() const { return std::get_if<T>(&node); }
};

//===- Statements -------------------------------------------------------------------------------------------------===//

struct Let;
struct Loop;
struct Scan;
struct DecoderCall;
using Statement = std::variant<Let, Loop, Scan, DecoderCall>;
struct Block;

/// locals = value; more than one local only for an Attend.
struct Let {
  std::vector<const Local *> locals;
  ExprRef value;
};

/// Runs `body` counter->count times. Each of `carried` is a loop-carried value: argument is `initial` in the first
/// iteration, then the previous iteration's `next`; result is the last `next` (or `initial` if count is 0).
struct Loop {
  struct Carried {
    ExprRef initial;
    const Local *argument;
    ExprRef next; ///< in the scope of `body`
    const Local *result;
  };
  const LoopCounter *counter;
  std::vector<Carried> carried;
  std::unique_ptr<Block> body;
  SourceRange range;
};

/// Runs `body` for the time steps 0 .. counter->count - 1, in reverse order if `backward`. `carried` pass from one time
/// step to the next one executed; `stacked` are values of all time steps, each at the index of its time step.
struct Scan {
  struct Stacked {
    ExprRef value; ///< value of a time step, in the scope of `body`
    unsigned axis; ///< dimension of the result that the time steps index
    const Local *result;
  };
  const LoopCounter *counter;
  bool backward = false;
  std::vector<Loop::Carried> carried;
  std::vector<Stacked> stacked;
  std::unique_ptr<Block> body;
  SourceRange range;
};

/// Calls an entry point with a `decoding`. Its arguments are those of the derived entry point, by name.
struct DecoderCall {
  struct Argument {
    std::string name;
    ExprRef value;
  };
  std::string entry;
  std::vector<Argument> arguments;
  const Local *tokens, *length; ///< the results
  SourceRange range;
};

struct Block {
  std::vector<Statement> statements;
};

//===- Programs ---------------------------------------------------------------------------------------------------===//

/// A named dynamic dimension of an entry point; max is -1 if it is unbounded. min is the least size for which every
/// unconditional subscript is in range: 1 for `n` if there is an x[n - 1].
struct Dimension {
  std::string name;
  int64_t max = -1;
  SourceRange range;
  int64_t min = 0;
};

/// A result of an entry point.
struct Result {
  std::string name; ///< as declared; if unnamed, the entry's name, followed by its number if there are several results
  ExprRef value;
  Shape shape; ///< with the labels of the declaration
};

/// The update of one parameter, or of each of a list, by an optimizer: from its value, its gradient and its states to
/// the next ones.
struct OptimizerStep {
  const Parameter *parameter;
  std::vector<const Parameter *> states; ///< in the order of their declaration, like stateValues and nextStates
  const Local *value, *gradient;         ///< of the parameter, or of one element of its list
  const Local *count;                    ///< f32: 1 in the first training step
  std::vector<const Local *> stateValues;
  Block block;
  ExprRef nextValue = nullptr; ///< in the scope of `block`, as are nextStates
  std::vector<ExprRef> nextStates;
};

/// The training step of `minimize(f, with: optimizer)` around f; the derive phase creates it.
struct Training {
  const Parameter *count = nullptr; ///< i32: the number of training steps so far
  double clipNorm = 0;              ///< largest norm of all gradients together; 0: unlimited
  int64_t batches = 1;              ///< `accumulate`: slices of a training step, along a leading dimension of arguments
  std::vector<OptimizerStep> steps;
};

/// The new value of a `state` of a module when a training step returns; in a list of modules, one for each iteration of
/// the loops around, outermost first.
struct StateUpdate {
  const Parameter *parameter;
  std::vector<const LoopCounter *> loops;
  ExprRef value; ///< in the scope of the innermost loop's body
  SourceRange range;
};

/// The decoding loop of `decode(next, with: f, ...)` around the sampler f; the derive phase creates it.
struct Decoding {
  std::string of;               ///< name of an entry point that `incremental` derives
  int64_t atMost = 0;           ///< tokens that a call writes at most
  std::optional<int64_t> stop;  ///< token that ends a row; null: none does
  std::optional<int64_t> beams; ///< beams of each row, if f chooses beams of a search
};

/// An entry point: a function with symbolic dimensions, and its derivation.
struct Entry {
  std::string name;
  bool isGradient = false;           ///< derive: gradients of its only result, an f32 of rank 0
  bool isAttention = false;          ///< derive: attention weights instead of its results
  std::optional<Training> training;  ///< derive: minimises its only result, an f32 of rank 0
  std::string along;                 ///< if not empty: computed incrementally along this dimension
  std::optional<int64_t> takeBack;   ///< with `along`: `take_back`, positions that can be truncated; null if omitted
  std::optional<Decoding> decoding;  ///< derive: a decoding loop around this entry, a sampler
  std::string doc;                   ///< the comment above its function
  std::vector<Dimension> dimensions; ///< in the order of their first use in arguments
  std::vector<const Local *> arguments;
  /// The key of random draws, I32, if there are draws: the last arguments. In a training step `step` is not an argument
  /// but the number of earlier training steps.
  const Local *seed = nullptr, *step = nullptr;
  std::vector<StateUpdate> updates; ///< at most one for each parameter
  Block block;
  std::vector<Result> results;
  SourceRange range;
};

/// A hyperparameter of the model with its value.
struct Hyperparameter {
  std::string name;
  std::string value; ///< as text
};

/// The result of the checker, and the owner of all nodes.
struct Program {
  std::string name; ///< of the model; empty if the file has only functions
  std::vector<Hyperparameter> hyperparameters;
  std::vector<const Parameter *> parameters;
  std::vector<Entry> entries;

  // Owners of the nodes.
  std::deque<Expr> exprs;
  std::deque<Local> locals;
  std::deque<LoopCounter> counters;
  std::deque<Index> indices;
  std::deque<Parameter> parameterStore;
};

} // namespace attnc::typed
