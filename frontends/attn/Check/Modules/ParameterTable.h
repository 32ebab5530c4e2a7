//===- ParameterTable.h - parameters and training states of the model ---------------------------------------------===//
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
  /// Adds a state of training: that of an optimizer for the parameter `of`, or of the whole training where it is null.
  const typed::Parameter *addState(const typed::Entry &entry, const std::string &name, const typed::Parameter *of,
                                   typed::Type type, double start, SourceRange range);

private:
  std::optional<typed::Initialiser> initialiser(const ast::Expr &expr, Scope &scope);
  /// `kind(numbers...)`; the numbers are those of the call, if there is one.
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

/// The path `path.step`, where neither may be empty.
std::string joinedPath(const std::string &path, const std::string &step);

} // namespace attnc::check
