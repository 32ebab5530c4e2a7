//===- AST.h - abstract syntax tree (AST) of a model file ---------------------------------------------------------===//
//
// The parser builds the AST, and the checker reads it and builds the typed AST (Check/Typed.h). The AST represents the
// source without types or resolved names. Every node has a source range, and owns its subnodes. A string `doc` is the
// `///` comment above a declaration, empty if there is none. Comments show the source that a node stands for.
//
// The checker receives only ASTs of files without syntax errors: they contain no `ErrorExpr`, and a pointer is null
// only if its comment permits it. After a syntax error, pointers may be null, names empty and lists too short.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Source.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attnc::ast {

/// A word with its source range.
struct Name {
  std::string text;
  SourceRange range;
};

//===----------------------------------------------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------------------------------------------===//

enum class ExprKind {
  Integer,
  Float,
  Boolean,
  String,
  NameRef,
  Member,
  Call,
  Subscript,
  Unary,
  Binary,
  Conditional,
  Tuple,
  List,
  ListRepeat,
  ListComprehension,
  Build,
  Reduce,
  Lambda,
  Attend,
  Scan,
  Error,
};

/// An expression. `kind` determines the derived struct.
struct Expr {
  ExprKind kind;
  SourceRange range;

  Expr(ExprKind kind, SourceRange range) : kind(kind), range(range) {}
  virtual ~Expr() = default;

  /// Returns this node as a `T`, or null if it is of another kind.
  template <typename T> const T *as() const { return kind == T::classKind ? static_cast<const T *>(this) : nullptr; }
  template <typename T> T *as() { return kind == T::classKind ? static_cast<T *>(this) : nullptr; }
};
using ExprPtr = std::unique_ptr<Expr>;

/// Base of an `Expr` of a fixed kind.
template <ExprKind Kind> struct ExprOf : Expr {
  static constexpr ExprKind classKind = Kind;
  explicit ExprOf(SourceRange range) : Expr(Kind, range) {}
};

/// `256`
struct IntegerExpr : ExprOf<ExprKind::Integer> {
  using ExprOf::ExprOf;
  int64_t value = 0;
};

/// `3e-4`
struct FloatExpr : ExprOf<ExprKind::Float> {
  using ExprOf::ExprOf;
  double value = 0;
};

/// `true` or `false`
struct BooleanExpr : ExprOf<ExprKind::Boolean> {
  using ExprOf::ExprOf;
  bool value = false;
};

/// `"text"`, with escapes replaced
struct StringExpr : ExprOf<ExprKind::String> {
  using ExprOf::ExprOf;
  std::string value;
};

/// `x`
struct NameRefExpr : ExprOf<ExprKind::NameRef> {
  using ExprOf::ExprOf;
  std::string name;
};

/// `token.table`, `nn.Linear`
struct MemberExpr : ExprOf<ExprKind::Member> {
  using ExprOf::ExprOf;
  ExprPtr object;
  Name member;
};

/// One argument of a call; a named argument such as `lr: 1.0` has a `label`.
struct Argument {
  std::optional<Name> label;
  ExprPtr value;
  SourceRange range;
};

/// `f(a, lr: 1.0)`
struct CallExpr : ExprOf<ExprKind::Call> {
  using ExprOf::ExprOf;
  ExprPtr callee;
  std::vector<Argument> arguments;
};

enum class SubscriptKind {
  Index, ///< `i + 1`: `value`
  Slice, ///< `lo:hi`: `value` is lo and `upper` is hi; null if omitted
  Rest,  ///< `..`: all dimensions without another subscript in the list, perhaps none; both pointers are null
};

/// One subscript between brackets. It selects along one dimension; a Rest stands for any number of whole dimensions.
struct SubscriptElement {
  SubscriptKind kind = SubscriptKind::Index;
  ExprPtr value;
  ExprPtr upper;
  SourceRange range;
};

/// `x[b, h, i]`, `x[.., 0:n]`; trailing dimensions without a subscript are whole
struct SubscriptExpr : ExprOf<ExprKind::Subscript> {
  using ExprOf::ExprOf;
  ExprPtr object;
  std::vector<SubscriptElement> subscripts;
};

enum class UnaryOp { Negate, Not, Transpose };

/// `-x`, `not x`, `x'`
struct UnaryExpr : ExprOf<ExprKind::Unary> {
  using ExprOf::ExprOf;
  UnaryOp op = UnaryOp::Negate;
  SourceRange opRange;
  ExprPtr operand;
};

enum class BinaryOp { Add, Sub, Mul, Div, Mod, MatMul, Pow, Eq, Ne, Lt, Le, Gt, Ge, And, Or };

