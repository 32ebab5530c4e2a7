//===- Typed.h - the typed AST ------------------------------------------------------------------------------------===//
//
// The result of the checker and the input of the importer (frontends/attn/Import), which is a plain walk over it: a
// small core language. Hyperparameters are numbers, modules are instantiated, names are resolved, calls are inlined,
// every variable is bound once, and every expression has an element type and a shape.
//
//   Program      parameters, and entry points
//   Entry        arguments, a block of statements, results
//   Statement    Let: locals = expression          Loop: repeats a block over a homogeneous list of modules
//                Scan: repeats a block over the time steps of a recurrence
//                DecoderCall: calls an entry point with a decoding loop
//   Expr         two sorts with common nodes:
//
//     tensor expressions   in statements; operands are tensors
//     element expressions  inside a Comprehension, IndexReduction or Attend (the *body*); all are scalars, and
//                          Subscript reads elements of tensors
//
// In the source a body may contain rows, parts of tensors with dimensions (`q[b, h, i]`, `dot(...)`, `s[t] @ w`). The
// checker has rewritten them to elements: a dot product is an IndexReduction over a product of two Subscripts. Tensors
// that a body reads are bound before the statement, so the base of a Subscript is a LocalRef or a ParameterRef. Nested
// work has been hoisted out of bodies:
//
//   in a Comprehension   an IndexReduction is the whole body, or nowhere; nested ones are tensors bound before
//   in an Attend         the remaining IndexReductions and costly functions (exp, log, tanh, ...) mix outer and key
//                        indices, depend on the `w` of the weight, or may fail a run-time check under a mask;
//                        others are tensors that are bound before and read
//
// Expressions form a DAG: an expression can be the operand of several others. An importer that memoises by address
// within a region computes each expression once. Nodes live as long as their Program, which owns them.
//
// Only scalars have the element type Index: index arithmetic in bodies, and sizes in statements. Conversions between
// Index, f32 and i32 are explicit Casts. Div on Index and I32 is floor division, and Rem its remainder, with the sign
// of the divisor; a / 0 is 0, and a % 0 is a. Rem on F32 is a - floor(a / b) * b.
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

/// Element types. Index is the type of sizes and indices, an integer of 64 bits.
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

/// Initial values of a parameter. `kind` is one of zeros, ones, constant (a), normal (mean a, standard deviation b),
/// uniform (from a to b).
struct Initialiser {
  std::string kind = "zeros";
  double a = 0, b = 0;
};

/// A parameter of the model; or, in a list of equal modules, one parameter for each index tuple below `counts`.
struct Parameter {
  std::string name;            ///< its path, such as "blocks.norm1.gain"; unique
  std::vector<int64_t> counts; ///< lengths of the lists, outermost first; empty for a single parameter
  Type type;                   ///< type of one element of the list; all sizes are constants
  Initialiser initialiser;
  std::string checkpoint;        ///< its name in a checkpoint; {0}, {1} stand for the indices of counts
  bool frozen = false;           ///< it has no gradient, and no optimizer updates it
  bool isUpdated = false;        ///< a `state` of a module: frozen, and updated by training steps
  bool isState = false;          ///< a state of training: an optimizer's, or the number of training steps; also frozen
  std::vector<std::string> tags; ///< the words of `#tag`
  SourceRange range;
};

/// A variable, bound once: an argument, a Let, a loop's argument or result, or the `w` of `weight: w => ...`.
struct Local {
  std::string name; ///< as in the program, or of the checker, which may be empty; not unique
  Type type;
  SourceRange range;
  size_t number = 0; ///< in the order of creation; unique
};

/// The counter i of a Loop or a Scan, with 0 <= i < count. The count of a Loop is a constant.
struct LoopCounter {
  std::string name;
  Dim count;
  SourceRange range;
};

/// An index i of a Comprehension, IndexReduction or Attend, with 0 <= i < extent.
struct Index {
  std::string name;
  Dim extent;
  SourceRange range;
};

//===- Expressions ------------------------------------------------------------------------------------------------===//

struct Expr;
using ExprRef = const Expr *;

/// A scalar constant of the element type of its expression: `real` for F32, `integer` for the others.
struct Constant {
  double real = 0;     ///< F32
  int64_t integer = 0; ///< I32, Index; 0 or 1 for Bool
};

/// The value of a size, of element Index and rank 0.
struct DimValue {
  Dim dim;
};

/// The time step of an enclosing Scan, of element Index and rank 0. It is not an index that a body binds, so it also
/// occurs in tensor expressions.
struct StepRef {
  const LoopCounter *counter;
};

