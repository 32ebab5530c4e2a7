//===- Checker.h - the checker's inside ---------------------------------------------------------------------------===//
//
// One object checks one program. It runs the program on shapes: entry points first, calls inlined, modules
// instantiated where fields name them; see Value.h. The methods are grouped by family, one file each:
//
//   Check.cpp        the program: model, entry points, functions that nobody calls
//   Exports.cpp      exports, and what they derive from functions
//   Gradients.cpp    where no gradient passes
//   Decode.cpp       exports that write tokens
//   Random.cpp       draws
//   Optimizers.cpp   the steps of optimizers
//   Names.cpp        files, scopes, look-up, "did you mean"
//   Modules.cpp      hyperparameters, fields, parameters, lists of modules
//   Constants.cpp    arithmetic on numbers known now
//   Dims.cpp         types as written; unifying named dimensions; bounds
//   Calls.cpp        calls of functions, modules, lambdas
//   Statements.cpp   blocks, variables, loops
//   Scan.cpp         recurrences
//   Expressions.cpp  operators, broadcasting, conversions
//   Subscripts.cpp   subscripts of tensors, lists and tuples; slices and gathers
//   Indices.cpp      index notation: ranges of indices, comprehensions, reductions
//   Attend.cpp       attend
//   Builtins*.cpp    the builtin functions, from one table
//
// Ranges.h proves subscripts in range; Elements.h rewrites bodies to elements.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Diagnostic.h"
#include "frontends/attn/Check/Builder.h"
#include "frontends/attn/Check/Check.h"
#include "frontends/attn/Check/Elements.h"
#include "frontends/attn/Check/Normalisers.h"
#include "frontends/attn/Check/Origins.h"
#include "frontends/attn/Check/Ranges.h"
#include "frontends/attn/Check/Value.h"
#include <functional>
#include <unordered_map>

namespace attnc::check {

/// An argument of a call, checked.
struct CheckedArgument {
  std::optional<ast::Name> label;
  Value value;
  SourceRange range;
};

class Checker {
public:
  Checker(SourceManager &sources, DiagnosticEngine &diagnostics, const CheckOptions &options)
      : sources(sources), diagnostics(diagnostics), options(options), program(std::make_unique<typed::Program>()),
        build(*program), ranges(build), elements(build, ranges) {}

  std::unique_ptr<typed::Program> run(FileId file);

  //===- Errors ---------------------------------------------------------------------------------------------------===//

  /// Reports once for each place and kind: inlined functions are checked once a call.
  Diagnostic &error(DiagnosticKind kind, SourceRange range, std::string message);
  Diagnostic &warning(DiagnosticKind kind, SourceRange range, std::string message);
  /// An error of types or shapes, which says in which call it was found.
  Diagnostic &typeError(DiagnosticKind kind, SourceRange range, std::string message);
  /// Of a tensor or a range that memory has no room for.
  Diagnostic &tooLarge(SourceRange range, const std::string &what, const std::string &size);
  Value notSupported(SourceRange range, const std::string &what);

  //===- Check.cpp ------------------------------------------------------------------------------------------------===//

  const ast::ModuleDecl *chooseModel(SourceUnit &unit);
  void checkEntries(SourceUnit &unit, Instance *model);
  void checkEntryNames();
  void checkUncalled(SourceUnit &unit);
  void checkUnmade(SourceUnit &unit);
  /// Checks a function on its own dimensions; adds it to the program where `isExported`.
  void checkEntry(const FunctionValue &function, const std::string &name, SourceRange range, bool isExported);
  typed::Local *entryArgument(const ast::Parameter &parameter, const ScopePtr &scope, typed::Entry &entry);
  void entryResults(typed::Entry &entry, const ast::FunctionDecl &decl, const Value &value, const ScopePtr &scope);

  //===- Gradients.cpp --------------------------------------------------------------------------------------------===//

  bool isActive(typed::ExprRef expr);
  bool isActiveLocal(const typed::Local *local);
  /// Whether a number is made of keys that an attend with active scores has chosen.
  bool isOfChosenKeys(typed::ExprRef expr);
  /// Reports what takes x for a number that gradients do not pass, where x depends on what they are taken by.
  bool passesNoGradient(typed::ExprRef x, SourceRange range, const std::string &what);

