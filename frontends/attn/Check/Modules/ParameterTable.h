//===- ParameterTable.h - parameters and states of the model ------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Types/DeclaredTypes.h"

namespace attnc::check {

class ParameterTable {
public:
  ParameterTable(typed::Program &program, Reporter &reporter, Names &names, DeclaredTypes &types,
                 ExpressionChecker &expressions)
      : program(program), reporter(reporter), names(names), types(types), expressions(expressions) {}

  /// Adds the parameter or state that a field of a module declares.
  Value add(const Instance &instance, const ast::FieldDecl &field, Scope &scope);
  /// Adds a state of training: the optimizer's state for the parameter `of`, or a state of the training if `of` is
  /// null.
  const typed::Parameter *addState(const typed::Entry &entry, const std::string &name, const typed::Parameter *of,
                                   typed::Type type, double start, SourceRange range);

private:
  std::optional<typed::Initialiser> initialiser(const ast::Expr &expr, Scope &scope);
  /// Reads `kind(numbers...)`; `call` has the numbers, if any.
  std::optional<typed::Initialiser> namedInitialiser(const std::string &kind, const ast::CallExpr *call, Scope &scope);
  bool fitsF32(double number, SourceRange range);
  void reserveCheckpointName(const typed::Parameter &parameter, const ast::FieldDecl &field);

  typed::Program &program;
  Reporter &reporter;
  Names &names;
  DeclaredTypes &types;
  ExpressionChecker &expressions;
  std::map<std::string, SourceRange> checkpointNames;
};

/// Returns `path.step`, without the dot if either is empty.
std::string joinedPath(const std::string &path, const std::string &step);

} // namespace attnc::check