/// `a + b`, `a @ b`, `i <= j`, `a and b`
struct BinaryExpr : ExprOf<ExprKind::Binary> {
  using ExprOf::ExprOf;
  BinaryOp op = BinaryOp::Add;
  SourceRange opRange;
  ExprPtr lhs;
  ExprPtr rhs;
};

/// `if c then a else b`
struct ConditionalExpr : ExprOf<ExprKind::Conditional> {
  using ExprOf::ExprOf;
  ExprPtr condition;
  ExprPtr thenValue;
  ExprPtr elseValue;
};

/// `(a, b)`; never one element, because `(a)` is a
struct TupleExpr : ExprOf<ExprKind::Tuple> {
  using ExprOf::ExprOf;
  std::vector<ExprPtr> elements;
};

/// `[a, b, c]`
struct ListExpr : ExprOf<ExprKind::List> {
  using ExprOf::ExprOf;
  std::vector<ExprPtr> elements;
};

/// `[Block(dim, heads); layers]`
struct ListRepeatExpr : ExprOf<ExprKind::ListRepeat> {
  using ExprOf::ExprOf;
  ExprPtr element;
  ExprPtr count;
};

/// An index that an expression binds: `i`, `i < n`, or `..`. The binder `..` stands for a list of indices, one for each
/// dimension that the subscript `..` stands for in the body.
struct Binder {
  Name name;     ///< empty text for `..`
  ExprPtr bound; ///< the exclusive upper bound n; null: the size of the dimension that the index subscripts
  bool isRest = false;
  SourceRange range;
};

/// The range of a `for`: `l < n` (`isBelow`: the numbers from 0 to n - 1) or `block in blocks` (the elements of a
/// list).
struct Iteration {
  Name name; ///< the variable: l or block
  bool isBelow = false;
  ExprPtr source; ///< the bound (`isBelow`) or the list
  SourceRange range;
};

/// `[Tc(2 ** l) for l < n]`
struct ListComprehensionExpr : ExprOf<ExprKind::ListComprehension> {
  using ExprOf::ExprOf;
  ExprPtr element;
  Iteration iteration;
};

/// `[i, j < n] => body`: the tensor with the element `body` at (i, j)
struct BuildExpr : ExprOf<ExprKind::Build> {
  using ExprOf::ExprOf;
  std::vector<Binder> binders;
  ExprPtr body;
};

enum class ReduceOp { Sum, Prod, Max, Min, Mean, ArgMax };

/// `sum k => body`, `max (y, x) where c => body`: a reduction over the indices in `binders`, which bind names in
/// `filter` and `body`
struct ReduceExpr : ExprOf<ExprKind::Reduce> {
  using ExprOf::ExprOf;
  ReduceOp op = ReduceOp::Sum;
  SourceRange opRange;
  std::vector<Binder> binders;
  ExprPtr filter; ///< only terms for which it is true are reduced; null without `where`
  ExprPtr body;
};

/// `w => body`, `(a, b) => body`
struct LambdaExpr : ExprOf<ExprKind::Lambda> {
  using ExprOf::ExprOf;
  std::vector<Name> parameters;
  ExprPtr body;
};

/// `attend j { score: ..., mask: ..., by: ..., value: ..., weight: w => ..., renormalise: true } yields (value, lse)`:
/// attention. The keys bind the indices of the keys, such as j.
struct AttendExpr : ExprOf<ExprKind::Attend> {
  using ExprOf::ExprOf;
  SourceRange keywordRange;
  std::vector<Binder> keys;
  ExprPtr score;
  ExprPtr mask;                ///< the condition; null: all keys take part
  ExprPtr by;                  ///< the normaliser; null: softmax
  ExprPtr value;               ///< the summed value; null: there is none
  ExprPtr weight;              ///< the function of the normalised score, usually a `LambdaExpr`; null: the identity
  ExprPtr renormalise;         ///< divide the weights by their sum after `weight`; null: false
  std::vector<ExprPtr> yields; ///< the results; empty: the value (the attention weights if there is no value)
};

struct Block;

/// `h = h0` of a `carry`: a loop-carried value and its value before the first time step
struct Carry {
  Name name;
  ExprPtr initial;
};

/// A result of a scan: `h`, a carried value after the last time step, or `h[:, t]`, the values of a variable of the
/// body in all time steps, stacked along the dimension of `t`
struct ScanResult {
  Name name;
  std::vector<SubscriptElement> subscripts;
  bool isStacked = false; ///< it has subscripts
  SourceRange range;
};