/// The value of a local. In an element expression the local is a scalar (the `w` of a weight, or a tensor of rank 0);
/// other tensors are read by Subscript.
struct LocalRef {
  const Local *local;
};

/// The value of a parameter. If the parameter is a list (Parameter::counts), `picks` selects one element: it has an
/// index for each of the counts.
struct ParameterRef {
  /// An index into a list: the counter of an enclosing loop, or a constant.
  struct Pick {
    const LoopCounter *counter = nullptr; ///< null: `constant`
    int64_t constant = 0;
  };
  const Parameter *parameter;
  std::vector<Pick> picks;
};

/// Operators of Elementwise, by the number of their operands.
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

/// Returns the name of an operator: "add", "select", ...
const char *textOf(Op op);

/// An elementwise operator. Tensor operands broadcast: shapes align at their trailing dimensions, and a missing
/// dimension or the constant size 1 is repeated to the size of the result. Operands have the same element type, except
/// that the condition of a Select is Bool. Comparisons yield Bool; the result of other operators has the element type
/// of the last operand.
struct Elementwise {
  Op op;
  std::vector<ExprRef> operands;
};

/// The operand converted to the element type of the expression. F32 to I32 or Index rounds towards zero, saturates to
/// the range of I32, and maps NaN to 0. An Index that is converted to F32 or I32 fits into I32. Bool to a number yields
/// 0 or 1. A number to Bool yields whether the number differs from 0.
struct Cast {
  ExprRef operand;
};

/// The operation that combines the terms of a reduction. ArgMax and ArgMin yield the index, I32, of the largest and of
/// the smallest term; the lowest index of equal terms. They ignore terms that are NaN. A mean is a sum and a division.
/// A reduction of no terms yields the identity of the combiner: Add 0, Mul 1, Max -inf, Min +inf (for I32 the least and
/// the largest number), And true, Or false; ArgMax and ArgMin the index 0.
enum class Combiner { Add, Mul, Max, Min, And, Or, ArgMax, ArgMin };

/// Returns the name of a combiner: "add", "argmax", ...
const char *textOf(Combiner combiner);

// Tensor expressions.

/// `source` reduced along `axes` (sorted), which the result lacks. ArgMax and ArgMin have one axis.
struct AxisReduction {
  Combiner combiner;
  ExprRef source;
  std::vector<unsigned> axes;
};

/// The matrix product a[..., m, k] @ b[..., k, n], of shape [..., m, n], a sum over k, of f32. Leading dimensions
/// broadcast as in Elementwise. Either operand may have rank 1: without m, for a vector a[k], or without n, for a
/// vector b[k]; the result then lacks this dimension too.
struct MatMul {
  ExprRef a, b;
};

/// Dimension d of the result is dimension permutation[d] of the source.
struct Permute {
  ExprRef source;
  std::vector<unsigned> permutation;
};

/// The elements of the source, in the same row-major order, in another shape. The groups, in order, cover all
/// dimensions. Each group maps `sources` consecutive dimensions of the source to `results` consecutive dimensions of
/// the result, with equal products; groups are as small as possible. The last group can be (0, n), which adds n
/// dimensions of 1, or (n, 0), which drops n dimensions of 1.
struct Reshape {
  struct Group {
    unsigned sources, results;
  };
  ExprRef source;
  std::vector<Group> groups;
};

/// The part of the source that begins at `offsets`, one for each dimension, and has the shape of the expression's type.
struct Slice {
  ExprRef source;
  std::vector<Dim> offsets;
};

/// The concatenation of the parts along the dimension `axis`; their other dimensions are equal.
struct Concat {
  std::vector<ExprRef> parts;
  unsigned axis;
};

/// A tensor, of the shape of the expression's type, whose elements are all `value`, an expression of rank 0.
struct Fill {
  ExprRef value;
};

/// The source, as a variable of differentiation: the value of a Let, whose local is the variable of a Gradient.
struct Variable {
  ExprRef source;
};

/// The gradient of `value`, an f32 of rank 0, with respect to `variable`, a LocalRef to a Variable of the same block.
/// It has the type of the variable, and is a constant for other gradients.
struct Gradient {
  ExprRef value, variable;
};

/// [i, j] => body: the tensor whose element at (i, j) is `body`, an element expression. It has one dimension for each
/// index, with the extent of the index.
struct Comprehension {
  std::vector<const Index *> indices;
  ExprRef body;
};

/// The function from the scores of a row to its attention weights: the list of dialects/Attn/Normalisers.def.
enum class Normaliser {
#define ATTN_NORMALISER(NAME, WORD, TRAITS) NAME,
#include "dialects/Attn/Normalisers.def"
};

