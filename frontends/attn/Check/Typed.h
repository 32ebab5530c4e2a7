//===- Typed.h - the typed AST ------------------------------------------------------------------------------------===//
//
// What the checker makes of a program: a small core language in which nothing is left to decide. Hyperparameters are
// numbers, modules are instantiated, names are resolved, calls are inlined, every variable is bound once, and every
// expression has an element type and a shape. The importer is a plain walk over it.
//
//   Program      parameters, and entry points
//   Entry        arguments, a block of statements, results
//   Statement    Let: locals = expression          Loop: repeats a block over a homogeneous list of modules
//                Scan: repeats a block over the steps of a recurrence
//   Expr         of two sorts that share their nodes:
//
//     tensor expressions   at the level of statements; operands are tensors
//     element expressions  inside a Comprehension, IndexReduction or Attend; everything is a scalar, and tensors
//                          are only read, by Subscript
//
// Rows in a body (`q[b, h, i]`, `dot(...)`, `s[t] @ w`) have been rewritten to elements: a dot product is an
// IndexReduction over a product of two Subscripts. Tensors that a body reads are bound before the statement: a
// Subscript's base is a LocalRef or a ParameterRef. Nested work has been lifted out of bodies:
//
//   in a Comprehension   an IndexReduction is the whole body, or nowhere; nested ones are tensors bound before
//   in an Attend         the IndexReductions and costly functions (exp, log, tanh, ...) that remain mix outer and key
//                        indices, or speak of the `w` of the weight; what speaks of one side alone is a tensor bound
//                        before, and is read
//
// Expressions form a DAG: a node may be reached by several paths, and is then computed once if the importer memoises
// by address within a region. Nodes live as long as their Program.
//
// Only scalars have the element type Index: index arithmetic in bodies, and sizes at the level of statements.
// Conversions to and from f32 and i32 are Casts; none is implicit. Div on Index and I32 is floor division, and Rem its
// remainder.
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

/// "f32", "i32", "bool", "index".
const char *textOf(Element element);

struct Type {
  Element element = Element::F32;
  Shape shape;
  size_t rank() const { return shape.size(); }
  bool operator==(const Type &other) const { return element == other.element && shape == other.shape; }
};

/// "f32[batch, seq, 64]"; a scalar is "f32".
std::string textOf(const Type &type);

//===- Names ------------------------------------------------------------------------------------------------------===//

/// How a parameter starts. kind is one of zeros, ones, constant(a), normal(mean a, deviation b), uniform(from a, to b).
struct Initialiser {
  std::string kind = "zeros";
  double a = 0, b = 0;
};

/// A parameter of the model, or one for each index tuple of `counts` (a homogeneous list of modules).
struct Parameter {
  std::string name; ///< its path, such as "blocks.norm1.gain"; unique
  std::vector<int64_t> counts;
  Type type; ///< of one; all Dims are constants
  Initialiser initialiser;
  std::string checkpoint; ///< its name in a checkpoint; {0}, {1} stand for the indices of counts
  bool frozen = false;
  bool isUpdated = false; ///< a `state` of a module: frozen, and updated by steps of training
  bool isState = false;   ///< of training: an optimizer's, or the number of steps done
  std::vector<std::string> tags;
  SourceRange range;
};

/// A variable, bound once: an argument, a Let, a loop's argument or result, or the `w` of `weight: w => ...`.
struct Local {
  std::string name; ///< as in the program; not unique
  Type type;
  SourceRange range;
};

/// The counter of a Loop or a Scan; runs over 0 <= i < count. Of a Loop the count is a number.
struct LoopCounter {
  std::string name;
  Dim count;
  SourceRange range;
};

/// An index of a Comprehension, IndexReduction or Attend; runs over 0 <= i < extent.
struct Index {
  std::string name;
  Dim extent;
  SourceRange range;
};

//===- Expressions ------------------------------------------------------------------------------------------------===//

struct Expr;
using ExprRef = const Expr *;