  //===- Random.cpp -----------------------------------------------------------------------------------------------===//

  bool mayDraw(SourceRange range, const std::string &what);
  typed::ExprRef draw(const std::vector<typed::Index *> &over, SourceRange range);
  void addDrawArguments(typed::Entry &entry);

  //===- Exports.cpp ----------------------------------------------------------------------------------------------===//

  /// `export name = rule(f, arguments...)`, or `f` alone: no rule.
  struct Derivation {
    const ast::NameRefExpr *rule = nullptr;
    ast::Name function;
    std::vector<const ast::Argument *> arguments; ///< besides f
  };
  void checkExport(const ast::ExportDecl &decl, SourceUnit &unit, Instance *model);
  std::optional<Derivation> derivation(const ast::ExportDecl &decl);
  std::optional<FunctionValue> exportedFunction(const ast::Name &name, SourceUnit &unit, Instance *model);
  /// Is what the function computes one f32? Reports other results.
  bool isLoss(const typed::Entry &entry, const ast::ExportDecl &decl, const char *what);
  void minimize(typed::Entry &entry, const Derivation &derivation, const ast::ExportDecl &decl, SourceUnit &unit,
                Instance *model);
  void incremental(typed::Entry &entry, const Derivation &derivation, const ast::ExportDecl &decl,
                   const ScopePtr &scope);
  //===- Decode.cpp -----------------------------------------------------------------------------------------------===//

  void decode(const Derivation &derivation, const ast::ExportDecl &decl, const ScopePtr &scope);
  /// Exports what a command asks for, where the file does not.
  void addWriter(const WriterRequest &wanted);
  bool isDecodable(const typed::Entry &step, SourceRange range);
  std::optional<FunctionValue> chooser(const ast::Expr &with, const ScopePtr &scope);
  bool isChoice(const typed::Entry &entry, SourceRange range);
  bool areOfCall(const typed::Entry &choice, size_t from, const typed::Type &logits);
  std::optional<int64_t> beamsOf(const typed::Entry &entry);
  bool hasTokens(const typed::Entry &step, int64_t most, const ast::Argument &atMost, std::optional<int64_t> last,
                 const ast::Argument *stop);
  std::optional<int64_t> countOf(const ast::Argument &argument, int64_t least, const ScopePtr &scope);

  //===- Exports.cpp ----------------------------------------------------------------------------------------------===//

  std::optional<Value> argumentOver(const Derivation &derivation, const ScopePtr &scope);
  /// Is a parameter or state among those `over` which the entry point that is being checked is minimised?
  bool isMinimizedOver(const typed::Parameter &parameter) const;

  //===- Optimizers.cpp -------------------------------------------------------------------------------------------===//

  /// `adamw(lr: 1e-3)` with its hyperparameters, or null.
  Instance *makeOptimizer(const ast::Expr &with, const ScopePtr &scope);
  bool addStep(typed::Entry &entry, Instance &optimizer, const typed::Parameter &parameter);
  const typed::Parameter *addState(const typed::Entry &entry, const std::string &name, const typed::Parameter *of,
                                   typed::Type type, double start, SourceRange range);
  std::optional<std::pair<typed::Type, double>> stateStart(const ast::OptimizerState &state, const ScopePtr &scope);

  //===- Names.cpp ------------------------------------------------------------------------------------------------===//

  SourceUnit *load(FileId file, std::string name);
  SourceUnit *loadUsed(const ast::UseDecl &use, SourceUnit &user);
  void checkNames(SourceUnit &unit);
  void checkModuleNames(const ast::ModuleDecl &module);
  bool checkNotBuiltin(const ast::Name &name, const char *what);
  /// Reports parameters of one name.
  void checkDistinct(const std::vector<ast::Parameter> &parameters);
  ScopePtr unitScope(SourceUnit *unit);
  ScopePtr childOf(const ScopePtr &parent);
  /// The binding of a name in the scopes of a function body; null for other names.
  Binding *findBinding(const ScopePtr &scope, const std::string &name);
  std::optional<Value> find(const ScopePtr &scope, const std::string &name);
  std::optional<Value> findMember(const ModuleValue &self, const std::string &name);
  std::optional<Value> findTopLevel(SourceUnit *unit, const std::string &name, bool throughUses);
  Value nameRef(const ast::NameRefExpr &ref, const ScopePtr &scope);
  Value member(const ast::MemberExpr &expr, const ScopePtr &scope);
  Value unknownName(SourceRange range, const std::string &name, const ScopePtr &scope);
  std::vector<std::string> visibleNames(const ScopePtr &scope);
  /// Binds a new local name; reports shadowing of builtins and repetition in the same scope.
  void bindLocal(const ScopePtr &scope, const ast::Name &name, Value value, bool isVar);
  Value evaluateConstant(const ast::ConstDecl &decl, SourceUnit *unit);