/// Returns the word of a normaliser in dumps: "softmax", ...
const char *textOf(Normaliser normaliser);

using mlir::attn::Statistic;

/// [outer...] => attend keys { ... } yields (...): attention. It occurs only as the value of a Let, which binds one
/// local for each of `yields`, in order, with the shape in dialects/Attn/Statistics.h. `outer` are the indices of the
/// rows of scores, `keys` the indices of the keys, and `values` the indices of the value vector of a key. Score, mask
/// and weight are element expressions over outer and keys, `value` over all three.
struct Attend {
  std::vector<const Index *> outer, keys, values;
  Normaliser normaliser = Normaliser::Softmax;
  double alpha = 2;                ///< of entmax
  ExprRef sink = nullptr;          ///< of softmax, over the outer indices; null: no sink
  ExprRef score = nullptr;         ///< never null in a finished program
  ExprRef mask = nullptr;          ///< null: all keys take part
  const Local *weightIn = nullptr; ///< p, the normalised score: a scalar Local in `weight`
  ExprRef weight = nullptr;        ///< the attention weight as a function of p; null: p itself
  ExprRef value = nullptr;         ///< null: no Value statistic
  std::vector<Statistic> yields;
  int64_t top = 0;                   ///< number of keys of the statistics of `top(n)`; 0 without them
  std::vector<const Index *> summed; ///< indices of `outer` over which KeySums sums
  std::string module;                ///< checkpoint path of its module, "blocks.{0}.mix"; empty in the model itself
};

// Element expressions.

/// The value of an index that an enclosing expression binds, of element Index.
struct IndexRef {
  const Index *index;
};

/// The reason why an access by an index of a Subscript is in range.
enum class InRange {
  Proved,  ///< proved by the checker
  Runtime, ///< from data: emitted code clamps the index, and sets an error status if it is out of range
};

/// An element of a tensor; `indices`, of element Index, has one index for each dimension of the base. If a condition in
/// the source keeps a subscript in range (`if s >= 1 then a[s - 1] else 0`), the index here is clamped, so that it is
/// in range on both branches and may be evaluated anywhere.
struct Subscript {
  ExprRef base; ///< a tensor expression without indices: LocalRef or ParameterRef
  std::vector<ExprRef> indices;
  std::vector<InRange> inRange; ///< for each of `indices`
};

/// A reduction of `body` over all tuples of the indices for which `filter` is true. ArgMax and ArgMin have one index.
struct IndexReduction {
  Combiner combiner;
  std::vector<const Index *> indices;
  ExprRef filter = nullptr; ///< null: all terms
  ExprRef body;
};

/// A random number in [0, 1), F32, a function of its key: the entry point's seed and step, the site, the iterations of
/// the loops around the draw, and the element of the drawn tensor.
struct Draw {
  int64_t site;                           ///< number of the draw in its entry point, from 0, in the order of the check
  ExprRef seed, step;                     ///< I32, LocalRefs
  std::vector<const LoopCounter *> loops; ///< outermost first
  std::vector<const Index *> dimensions;  ///< indices whose extents are the sizes of the drawn tensor
  std::vector<ExprRef> element;           ///< the drawn element: an index of element Index for each of `dimensions`
};

