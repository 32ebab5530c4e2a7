//===- Checker.h - the checker of one program ---------------------------------------------------------------------===//
//
// The checker turns an AST into the typed AST (Typed.h) by abstract interpretation: it evaluates the program on shapes
// (Value.h). It checks entry points first. Calls are inlined, and a module is instantiated at the field that names it.
//
// The class owns the state of the run, and one collaborator object for each construct of the language. Each
// collaborator receives the collaborators that it uses as constructor arguments. Expressions nest in each other, so
// collaborators check operands through ExpressionChecker, which the checker implements.
//
// The files of this folder (Check) create typed nodes, report errors and prove ranges. Each folder in it uses only this
// folder and the folders before it in the order Names, Types, Indices, Builtins, Functions, Attend, Modules, Entries.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Attend/Attends.h"
#include "frontends/attn/Check/Check.h"
#include "frontends/attn/Check/Entries/Exports.h"
#include "frontends/attn/Check/Functions/Scans.h"
#include "frontends/attn/Check/Functions/Statements.h"
#include "frontends/attn/Check/Indices/IndexNotation.h"
#include "frontends/attn/Check/Indices/Subscripts.h"
#include "frontends/attn/Check/Types/Operators.h"

namespace attnc::check {

/// Checks one program; an object is used once. The arguments of the constructor must outlive it.
class Checker final : public ExpressionChecker {
public:
  Checker(SourceManager &sources, DiagnosticEngine &diagnostics, const CheckOptions &options, StackedLists &stacked);

  /// Parses and checks a file and the files that it uses; null if `diagnostics` has an error. If the check adds to the
  /// stacked lists, its result and its diagnostics are not valid.
  std::unique_ptr<typed::Program> run(FileId file);

  /// Dispatches to the collaborator for the kind of expression, and limits the size and the nesting of the program.
  /// Beyond the limits it reports an error, after which the reporter drops all errors, and returns ErrorValues. A
  /// tensor beyond canHaveShape (Dim.h) is an error of its expression alone.
  Value check(const ast::Expr &expr, Scope &scope) override;
  Value elementOf(typed::ExprRef stack, typed::ExprRef index) override { return subscripts.elementOf(stack, index); }

private:
  Value checkKind(const ast::Expr &expr, Scope &scope);
  Value tuple(const std::vector<ast::ExprPtr> &parts, Scope &scope);
  /// The length of a list; null after an error.
  std::optional<int64_t> listLength(const ast::Expr &expr, Scope &scope);
  Value repeatedList(const ast::ListRepeatExpr &expr, Scope &scope);
  Value listComprehension(const ast::ListComprehensionExpr &expr, Scope &scope);

  /// Returns the first `model` of the file; null for a file without one, such as a file of functions. Reports a second
  /// model, and settings of hyperparameters if there is no model.
  const ast::ModuleDecl *chooseModel(SourceUnit &unit);
  /// Checks the exports; in a file without exports, every function that can be an entry point.
  void checkEntries(SourceUnit &unit, Instance *model);
  /// Checks functions of this file that no entry point calls, for errors alone.
  void checkUncalled(SourceUnit &unit);

  const CheckOptions &options;
  std::unique_ptr<typed::Program> program = std::make_unique<typed::Program>();

  // State of the run.
  CallStack stack;
  EntryContext context;
  LoopNest loopsAround;
  Guards guards;
  Origins origins;
  unsigned nesting = 0; ///< depth of expressions, across calls

  // Collaborators, in the order of their dependences.
  Reporter reporter;
  Builder build;
  PendingAttends pendings;
  LetBuilder lets;
  DimensionBounds bounds;
  RangeProofs ranges;
  Elements elements;
  Files files;
  Scopes scopes;
  StateValues states;
  Names names;
  Conversions conversions;
  DeclaredTypes types;
  Gradients gradients;
  Draws draws;
  IndexScopes indexScopes;
  Bodies bodies;
  StateUpdates updates;
  Statements statements;
  FunctionBodies functionBodies;
  BuiltinServices services;
  DecoderCalls decoderCalls;
  Calls calls;
  IndexNotation indexNotation;
  Subscripts subscripts;
  Operators operators;
  Attends attends;
  Scans scans;
  ParameterTable parameters;
  Modules modules;
  Entries entries;
  Optimizers optimizers;
  Minimizer minimizer;
  Decoders decoders;
  Exports exports;
};

} // namespace attnc::check