/// `scan t over seq backward until length carry (h = h0) { ... } -> (h[:, t], h)`: a recurrence over the time steps t
struct ScanExpr : ExprOf<ExprKind::Scan> {
  explicit ScanExpr(SourceRange range);
  ~ScanExpr() override;
  Name index;
  ExprPtr over;          ///< the number of time steps
  bool backward = false; ///< from the last time step to the first
  ExprPtr until;         ///< the number of time steps of each row, for rows of different lengths; null: all time steps
  std::vector<Carry> carries;
  std::unique_ptr<Block> body;
  std::vector<ScanResult> results;
  SourceRange keywordRange;
};

/// Replaces an expression that could not be parsed; an error has been reported.
struct ErrorExpr : ExprOf<ExprKind::Error> {
  using ExprOf::ExprOf;
};

//===----------------------------------------------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------------------------------------------===//

/// The checker rejects all except F32, I32 and Bool.
enum class ElementType { F32, F16, BF16, F64, I8, I32, I64, Bool };

/// Returns the element type with the name `word`, such as "f32"; null for other words.
std::optional<ElementType> elementTypeNamed(std::string_view word);
/// Returns the name of an element type, such as "f32".
std::string_view nameOf(ElementType type);

/// One dimension of a type: `dim`, `3 * dim`, `seq <= context`, or `..`.
struct Dimension {
  bool isRest = false; ///< `..`: any number of dimensions, perhaps none
  ExprPtr size;        ///< null for `..`
  ExprPtr bound;       ///< null without `<=`
  SourceRange range;
};

/// `f32[batch, seq <= context, dim]`; a scalar is `f32` or `f32[]`
struct TensorType {
  ElementType element = ElementType::F32;
  std::vector<Dimension> dimensions;
  SourceRange range;
};

//===----------------------------------------------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------------------------------------------===//

/// The kinds of statements. `kind` of a Stmt determines the derived struct.
enum class StmtKind { Let, Const, Assign, Update, For, If, Return, Expression };

struct Stmt {
  StmtKind kind;
  SourceRange range;

  Stmt(StmtKind kind, SourceRange range) : kind(kind), range(range) {}
  virtual ~Stmt() = default;
  template <typename T> const T *as() const { return kind == T::classKind ? static_cast<const T *>(this) : nullptr; }
};
using StmtPtr = std::unique_ptr<Stmt>;

/// Base of a `Stmt` of a fixed kind.
template <StmtKind Kind> struct StmtOf : Stmt {
  static constexpr StmtKind classKind = Kind;
  explicit StmtOf(SourceRange range) : Stmt(Kind, range) {}
};

/// `{ ... }`. Its value is the value of its last statement, if that is an expression, a `return` or an `if`.
struct Block {
  std::vector<StmtPtr> statements;
  SourceRange range;
};

/// The names that a `let` or `var` binds: `x`, or `(q, k, v)` for the elements of a tuple. The name `_` binds nothing.
struct Pattern {
  std::vector<Name> names;
  bool isTuple = false;
  SourceRange range;
};

/// `let y = e`, `let y: f32[n] = e`, `var x = e`
struct LetStmt : StmtOf<StmtKind::Let> {
  using StmtOf::StmtOf;
  bool isVar = false;
  Pattern pattern;
  std::optional<TensorType> type;
  ExprPtr value;
};

/// `const head_dim = dim / heads`: a compile-time number; outside of blocks also a text; in a module also a function
struct ConstDecl {
  Name name;
  ExprPtr value;
  std::string doc;
  SourceRange range;
};

struct ConstStmt : StmtOf<StmtKind::Const> {
  using StmtOf::StmtOf;
  ConstDecl decl;
};

/// `x = e`
struct AssignStmt : StmtOf<StmtKind::Assign> {
  using StmtOf::StmtOf;
  Name target;
  ExprPtr value;
};

/// `u <- e`: sets the value of a state for the next call; in the step of an optimizer, assigns its parameter or a state
struct UpdateStmt : StmtOf<StmtKind::Update> {
  using StmtOf::StmtOf;
  ExprPtr target; ///< a `NameRefExpr` or a `MemberExpr`
  ExprPtr value;
};

/// `for block in blocks { ... }`, `for l < n { ... }`
struct ForStmt : StmtOf<StmtKind::For> {
  using StmtOf::StmtOf;
  Iteration iteration;
  Block body;
};

/// `if c { ... } else { ... }`; `else if` is an `else` block that holds one `if`
struct IfStmt : StmtOf<StmtKind::If> {
  using StmtOf::StmtOf;
  ExprPtr condition;
  Block thenBlock;
  std::optional<Block> elseBlock;
};

/// `return e`
struct ReturnStmt : StmtOf<StmtKind::Return> {
  using StmtOf::StmtOf;
  ExprPtr value;
};

struct ExpressionStmt : StmtOf<StmtKind::Expression> {
  using StmtOf::StmtOf;
  ExprPtr value;
};