/// A number; the type says of which element. As a tensor expression its rank is 0.
struct Constant {
  double real = 0;     ///< F32
  int64_t integer = 0; ///< I32, Index; 0 or 1 for Bool
};

/// The value of a size, of element Index and rank 0.
struct DimValue {
  Dim dim;
};

/// The step that a Scan around is at, of element Index and rank 0. It is no index of a body: a tensor subscripted by it
/// alone is a tensor of the step.
struct StepRef {
  const LoopCounter *counter;
};

/// A local. In an element expression it is a scalar Local (the `w` of a weight); tensors are read by Subscript.
struct LocalRef {
  const Local *local;
};

/// A parameter of a homogeneous list is picked by one index for each of its counts.
struct ParameterRef {
  struct Pick {
    const LoopCounter *counter = nullptr; ///< null: `constant`
    int64_t constant = 0;
  };
  const Parameter *parameter;
  std::vector<Pick> picks;
};

enum class Op {
  // two operands
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
  // one operand
  Neg,
  Not,
  Abs,
  Stop, ///< of f32: the operand, as a constant to gradients
#define ATTN_MATH_FUNCTION(NAME, OP, DOC, VALUE, COSTLY, MLIR) OP,
#include "frontends/attn/Check/MathFunctions.def"
  // condition, if true, if false
  Select,
};

/// "add", "select", ...
const char *textOf(Op op);

/// An operator on every element. Tensor operands broadcast: shapes align at their trailing dimensions, and an operand's
/// dimension that is missing or the literal 1 is repeated to that of the result type. Operands have the same element
/// type (a Select's condition is Bool); comparisons give Bool.
struct Elementwise {
  Op op;
  std::vector<ExprRef> operands;
};

/// The operand converted to the element type of this expression; F32 to I32 rounds towards zero, Bool gives 0 or 1.
struct Cast {
  ExprRef operand;
};

/// ArgMax and ArgMin give the lowest index (I32 element) of the largest and smallest term; a mean is a sum that is
/// divided. A reduction of nothing is the combiner's identity (0, 1, -inf, +inf, false, true; index 0).
enum class Combiner { Add, Mul, Max, Min, And, Or, ArgMax, ArgMin };

const char *textOf(Combiner combiner);

// Tensor expressions.

/// `source` combined along `axes` (sorted), which the result lacks. ArgMax and ArgMin have one axis.
struct AxisReduction {
  Combiner combiner;
  ExprRef source;
  std::vector<unsigned> axes;
};

/// a[..., m, k] @ b[..., k, n]. Leading dimensions broadcast as in Elementwise. Either may be of rank 1: a[k] lacks m,
/// b[k] lacks n, and the result lacks it too.
struct MatMul {
  ExprRef a, b;
};

/// Dimension d of the result is dimension permutation[d] of the source.
struct Permute {
  ExprRef source;
  std::vector<unsigned> permutation;
};

/// The same elements in row-major order. Group after group, `sources` consecutive dimensions of the source become
/// `results` dimensions of the result, with equal products; at least one of the two is 1 where that is possible.
/// A group of (0, n) adds n dimensions of 1, (n, 0) drops them.
struct Reshape {
  struct Group {
    unsigned sources, results;
  };
  ExprRef source;
  std::vector<Group> groups;
};

/// The part that begins at `offsets`, of the size that the type has.
struct Slice {
  ExprRef source;
  std::vector<Dim> offsets;
};

struct Concat {
  std::vector<ExprRef> parts;
  unsigned axis;
};

/// A tensor that holds the scalar `value` (rank 0) everywhere.
struct Fill {
  ExprRef value;
};

/// [i, j] => body. The result has one dimension for each index; the body is an element expression.
struct Comprehension {
  std::vector<const Index *> indices;
  ExprRef body;
};

/// How the scores of a row become weights: the list of Normalisers.def.
enum class Normaliser {
#define ATTN_NORMALISER(NAME, WORD, TRAITS) NAME,
#include "dialects/Attn/Normalisers.def"
};

const char *textOf(Normaliser normaliser);

using mlir::attn::Statistic;