  //===- Modules.cpp ----------------------------------------------------------------------------------------------===//

  Instance *instantiateModel(const ast::ModuleDecl &decl, SourceUnit &unit);
  /// A module's members from hyperparameters that are bound in `instance` already.
  bool fillInstance(Instance &instance);
  void addField(Instance &instance, const ast::FieldDecl &field, const ScopePtr &scope);
  void checkMadeElsewhere(const ast::FieldDecl &field, const Instance &place, const Value &value);
  Value makeField(const ast::Expr &value, const Instance &owner, Instance place, const ScopePtr &scope);
  Value makeModule(const ast::CallExpr &call, const ClassValue &cls, Instance place, const ScopePtr &scope);
  Value makeListComprehension(const ast::ListComprehensionExpr &list, const Instance &owner, Instance place,
                              const ScopePtr &scope);
  void bindHyperparameters(Instance &instance, const std::vector<ast::Parameter> &parameters,
                           std::vector<CheckedArgument> arguments, SourceRange call, const std::string &callee);
  void applySettings(const ast::ModuleDecl &decl, std::vector<CheckedArgument> &arguments);
  Value addParameter(Instance &instance, const ast::FieldDecl &field, const ScopePtr &scope);
  std::optional<typed::Initialiser> initialiser(const ast::Expr &expr, const ScopePtr &scope);
  ScopePtr moduleScope(const ModuleValue &self);
  Value withPicks(const Value &member, const std::vector<typed::ParameterRef::Pick> &picks);

  //===- Constants.cpp --------------------------------------------------------------------------------------------===//

  /// A number that an operator gives; an error where it is beyond 64 bits.
  Value wholeNumber(const ast::BinaryExpr &expr, const Dim &result);
  /// An operator on numbers known now; nothing where an operand is not one.
  std::optional<Value> foldBinary(const ast::BinaryExpr &expr, const Value &a, const Value &b);
  std::optional<Value> foldUnary(const ast::UnaryExpr &expr, const Value &a);
  Value divideSizes(const ast::BinaryExpr &expr, const Dim &a, const Dim &b);
  /// An integer known now: a list's length, an axis. Reports what else it is.
  std::optional<int64_t> constantInteger(const ast::Expr &expr, const ScopePtr &scope, const char *what);
  std::optional<int64_t> asInteger(const Value &value, SourceRange range, const char *what);
  std::optional<Dim> asSize(const Value &value, SourceRange range);

  //===- Dims.cpp -------------------------------------------------------------------------------------------------===//

  std::optional<Shape> evaluateShape(const ast::TensorType &type, const ScopePtr &scope, const char *what);
  std::optional<Dim> evaluateDim(const ast::Expr &expr, const ScopePtr &scope, const char *what);
  std::optional<typed::Element> elementOf(const ast::TensorType &type);
  /// Binds the dimensions of a parameter's type to those of an argument. Sizes that are not names wait in `later`.
  struct LaterDim {
    const ast::Dimension *dimension;
    Dim actual;
    SourceRange range;
    typed::ExprRef tensor;
  };
  bool unify(const ast::TensorType &type, typed::ExprRef actual, SourceRange range, const ScopePtr &scope,
             std::vector<LaterDim> &later);
  bool unifyDim(const ast::Dimension &dimension, const Dim &actual, SourceRange range, typed::ExprRef tensor,
                const ScopePtr &scope, std::vector<LaterDim> &later);
  bool finishUnify(const std::vector<LaterDim> &later, const ScopePtr &scope);
  std::optional<bool> solveDim(const LaterDim &late, const ScopePtr &scope);
  bool checkBound(const ast::Dimension &dimension, const Dim &actual, SourceRange range, const ScopePtr &scope);
  /// A value as the type that was declared for it: of a result or a let.
  Value conform(const Value &value, const ast::TensorType &declared, SourceRange range, const ScopePtr &scope,
                const char *what);
  void warnNearMiss(const ast::FunctionDecl &decl, const ScopePtr &scope);
  /// Gives each new name in a type its own dimension: for an entry point.
  void introduceDims(const ast::TensorType &type, const ScopePtr &scope, typed::Entry &entry);