//===----------------------------------------------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------------------------------------------===//

/// A parameter of a function (`x: f32[batch, seq <= context]`) or a hyperparameter of a model or module (`dim`, `layers
/// = 6`). Without a type, a parameter of a function is any value, and a hyperparameter any value but a tensor.
struct Parameter {
  Name name;
  std::optional<TensorType> type;
  ExprPtr defaultValue; ///< null: mandatory
  SourceRange range;
};

/// A result of a function: `f32[n]`, or `map: f32[n]`.
struct Result {
  std::optional<Name> name;
  TensorType type;
  SourceRange range;
};

/// `fn name(x: f32[n]) -> f32[n] { ... }`. A call of a module calls its function without a name.
struct FunctionDecl {
  std::optional<Name> name;
  std::vector<Parameter> parameters;
  std::vector<Result> results; ///< empty: not declared; the value of the body is the result, if it has one
  Block body;
  bool isExtern = false; ///< a function of the host, without a body
  std::string doc;
  SourceRange signatureRange; ///< from `fn` or `extern` to the results
  SourceRange range;
};

enum class FieldKind {
  Module,    ///< `norm: nn.LayerNorm(dim)`, `blocks: [Block(dim); layers]`: `value` instantiates it
  Parameter, ///< `gain: f32[dim] = ones`: `type`, and the initialiser `value`
  State,     ///< `state u: f32[n] = zeros`
};

/// `with adapters.LoRA(8) at "q_proj", "v_proj"` of a field: a module around each of the modules in the field whose
/// checkpoint names end in one of the names.
struct Wrapping {
  ExprPtr module;
  std::vector<Name> names;
};

/// A field of a model or module. The checkpoint name of a parameter consists of the names of the fields on its path,
/// joined by dots. `as "wte"` replaces the name of this field, and `as ""` omits it. The name of a list contains `{0}`
/// for its index (`{1}` for the index of an inner list); `as` without a placeholder appends `.{0}`.
struct FieldDecl {
  FieldKind kind = FieldKind::Module;
  Name name;
  bool isFrozen = false;          ///< `frozen`: training does not update the parameters
  std::optional<TensorType> type; ///< of a parameter or state; null for a module
  ExprPtr value;                  ///< null: a parameter or state without an initialiser
  std::optional<Name> checkpoint; ///< the text of `as "..."`
  std::optional<Wrapping> wrapping;
  std::vector<Name> frozenParts; ///< the texts of `frozen at "...", "..."`: parts that training does not update
  std::vector<Name> tags;        ///< `#no_decay`: marks, which `tagged` tests in an optimizer's step
  std::string doc;
  SourceRange range;
};

/// `model Name(hyper = default, ...) { ... }` or `module Name(parameters) { ... }`
struct ModuleDecl {
  bool isModel = false;
  Name name;
  std::vector<Parameter> parameters;
  std::vector<ConstDecl> constants;
  std::vector<FieldDecl> fields;
  std::vector<FunctionDecl> functions;
  std::string doc;
  SourceRange range;
};

/// `state m, v = like(p)` of an optimizer: states with one initial value
struct OptimizerState {
  std::vector<Name> names;
  ExprPtr initial;
  SourceRange range;
};

/// `optimizer adamw(lr, beta = 0.9) { state m, v = like(p); step(p, g, t) { ... } }`: a module with hyperparameters,
/// states and a step, but without fields and functions. The step has as parameters a parameter of the model, its
/// gradient and the number of the training step.
struct OptimizerDecl : ModuleDecl {
  std::vector<OptimizerState> states;
  std::vector<Name> stepParameters;
  Block step;
};

/// `use nn`, `use layers.norm`: the words of the path to the file
struct UseDecl {
  std::vector<Name> path;
  SourceRange range;
};

/// An entry point: `export logits`, `export train = minimize(loss, ...)`, `export write = decode(...) -> (tokens,
/// length)`. `export fn f` is parsed to a FunctionDecl, which has the comment, and the ExportDecl of `export f`, whose
/// range is the name.
struct ExportDecl {
  Name name;
  ExprPtr value;             ///< null: the function with that name
  std::vector<Name> results; ///< names of the results, which the checker ignores; empty without `->`
  std::string doc;
  SourceRange range;
};

/// A file; each kind of item is in source order.
struct File {
  FileId file = SourceRange::noFile;
  std::vector<UseDecl> uses;
  std::vector<ConstDecl> constants;
  std::vector<FunctionDecl> functions;
  std::vector<ModuleDecl> modules;
  std::vector<OptimizerDecl> optimizers;
  std::vector<ExportDecl> exports;
};

} // namespace attnc::ast