/// [outer...] => attend keys { ... } yields (...). Its statement binds one local for each of `yields`, in order, of the
/// shape that dialects/Attn/Statistics.h says.
struct Attend {
  std::vector<const Index *> outer, keys, values;
  Normaliser normaliser = Normaliser::Softmax;
  double alpha = 2;       ///< of entmax
  ExprRef sink = nullptr; ///< of softmax, of the outer indices; null: none
  ExprRef score = nullptr;
  ExprRef mask = nullptr;          ///< null: every key is kept
  const Local *weightIn = nullptr; ///< p, a scalar, in `weight`
  ExprRef weight = nullptr;        ///< null: p itself
  ExprRef value = nullptr;         ///< null: no Value among the yields
  std::vector<Statistic> yields;
  int64_t top = 0;                   ///< of how many keys, where one of the yields has them
  std::vector<const Index *> summed; ///< of `outer`: over which KeySums are
  std::string module;                ///< that it is in, "blocks.{0}.mix"; empty in the model itself
};

// Element expressions.

struct IndexRef {
  const Index *index;
};

/// How one index of a Subscript is known to be in range.
enum class InRange {
  Proved,  ///< always, by the checker
  Runtime, ///< comes from data: a run-time check, a status where it fails
};

/// One element of a tensor: as many `indices` (element Index) as the base has dimensions. Where the program's guard
/// makes a subscript valid (`if s >= 1 then a[s - 1] else 0`) the index here is clamped, so that it is in range on
/// both branches and may be evaluated anywhere.
struct Subscript {
  ExprRef base; ///< a tensor expression without indices: LocalRef or ParameterRef
  std::vector<ExprRef> indices;
  std::vector<InRange> inRange;
};

/// combiner over indices where filter => body.
struct IndexReduction {
  Combiner combiner;
  std::vector<const Index *> indices;
  ExprRef filter = nullptr; ///< null: all
  ExprRef body;
};

/// A random number of [0, 1) by its key: the entry's seed and step, the call of `random` that it stands for, the rounds
/// of the loops around, and the element of the tensor that is drawn.
struct Draw {
  int64_t site;       ///< the number of the call in its entry, in the order in which calls are inlined
  ExprRef seed, step; ///< I32, LocalRefs
  std::vector<const LoopCounter *> loops; ///< outermost first
  std::vector<const Index *> dimensions;  ///< what `element` runs over, for its extents
  std::vector<ExprRef> element;           ///< element Index
};

struct Expr {
  using Node = std::variant<Constant, DimValue, StepRef, LocalRef, ParameterRef, Elementwise, Cast, AxisReduction,
                            MatMul, Permute, Reshape, Slice, Concat, Fill, Comprehension, Attend, IndexRef, Subscript,
                            IndexReduction, Draw>;
  Node node;
  Type type; ///< of an Attend: that of its first yield
  SourceRange range;

  template <class T> const T *as() const { return std::get_if<T>(&node); }
};

//===- Statements -------------------------------------------------------------------------------------------------===//

struct Let;
struct Loop;
struct Scan;
using Statement = std::variant<Let, Loop, Scan>;
struct Block;

/// locals = value; more than one local only for an Attend.
struct Let {
  std::vector<const Local *> locals;
  ExprRef value;
};

/// Runs `body` counter->count times. `carried` pass from one round to the next: argument is `initial` in the first
/// round and the last round's `next` after it; result is the last `next` (or `initial` where count is 0).
struct Loop {
  struct Carried {
    ExprRef initial;
    const Local *argument;
    ExprRef next; ///< in the scope of body
    const Local *result;
  };
  const LoopCounter *counter;
  std::vector<Carried> carried;
  std::unique_ptr<Block> body;
  SourceRange range;
};

