//===- Value.h - values of the checker: compile-time values and typed tensors -------------------------------------===//
//
// The checker evaluates a program on shapes, by abstract interpretation. The value of an expression is a compile-time
// number (a hyperparameter, a size), another compile-time object (a module, a function, a list of modules), or a tensor
// that is computed at run time, represented by a typed expression (Typed.h).
//
// An ErrorValue is the value of an erroneous expression, whose error has been reported. Expressions with an ErrorValue
// as operand are ErrorValues and report nothing, so that one mistake causes one message.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Modules/CheckpointWord.h"
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
struct PartRules;

struct ErrorValue {};
/// The value of a block that ends without an expression, and of a call of a function with that body.
struct NothingValue {};
struct StringValue {
  std::string text;
};
struct TensorValue {
  typed::ExprRef expr;
};
/// A tuple, such as the results of a function, or a list: of tensors, of numbers, or of modules that have instances of
/// their own.
struct TupleValue {
  std::vector<Value> parts;
};
/// A field `gain: f32[dim]` among the members of an Instance. It occurs only there: Names::find returns it as a
/// TensorValue: a ParameterRef with the indices in the lists around the module, or a Fill of zeros if a size is 0.
struct ParameterValue {
  const typed::Parameter *parameter;
  bool isStacked = false; ///< its first dimension counts the modules of a stacked list (StackedLists.h)
};
/// A module: an instance; or, if the instance stands for lists of equal modules, one element of these lists.
struct ModuleValue {
  Instance *instance;
  /// The indices of the element in the lists around the module, outermost first. Names adds them to the members of the
  /// module.
  std::vector<typed::ParameterRef::Pick> picks;
  typed::ExprRef element = nullptr; ///< index in the stacked list around it, of element type Index; null without one
};
/// A list of equal modules, `[Block(dim); layers]`. They share `instance`: each of its parameters is a list of
/// parameters, whose last count is `count`; or, if the list is stacked, one tensor for all of them.
struct ModuleListValue {
  Instance *instance;
  int64_t count;
  std::vector<typed::ParameterRef::Pick> picks; ///< indices in the lists around this list, outermost first
  bool isStacked = false;                       ///< see StackedLists.h
  typed::ExprRef element = nullptr;             ///< index in a stacked list around this list; null without one
};
/// A function of a file or of a module.
struct FunctionValue {
  const ast::FunctionDecl *decl;
  SourceUnit *unit;
  ModuleValue self; ///< the module of a member function; otherwise its instance is null
};
/// A function written in place: `w => w * 2`.
struct LambdaValue {
  const ast::LambdaExpr *lambda;
  Scope *scope; ///< scope around the lambda
};
struct BuiltinValue {
  const Builtin *builtin;
};
/// A declared module that is not instantiated: `Block` in `Block(dim)`.
struct ClassValue {
  const ast::ModuleDecl *decl;
  SourceUnit *unit;
};
/// A declared optimizer: `adamw` in `adamw(lr: 1e-3)`.
struct OptimizerValue {
  const ast::OptimizerDecl *decl;
  SourceUnit *unit;
};
/// An entry point of the program that `decode` derives: `write` after `export write = decode(next, ...)`.
struct DecoderValue {
  std::string entry; ///< its name
};
/// A used file: `nn` in `nn.Linear`.
struct NamespaceValue {
  SourceUnit *unit;
};

/// The value of an expression of the program. A default-constructed Value is an ErrorValue.
struct Value {
  /// A Dim is a compile-time integer or a size; bool and double are other compile-time numbers.
  using Node = std::variant<ErrorValue, NothingValue, Dim, double, bool, StringValue, TensorValue, TupleValue,
                            ParameterValue, ModuleValue, ModuleListValue, FunctionValue, LambdaValue, BuiltinValue,
                            ClassValue, OptimizerValue, DecoderValue, NamespaceValue>;
  Node node;

  Value() : node(ErrorValue()) {}
  template <class T> Value(T node) : node(std::move(node)) {}

