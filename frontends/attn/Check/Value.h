//===- Value.h - what the checker knows of an expression ----------------------------------------------------------===//
//
// Checking a program is running it on shapes. An expression's value is a number that is known now (a hyperparameter,
// a size), something that exists only now (a module, a function, a list of modules), or a tensor that will exist when
// the program runs, as a typed expression.
//
// An ErrorValue stands for what could not be checked; everything made from it is an ErrorValue and reports nothing, so
// that one mistake gets one message.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Typed.h"
#include "frontends/attn/Parse/AST.h"
#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace attnc::check {

struct Value;
struct Builtin;
struct Scope;
struct SourceUnit;
struct Instance;

struct ErrorValue {};
/// A function without a result, a statement.
struct NothingValue {};
struct StringValue {
  std::string text;
};
struct TensorValue {
  typed::ExprRef expr;
};
/// Several results, or a list of tensors, numbers or (different) modules.
struct TupleValue {
  std::vector<Value> parts;
};
/// A field `gain: f32[dim]` of a module, before it is known of which list elements.
struct ParameterValue {
  const typed::Parameter *parameter;
};
struct ModuleValue {
  Instance *instance;
  std::vector<typed::ParameterRef::Pick> picks;
};
/// Equal modules: `instance` is one of them, whose parameters have one count more.
struct ModuleListValue {
  Instance *instance;
  int64_t count;
  std::vector<typed::ParameterRef::Pick> picks; ///< of the lists around
};
struct FunctionValue {
  const ast::FunctionDecl *decl;
  SourceUnit *unit;
  ModuleValue self; ///< of a module's function; instance is null otherwise
};
struct LambdaValue {
  const ast::LambdaExpr *lambda;
  Scope *scope; ///< around the lambda
};
struct BuiltinValue {
  const Builtin *builtin;
};
struct ClassValue {
  const ast::ModuleDecl *decl;
  SourceUnit *unit;
};
struct OptimizerValue {
  const ast::OptimizerDecl *decl;
  SourceUnit *unit;
};
struct NamespaceValue {
  SourceUnit *unit;
};

struct Value {
  /// Dim is an integer known now, or a size; bool and double are other constants.
  using Node = std::variant<ErrorValue, NothingValue, Dim, double, bool, StringValue, TensorValue, TupleValue,
                            ParameterValue, ModuleValue, ModuleListValue, FunctionValue, LambdaValue, BuiltinValue,
                            ClassValue, OptimizerValue, NamespaceValue>;
  Node node;

  Value() : node(ErrorValue()) {}
  template <class T> Value(T node) : node(std::move(node)) {}

  template <class T> const T *as() const { return std::get_if<T>(&node); }
  bool isError() const { return as<ErrorValue>(); }
  /// A number known now.
  bool isNumber() const { return as<Dim>() || as<double>() || as<bool>(); }
  const typed::Expr *tensor() const { return as<TensorValue>() ? as<TensorValue>()->expr : nullptr; }
  /// A number as a double, where it is one: 64, 0.5.
  std::optional<double> real() const;
};

/// What a value is called in messages: "a number", "f32[batch, 64]", "a module", ...
std::string describe(const Value &value);

/// A name and what it stands for.
struct Binding {
  Value value;
  SourceRange range;
  bool isVar = false;
  bool isDimension = false; ///< bound by a parameter's type
  bool isFixed = false;     ///< assigned in a loop that changes: its type may not change
  bool isState = false;     ///< changed by `<-`
};

/// Names of a block; the outermost scope of a function is followed by its module and its file.
struct Scope {
  Scope *parent = nullptr;
  std::map<std::string, Binding> names;
  /// What `..` stands for in the types of this function, where a parameter has bound it.
  std::optional<Shape> rest;
  SourceRange restRange;
  SourceUnit *unit = nullptr;    ///< the file, for all scopes of it
  ModuleValue self{nullptr, {}}; ///< the module, for all scopes of its functions
  bool isFunction = false;       ///< the outermost scope of a function
  bool isStep = false;           ///< the body of a scan, which assigns no variable around it
};

/// A parsed file and what it uses.
struct SourceUnit {
  std::string name; ///< as in `use`
  FileId file = SourceRange::noFile;
  std::unique_ptr<ast::File> ast;
  std::map<std::string, SourceUnit *> uses; ///< by name, in no order that matters: names may not be ambiguous
  std::map<std::string, Value> constants;
  std::set<const ast::ConstDecl *> evaluating; ///< to refuse a constant made from itself
};

/// A module with its hyperparameters.
struct Instance {
  const ast::ModuleDecl *decl;
  SourceUnit *unit;
  std::string path;            ///< "blocks.norm1"; empty for the model
  std::string checkpoint;      ///< the same for checkpoints: "h.{0}.ln_1"
  std::vector<int64_t> counts; ///< of the lists on the way here
  bool isFrozen = false;       ///< it, or a module around it
  unsigned listDepth = 0;      ///< lists on the way here, those unrolled too
  SourceRange field;           ///< its declaration; of the model, none
  std::map<std::string, Binding> members;
  std::set<const ast::FunctionDecl *> checked; ///< functions that were called or checked alone
};

} // namespace attnc::check