  //===- Calls.cpp ------------------------------------------------------------------------------------------------===//

  Value call(const ast::CallExpr &expr, const ScopePtr &scope);
  Value callValue(const Value &callee, const std::string &name, SourceRange calleeRange, SourceRange range,
                  std::vector<CheckedArgument> arguments);
  Value callFunction(const FunctionValue &function, SourceRange range, std::vector<CheckedArgument> arguments);
  Value callLambda(const LambdaValue &lambda, SourceRange range, std::vector<CheckedArgument> arguments);
  std::vector<CheckedArgument> checkArguments(const ast::CallExpr &expr, const ScopePtr &scope);
  /// Remembers what made a value, for `noteOrigin`.
  void recordCall(const Value &result, const Value &callee, const std::string &name,
                  const std::vector<CheckedArgument> &arguments);
  bool anyError(const std::vector<CheckedArgument> &arguments);
  /// Arguments in the order of parameters; reports missing, surplus and unknown ones. Defaults stay empty.
  std::optional<std::vector<std::optional<CheckedArgument>>> match(const std::vector<ast::Parameter> &parameters,
                                                                   std::vector<CheckedArgument> arguments,
                                                                   SourceRange call, const std::string &callee);
  bool bindParameters(const ast::FunctionDecl &decl, std::vector<std::optional<CheckedArgument>> &arguments,
                      const ScopePtr &scope);
  Value checkResults(const ast::FunctionDecl &decl, const Value &value, SourceRange bodyRange, const ScopePtr &scope);
  bool enterFunction(const FunctionValue &function, SourceRange call);

  //===- Statements.cpp -------------------------------------------------------------------------------------------===//

  /// The value of a block; `returned` becomes true where a `return` ended it.
  Value block(const ast::Block &block, const ScopePtr &scope, bool &returned);
  Value statement(const ast::Stmt &stmt, const ScopePtr &scope, bool &returned);
  void letStatement(const ast::LetStmt &stmt, const ScopePtr &scope);
  void assign(const ast::AssignStmt &stmt, const ScopePtr &scope);
  void update(const ast::UpdateStmt &stmt, const ScopePtr &scope);
  typed::ExprRef nextValue(const typed::Type &declared, const ast::UpdateStmt &stmt, const Value &value);
  const typed::Parameter *moduleState(const ModuleValue &self, const std::string &name);
  void updateState(const typed::Parameter &state, const ast::UpdateStmt &stmt, const Value &value,
                   const ModuleValue &self);
  Value ifStatement(const ast::IfStmt &stmt, const ScopePtr &scope, bool &returned);
  void forStatement(const ast::ForStmt &stmt, const ScopePtr &scope, bool &returned);
  void unroll(const ast::ForStmt &stmt, const std::vector<Value> &values, const ScopePtr &scope, bool &returned);
  void loop(const ast::ForStmt &stmt, const ModuleListValue &list, const ScopePtr &scope, bool &returned);
  bool carry(typed::Loop &loop, const std::string &name, Binding &binding, const ast::ForStmt &stmt);
  void takeNext(typed::Loop::Carried &carried, Binding &variable, SourceRange range);
  //===- Scan.cpp -------------------------------------------------------------------------------------------------===//

