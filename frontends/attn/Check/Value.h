//===- Value.h - values of the checker: compile-time values and typed tensors -------------------------------------===//
//
// The checker evaluates a program on shapes. The value of an expression is a compile-time number (a hyperparameter, a
// size), another compile-time object (a module, a function, a list of modules), or a tensor of the run time, as a typed
// expression.
//
// An ErrorValue is the value of an erroneous expression. Expressions with an ErrorValue as operand are ErrorValues and
// report nothing, so that one mistake causes one message.
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
/// The value of a block that ends without an expression, and of a call of a function with that body.
struct NothingValue {};
struct StringValue {
  std::string text;
};
struct TensorValue {
  typed::ExprRef expr;
};
/// Several results, or a list of tensors, numbers or different modules.
struct TupleValue {
  std::vector<Value> parts;
};
/// A field `gain: f32[dim]` among the members of an Instance. Names turns it to a TensorValue, a ParameterRef with the
/// indices in the lists around the module.
struct ParameterValue {
  const typed::Parameter *parameter;
};
/// A module: an instance, or an element of lists of equal modules.
struct ModuleValue {
  Instance *instance;
  std::vector<typed::ParameterRef::Pick> picks; ///< indices in the lists around, which Names adds to a member
};
/// A list of equal modules, `[Block(dim); layers]`. They share `instance`, whose parameters have one further count.
struct ModuleListValue {
  Instance *instance;
  int64_t count;
  std::vector<typed::ParameterRef::Pick> picks; ///< indices in the lists around
};
/// A function of a file or of a module.
struct FunctionValue {
  const ast::FunctionDecl *decl;
  SourceUnit *unit;
  ModuleValue self; ///< the module of a member function; otherwise its instance is null
};
struct LambdaValue {
  const ast::LambdaExpr *lambda;
  Scope *scope; ///< scope around the lambda
};
struct BuiltinValue {
  const Builtin *builtin;
};
/// The name of a module that is not instantiated: `Block` in `Block(dim)`.
struct ClassValue {
  const ast::ModuleDecl *decl;
  SourceUnit *unit;
};
/// The name of an optimizer: `adamw` in `adamw(lr: 1e-3)`.
struct OptimizerValue {
  const ast::OptimizerDecl *decl;
  SourceUnit *unit;
};
/// An entry point of the program that `decode` derives: `write` after `export write = decode(next, ...)`.
struct DecoderValue {
  std::string entry;
};
/// A used file: `nn` in `nn.Linear`.
struct NamespaceValue {
  SourceUnit *unit;
};

struct Value {
  /// A Dim is a compile-time integer or a size; bool and double are other compile-time numbers.
  using Node = std::variant<ErrorValue, NothingValue, Dim, double, bool, StringValue, TensorValue, TupleValue,
                            ParameterValue, ModuleValue, ModuleListValue, FunctionValue, LambdaValue, BuiltinValue,
                            ClassValue, OptimizerValue, DecoderValue, NamespaceValue>;
  Node node;

  Value() : node(ErrorValue()) {}
  template <class T> Value(T node) : node(std::move(node)) {}

  template <class T> const T *as() const { return std::get_if<T>(&node); }
  bool isError() const { return as<ErrorValue>(); }
  /// True for compile-time numbers, sizes and booleans.
  bool isNumber() const { return as<Dim>() || as<double>() || as<bool>(); }
  /// Returns the expression of a TensorValue; null for other values.
  const typed::Expr *tensor() const { return as<TensorValue>() ? as<TensorValue>()->expr : nullptr; }
  /// Returns a constant Dim or a double as a double, such as 64 or 0.5; null for other values.
  std::optional<double> real() const;
};

/// Returns the description of a value in messages: "a number", "f32[batch, 64]", "a module", ...
std::string describe(const Value &value);

/// The value of a name.
struct Binding {
  Value value;
  SourceRange range;        ///< where it is bound
  bool isVar = false;       ///< `=` may assign it
  bool isDimension = false; ///< bound by a parameter's type
  bool isState = false;     ///< `<-` may assign it, in the step of an optimizer
};

/// The names of a block. Lookup goes from a scope to its parents, then to the module `self` and the file `unit`
/// (Names/Names.h), which have no scopes with names.
struct Scope {
  Scope *parent = nullptr;
  std::map<std::string, Binding> names;
  /// The dimensions of `..` in the types of this function, once a parameter has bound it, and the argument that bound
  /// it.
  std::optional<Shape> rest;
  SourceRange restRange;
  SourceUnit *unit = nullptr;    ///< the file, for all scopes of it
  ModuleValue self{nullptr, {}}; ///< the module, for all scopes of its functions; a null instance in other functions
  bool isFunction = false;       ///< the outermost scope of a function
  bool isStep = false;           ///< the body of a scan, which does not assign variables outside of it
};

/// A parsed file and the files that it uses.
struct SourceUnit {
  std::string name; ///< the last word of its `use`; empty for the model file
  FileId file = SourceRange::noFile;
  std::unique_ptr<ast::File> ast;
  std::map<std::string, SourceUnit *> uses;    ///< by name; names are unambiguous, so the order is irrelevant
  std::map<std::string, Value> constants;      ///< values of the constants that have been evaluated
  std::set<std::string> decoders;              ///< exports by `decode` that have been checked
  std::set<const ast::ConstDecl *> evaluating; ///< to detect a constant that depends on itself
};

/// An instantiated module with its hyperparameters; for a list of equal modules, all of them together.
struct Instance {
  const ast::ModuleDecl *decl;
  SourceUnit *unit;
  std::string path;                       ///< "blocks.norm1"; empty for the model
  std::string checkpoint;                 ///< path in checkpoints: "h.{0}.ln_1"
  std::vector<int64_t> counts;            ///< lengths of the lists of equal modules around, outermost first
  bool isFrozen = false;                  ///< it or a module around it is frozen
  unsigned listDepth = 0;                 ///< number of lists around, including unrolled ones
  SourceRange field;                      ///< its declaration; empty for the model
  std::map<std::string, Binding> members; ///< hyperparameters, constants and fields, by name
};

} // namespace attnc::check