  /// Returns the value as a `T`, one of the alternatives of Node; null if it is another one.
  template <class T> const T *as() const { return std::get_if<T>(&node); }
  bool isError() const { return as<ErrorValue>(); }
  /// True for compile-time numbers, sizes and booleans.
  bool isNumber() const { return as<Dim>() || as<double>() || as<bool>(); }
  /// Returns the expression of a TensorValue; null for other values.
  const typed::Expr *tensor() const { return as<TensorValue>() ? as<TensorValue>()->expr : nullptr; }
  /// Returns a Dim that is constant, or a double, as a double, such as 64 or 0.5; null for other values.
  std::optional<double> real() const;
};

/// Returns the description of a value in messages: "a number", "f32[batch, 64]", "the module `Block`", ...
std::string describe(const Value &value);

/// The binding of a name in a scope or a module: its current value, and its declaration.
struct Binding {
  Value value;
  SourceRange range;        ///< the declaration of the name
  bool isVar = false;       ///< declared by `var` or `carry`: `=` may assign it
  bool isDimension = false; ///< a dimension that the type of a parameter binds
  bool isState = false;     ///< the parameter or a state in the step of an optimizer, which `<-` may assign
};

/// A lexical scope: the names that a block, a function or an expression binds. Lookup goes from a scope to its parents,
/// and then to the members of the module `self` and the items of the file `unit` (Names/Names.h). Scopes
/// (Names/Scopes.h) owns all scopes.
struct Scope {
  Scope *parent = nullptr; ///< null for an outermost scope
  std::map<std::string, Binding> names;
  /// The dimensions that `..` stands for in the types of this function, and the source range of the argument that has
  /// bound them; null before.
  std::optional<Shape> rest;
  SourceRange restRange;
  SourceUnit *unit = nullptr;    ///< the file that the scope is in; never null
  ModuleValue self{nullptr, {}}; ///< the module that the scope is in; a null instance outside of modules
  bool isFunction = false;       ///< true for the outermost scope of a function, which has its parameters
  bool isStep = false;           ///< true for the body of a scan, which cannot assign variables outside of it
};

/// A parsed file of the program and the files that it uses. Files (Names/Files.h) owns it.
struct SourceUnit {
  std::string name; ///< the last word of its `use`; empty for the model file
  FileId file = SourceRange::noFile;
  std::unique_ptr<ast::File> ast;
  std::map<std::string, SourceUnit *> uses;    ///< the used files, by the last word of `use`
  std::map<std::string, Value> constants;      ///< values of the constants that have been evaluated
  std::set<std::string> decoders;              ///< names of the exports by `decode` that have been checked
  std::set<const ast::ConstDecl *> evaluating; ///< constants under evaluation, to detect one that depends on itself
};

/// An instantiated module, with values for its hyperparameters. The modules of a list of equal modules have one
/// instance together. Modules (Modules/Modules.h) owns all instances.
struct Instance {
  const ast::ModuleDecl *decl;
  SourceUnit *unit;
  /// The names of the fields that lead to it, and its numbers in lists of different modules: "blocks.norm1",
  /// "mix.0.norm". Empty for the model and for optimizers.
  std::string path;
  std::string checkpoint;                 ///< path in checkpoints: "h.{0}.ln_1"
  std::vector<int64_t> counts;            ///< lengths of the lists of equal modules around it, outermost first
  std::optional<int64_t> stacked;         ///< length of the stacked list around it, which is not in `counts`
  bool isFrozen = false;                  ///< its field or one around it is `frozen`
  PartRules *rules = nullptr;             ///< of its field and those around it (Modules/PartRules.h); null without any
  std::vector<ListIndex> lists;           ///< all lists around it, also of different modules, outermost first
  SourceRange field;                      ///< the name of its field; not valid for the model
  std::map<std::string, Binding> members; ///< hyperparameters, constants and fields, by name
};

} // namespace attnc::check