  Value scan(const ast::ScanExpr &expr, const ScopePtr &scope);
  std::optional<Dim> scanSteps(const ast::Expr &over, const ScopePtr &scope);
  typed::ExprRef scanLength(const ast::Expr &until, const ScopePtr &scope);
  bool scanCarries(const ast::ScanExpr &expr, typed::Scan &scan, const ScopePtr &scope, const ScopePtr &step);
  bool scanNext(const ast::ScanExpr &expr, typed::Scan &scan, typed::ExprRef length, const ScopePtr &step);
  Value scanResult(const ast::ScanExpr &expr, const ast::ScanResult &result, typed::Scan &scan, typed::ExprRef length,
                   const ScopePtr &step);
  std::optional<unsigned> stackAxis(const ast::ScanExpr &expr, const ast::ScanResult &result, typed::ExprRef value);
  /// `value` in the rows that have not ended, elsewhere `ended`, or zeros where that is null.
  typed::ExprRef whileRunning(typed::ExprRef length, const typed::LoopCounter *counter, typed::ExprRef value,
                              typed::ExprRef ended, SourceRange range, const std::string &name);

  //===- Statements.cpp -------------------------------------------------------------------------------------------===//

  /// Tensors are bound to locals, so that they are computed once.
  Value bindValue(const std::string &name, const Value &value, SourceRange range);

  //===- Expressions.cpp ------------------------------------------------------------------------------------------===//

  Value expression(const ast::Expr &expr, const ScopePtr &scope);
  Value expressionOfKind(const ast::Expr &expr, const ScopePtr &scope);
  Value unary(const ast::UnaryExpr &expr, const ScopePtr &scope);
  Value binary(const ast::BinaryExpr &expr, const ScopePtr &scope);
  Value binary(const ast::BinaryExpr &expr, const Value &a, const Value &b);
  Value conditional(const ast::ConditionalExpr &expr, const ScopePtr &scope);
  Value matMul(typed::ExprRef a, typed::ExprRef b, const ast::BinaryExpr &expr);
  Value tupleOf(const std::vector<ast::ExprPtr> &parts, const ScopePtr &scope);
  Value listComprehension(const ast::ListComprehensionExpr &expr, const ScopePtr &scope);
  /// Values as tensors of one element type, by the rules of conversion. Empty where that is impossible.
  struct Operand {
    Value value;
    SourceRange range;
  };
  std::vector<typed::ExprRef> agree(const std::vector<Operand> &operands, SourceRange range, const std::string &what,
                                    bool ofTensors = false);
  /// Elementwise with everything checked: conversion, broadcasting. Errors are shown at `sign`, where there is one.
  Value elementwise(typed::Op op, const std::vector<Operand> &operands, SourceRange range, const std::string &what,
                    SourceRange sign = {});
  bool checkBroadcast(const std::vector<typed::ExprRef> &operands, const std::vector<Operand> &written,
                      SourceRange range, const std::string &what);
  /// A value as a tensor; numbers become constants of `wanted`, or of their own element type. Reports others.
  typed::ExprRef asTensor(const Value &value, SourceRange range, std::optional<typed::Element> wanted = std::nullopt);
  /// As asTensor, in f32.
  typed::ExprRef asReal(const Value &value, SourceRange range, const std::string &what);
  typed::ExprRef asCondition(const Value &value, SourceRange range, const std::string &what);
  Diagnostic &dimMismatch(SourceRange range, const std::string &what, const Dim &a, const Dim &b);
  /// A note of where the dimension of an operand comes from, unless that is on the line of the error.
  void noteOrigin(Diagnostic &report, typed::ExprRef operand, SourceRange written, const Dim &dim);

  /// What is known of an index while its body is being checked.
  struct IndexState {
    bool hasExtent = false;
    bool isWritten = false; ///< `j < n`
    SourceRange boundBy;    ///< the subscript, or the bound, that gave the extent
    std::string text;       ///< of the tensor that gave it
  };
  /// The indices of `..`, found when it first subscripts.
  struct RestState {
    bool isKnown = false;
    std::vector<typed::Index *> indices;
    SourceRange range;
  };

  //===- Subscripts.cpp -------------------------------------------------------------------------------------------===//