/// An expression: a node, with the type and the source range of its value.
struct Expr {
  using Node = std::variant<Constant, DimValue, StepRef, LocalRef, ParameterRef, Elementwise, Cast, AxisReduction,
                            MatMul, Permute, Reshape, Slice, Concat, Fill, Variable, Gradient, Comprehension, Attend,
                            IndexRef, Subscript, IndexReduction, Draw>;
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

/// Binds `locals` to `value`; several locals only for the yields of an Attend.
struct Let {
  std::vector<const Local *> locals;
  ExprRef value;
};

/// A loop over a list of equal modules: runs `body` counter->count times. Each of `carried` is a loop-carried value.
/// Its `argument` has the value `initial` in the first iteration, and then the value of `next` of the previous
/// iteration. Its `result` has the last value of `next`, or `initial` if the count is 0. Each of `stacked` collects the
/// values of all iterations in a tensor, at the index of the iteration.
struct Loop {
  struct Carried {
    ExprRef initial;
    const Local *argument;
    ExprRef next; ///< in the scope of `body`
    const Local *result;
  };
  struct Stacked {
    ExprRef value; ///< value of an iteration, in the scope of `body`
    unsigned axis; ///< dimension of the result that the iterations index
    const Local *result;
  };
  const LoopCounter *counter;
  std::vector<Carried> carried;
  std::vector<Stacked> stacked;
  std::unique_ptr<Block> body;
  SourceRange range;
};

/// A recurrence: a loop over the time steps 0 .. counter->count - 1, in reverse order if `backward`. Carried values
/// pass from a time step to the next one in the order of execution.
struct Scan : Loop {
  bool backward = false;
};

/// Calls the decoding loop of another entry point, which has a `decoding`. The arguments are those of the derived entry
/// point, by name.
struct DecoderCall {
  struct Argument {
    std::string name;
    ExprRef value;
  };
  std::string entry; ///< name of the called entry point
  std::vector<Argument> arguments;
  const Local *tokens, *length; ///< the results: i32[rows, at_most] and i32[rows]
  SourceRange range;
};

struct Block {
  std::vector<Statement> statements;
};

//===- Programs ---------------------------------------------------------------------------------------------------===//

/// A named dynamic dimension of an entry point, with inclusive bounds. `max` is -1 if the dimension is unbounded. From
/// `min` on, every slice and every unconditional subscript (InRange::Proved) is in range, no extent a*n - b is
/// negative, and no mean of a training step is empty: 1 for `n` if there is an x[n - 1], 5 for an index below n - 5.
struct Dimension {
  std::string name;
  int64_t max = -1;
  SourceRange range;
  int64_t min = 0;
};

/// A result of an entry point.
struct Result {
  std::string name; ///< as declared; if unnamed, the entry's name, followed by its number, from 0, if there are several
  ExprRef value;    ///< a tensor expression
  Shape shape;      ///< the shape of the value, with the labels of the declaration
};

/// The update of one parameter, or of each element of a list of parameters, by an optimizer: a function from the value,
/// the gradient and the states to the next value and states.
struct OptimizerStep {
  const Parameter *parameter;
  std::vector<const Parameter *> states;  ///< in the order of their declaration, like stateValues and nextStates
  const Local *value, *gradient;          ///< arguments: of the parameter, or of one element of its list
  const Local *count;                     ///< argument, f32: the number of the training step, 1 in the first one
  std::vector<const Local *> stateValues; ///< arguments: the values of the states
  Block block;                            ///< the statements of the step
  ExprRef nextValue = nullptr;            ///< in the scope of `block`, as are nextStates
  std::vector<ExprRef> nextStates;
};

/// The training step that `minimize(f, with: optimizer)` requests for the entry point f, a loss; the derive phase
/// creates the code.
struct Training {
  const Parameter *count = nullptr; ///< i32: the number of training steps so far
  double clipNorm = 0;              ///< `clip_norm`: largest norm of all gradients together; 0: unlimited
  /// `accumulate`: batches of a training step; above 1, the derive phase adds a leading dimension of this size to each
  /// argument except `seed`.
  int64_t batches = 1;
  std::vector<OptimizerStep> steps; ///< one for each trained parameter
};

/// The new value of a `state` of a module, which the state has after a training step returns. For a list of modules,
/// the first dimensions of the value are Parameter::counts.
struct StateUpdate {
  const Parameter *parameter;
  ExprRef value;
  SourceRange range;
};

/// The decoding loop that `decode(next, with: f, ...)` requests for the sampler f; the derive phase creates the code.
struct Decoding {
  std::string of;               ///< name of the entry point `next`, which `incremental` derives
  int64_t atMost = 0;           ///< tokens that a call writes at most
  std::optional<int64_t> stop;  ///< token that ends a row; null: none does
  std::optional<int64_t> beams; ///< beams of each row, if f chooses beams of a search
};

/// An entry point: a function with symbolic dimensions, and the derivation that the derive phase applies to it.
struct Entry {
  std::string name;
  bool isGradient = false;           ///< derive: also gradients of its only result, an f32 of rank 0
  bool isAttention = false;          ///< derive: attention weights instead of its results
  std::optional<Training> training;  ///< derive: minimises its first result; all results are f32 of rank 0
  std::string along;                 ///< derive: incremental along this dimension; empty: not incremental
  std::optional<int64_t> takeBack;   ///< with `along`: `take_back`, positions that can be truncated; null if omitted
  std::optional<int64_t> paged;      ///< with `along`: positions of a block of a paged cache; null: not paged
  std::optional<Decoding> decoding;  ///< derive: a decoding loop around this entry, a sampler
  std::string doc;                   ///< the comment above its function
  std::vector<Dimension> dimensions; ///< in the order of their first use in arguments
  std::vector<const Local *> arguments;
  /// Parts of the key of random draws, I32; null without draws. They are the last arguments, except that in a training
  /// step `step` is not an argument but the number of earlier training steps.
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