/// Runs `body` for the steps 0 .. counter->count - 1, or from the last to the first where it is `backward`. `carried`
/// pass from one step to the one that is run next; `stacked` holds values of all steps.
struct Scan {
  struct Stacked {
    ExprRef value; ///< of a step, in the scope of body
    unsigned axis; ///< the dimension of the result that the steps lie along
    const Local *result;
  };
  const LoopCounter *counter;
  bool backward = false;
  std::vector<Loop::Carried> carried;
  std::vector<Stacked> stacked;
  std::unique_ptr<Block> body;
  SourceRange range;
};

struct Block {
  std::vector<Statement> statements;
};

//===- Programs ---------------------------------------------------------------------------------------------------===//

/// A named dynamic dimension of an entry point; max is -1 where it has no bound. min is the least size for which every
/// subscript without a condition around it is in range: 1 for `n` where there is an x[n - 1].
struct Dimension {
  std::string name;
  int64_t max = -1;
  SourceRange range;
  int64_t min = 0;
};

struct Result {
  std::string name; ///< as declared; the entry's name where it is the only one and has none
  ExprRef value;
  Shape shape; ///< with the labels of the declaration
};

/// An optimizer's step for one parameter, or for each of a list: from its value, its gradient and the optimizer's
/// states of it to the next ones.
struct OptimizerStep {
  const Parameter *parameter;
  std::vector<const Parameter *> states;
  const Local *value, *gradient;
  const Local *count; ///< f32: 1 in the first step
  std::vector<const Local *> stateValues;
  Block block;
  ExprRef nextValue = nullptr; ///< in the scope of `block`, as are
  std::vector<ExprRef> nextStates;
};

/// What `minimize(f, with: optimizer)` does besides computing f: made by the derive phase.
struct Training {
  const Parameter *count = nullptr; ///< i32: the steps done so far
  double clipNorm = 0;              ///< the largest norm of all gradients together; 0: any
  int64_t batches = 1;              ///< how many of each argument a step takes, along a leading dimension
  std::vector<OptimizerStep> steps;
};

/// What a `state` of a module is when a step of training has returned; of a list of modules, one for each round of the
/// loops around, outermost first.
struct StateUpdate {
  const Parameter *parameter;
  std::vector<const LoopCounter *> loops;
  ExprRef value; ///< in the scope of the innermost loop's body
  SourceRange range;
};

/// What `decode(next, with: f, ...)` does besides choosing a token by f: the loop, made by the derive phase.
struct Decoding {
  std::string of; ///< an entry point made by `incremental`
  int64_t atMost = 0;
  std::optional<int64_t> stop;
  std::optional<int64_t> beams; ///< where f searches: it chooses among those of so many beams a row
};

struct Entry {
  std::string name;
  bool isGradient = false;           ///< of its only result, an f32 of rank 0: made by the derive phase
  bool isAttention = false;          ///< gives the weights of attention in place of its results, likewise
  std::optional<Training> training;  ///< minimises its only result, an f32 of rank 0
  std::string along;                 ///< if not empty: computed position by position along this dimension
  std::optional<int64_t> takeBack;   ///< with `along`: positions that can be taken back
  std::optional<Decoding> decoding;  ///< its function chooses tokens
  std::string doc;                   ///< the comment above its function
  std::vector<Dimension> dimensions; ///< in the order in which the arguments name them
  std::vector<const Local *> arguments;
  /// Where something is drawn: the key of its draws, I32. They are the last arguments; but of a step of training `step`
  /// is no argument: it is the number of steps done before.
  const Local *seed = nullptr, *step = nullptr;
  std::vector<StateUpdate> updates; ///< one at most for each parameter
  Block block;
  std::vector<Result> results;
  SourceRange range;
};

struct Hyperparameter {
  std::string name;
  std::string value; ///< as text
};

struct Program {
  std::string name; ///< of the model; empty where the file has functions only
  std::vector<Hyperparameter> hyperparameters;
  std::vector<const Parameter *> parameters;
  std::vector<Entry> entries;

  // What owns the nodes.
  std::deque<Expr> exprs;
  std::deque<Local> locals;
  std::deque<LoopCounter> counters;
  std::deque<Index> indices;
  std::deque<Parameter> parameterStore;
};

} // namespace attnc::typed