  Value subscript(const ast::SubscriptExpr &expr, const ScopePtr &scope);
  Value pick(const Value &list, const ast::SubscriptExpr &expr, const ScopePtr &scope);
  struct Position {
    enum class Kind { Index, Range, Whole } kind = Kind::Whole;
    typed::ExprRef index = nullptr; ///< Index: of element Index, rank 0; or a tensor of i32
    Dim lower, upper;               ///< Range
    SourceRange range;
  };
  std::optional<std::vector<Position>> positions(const ast::SubscriptExpr &expr, typed::ExprRef base,
                                                 const ScopePtr &scope);
  bool restPositions(std::vector<Position> &result, size_t count, const ast::SubscriptElement &element,
                     typed::ExprRef base, SourceRange baseRange, RestState *rest);
  bool indexPosition(Position &position, const ast::SubscriptElement &element, const Dim &extent, SourceRange baseRange,
                     const ScopePtr &scope);
  std::optional<Position> slicePosition(const ast::SubscriptElement &element, const Dim &extent, SourceRange baseRange,
                                        const ScopePtr &scope);
  bool fits(const std::vector<Dim> &dims);
  /// The mean over a dimension of size 0 is NaN, which a step of training would leave in every parameter: where nothing
  /// guards it, calls of the step with such a size are refused.
  void refuseMeanOfNothing(const Dim &extent);
  typed::ExprRef applyRanges(typed::ExprRef base, std::vector<Position> &where, SourceRange range);
  typed::ExprRef applyIndices(typed::ExprRef base, const std::vector<Position> &where, SourceRange range,
                              SourceRange baseRange);
  typed::ExprRef gather(typed::ExprRef base, const std::vector<Position> &where, SourceRange range,
                        SourceRange baseRange);
  /// Constants and sizes: a slice without the dimensions that they pick from.
  typed::ExprRef fixedIndices(typed::ExprRef base, const std::vector<Position> &where, SourceRange range,
                              SourceRange baseRange);
  /// What must be proved of an index, if anything.
  void oblige(typed::ExprRef subscript, unsigned position, const Dim &extent, SourceRange range, SourceRange baseRange);
  RestState *restAround(const ScopePtr &scope);

  //===- Indices.cpp ----------------------------------------------------------------------------------------------===//

  Value comprehension(const ast::BuildExpr &expr, const ScopePtr &scope);
  Value reduce(const ast::ReduceExpr &expr, const ScopePtr &scope);
  Value reduceBody(const ast::ReduceExpr &expr, const std::vector<typed::Index *> &indices, typed::ExprRef filter,
                   const Value &body, size_t mark);
  typed::ExprRef reductionTerm(const ast::ReduceExpr &expr, const Value &body);
  typed::ExprRef countOf(const std::vector<typed::Index *> &indices, typed::ExprRef filter, SourceRange range,
                         size_t mark);
  /// Declares indices in `scope`; a null pointer stands for those of `..`, which are not known yet.
  bool openIndices(const std::vector<ast::Binder> &binders, const ScopePtr &scope,
                   std::vector<typed::Index *> &indices);
  /// Puts those of `..` in its place; reports indices without a range.
  bool closeIndices(const ScopePtr &scope, std::vector<typed::Index *> &indices);
  void giveExtent(typed::Index *index, const Dim &extent, SourceRange range);
  Value wrapComprehension(const std::vector<typed::Index *> &indices, const Value &body, SourceRange range,
                          size_t mark);
  /// Proves what was subscripted since `mark` where the expression is closed, and rewrites it to elements.
  typed::ExprRef finish(typed::ExprRef expr, size_t mark);
  bool proveRanges(size_t mark);
  Value finishValue(typed::ExprRef expr, size_t mark);

  //===- Attend.cpp -----------------------------------------------------------------------------------------------===//

  Value attend(const ast::AttendExpr &expr, const ScopePtr &scope);
  std::string moduleAround() const;
  bool attendParts(const ast::AttendExpr &expr, const ScopePtr &scope, PendingAttend &pending);
  bool attendWeight(const ast::AttendExpr &expr, const ScopePtr &scope, PendingAttend &pending);
  bool attendYields(const ast::AttendExpr &expr, const ScopePtr &scope, PendingAttend &pending);
  bool attendYield(const ast::Expr &yield, const ScopePtr &scope, PendingAttend &pending);
  bool yieldArguments(const ast::Expr &yield, typed::Statistic statistic, const ScopePtr &scope,
                      PendingAttend &pending);
  bool addYield(typed::Statistic statistic, SourceRange range, PendingAttend &pending);
  Value finishAttend(const ast::AttendExpr &expr, PendingAttend pending, size_t mark);
  Value renormalised(const ast::AttendExpr &expr, PendingAttend pending, size_t mark);
  std::optional<bool> renormalises(const ast::AttendExpr &expr, const ScopePtr &scope);

  //===- Normalisers.cpp ------------------------------------------------------------------------------------------===//

  const NormaliserWord *normaliserWord(const ast::AttendExpr &expr);
  std::optional<std::vector<const ast::Argument *>> normaliserArguments(const ast::AttendExpr &expr,
                                                                        const NormaliserWord &word);
  typed::ExprRef numberOfRow(const ast::Argument &argument, const std::string &name, const ScopePtr &scope,
                             const PendingAttend &pending);
  std::optional<double> alphaOf(const ast::Argument &argument, const ScopePtr &scope);
  /// Reads `by:` into the pending attend; `composeScore` then makes the score of the word.
  bool attendNormaliser(const ast::AttendExpr &expr, const ScopePtr &scope, PendingAttend &pending);
  bool composeScore(PendingAttend &pending, SourceRange range);
  typed::ExprRef gumbelNoise(const PendingAttend &pending, SourceRange range);
  typed::ExprRef sigmoidOfKept(typed::ExprRef score, SourceRange range);
  Value logOfProbability(const ast::AttendExpr &expr, const PendingAttend &chosen, size_t mark);

  //===- State ----------------------------------------------------------------------------------------------------===//

  SourceManager &sources;
  DiagnosticEngine &diagnostics;
  const CheckOptions &options;
  std::unique_ptr<typed::Program> program;
  Builder build;
  Ranges ranges;
  Elements elements;
  Origins origins;

  std::vector<std::unique_ptr<SourceUnit>> units;
  std::deque<Instance> instances;
  std::map<std::string, SourceRange> checkpointNames;
  std::set<const ast::FunctionDecl *> checkedFunctions;
  std::deque<Scope> scopes;
  std::set<std::tuple<DiagnosticKind, FileId, uint32_t, uint32_t>> reported;
  Diagnostic discarded;

  struct Frame {
    const ast::FunctionDecl *function;
    const Instance *self;
    SourceRange call;
  };
  std::vector<Frame> frames;
  std::vector<const ast::ModuleDecl *> making; ///< modules being instantiated
  std::unordered_map<const typed::Index *, IndexState> indexStates;
  const typed::Parameter *steppedParameter = nullptr;             ///< of the optimizer's step that is being checked
  std::map<const Scope *, std::shared_ptr<RestState>> restStates; ///< of scopes that bind `..` as an index
  std::vector<std::pair<typed::ExprRef, bool>> guards; ///< conditions around the expression, and whether they hold
  unsigned bodies = 0;                                 ///< bodies of index notation around the expression
  unsigned nesting = 0;                                ///< of expression(), over calls
  uint64_t steps = 0;                                  ///< expressions checked
  bool isExhausted = false;
  bool isTraining = false;                    ///< the entry point that is being checked is minimised ...
  std::optional<Value> minimizedOver;         ///< ... over these parameters; nothing: over all
  bool isDifferentiated = false;              ///< or a gradient is made of it
  bool isPositional = false;                  ///< or it is to be computed position by position
  std::set<const typed::Local *> entryLocals; ///< its arguments
  std::unordered_map<typed::ExprRef, bool> activity;
  // Draws of the entry point that is being checked (Random.cpp).
  std::optional<SourceRange> drawRange; ///< of the first
  const typed::Local *drawSeed = nullptr, *drawStep = nullptr;
  int64_t drawsMade = 0;
  std::vector<const typed::LoopCounter *> loopsAround;
  std::vector<typed::StateUpdate> stateUpdates; ///< of the entry point that is being checked
  bool isRankInvented = false;                  ///< of an argument of the function that is being checked
  size_t errorsFound = 0;                       ///< those that were reported before too
};

} // namespace attnc::check
