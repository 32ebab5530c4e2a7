//===- ParameterTable.h - parameters and states of the model ------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Modules/CheckpointNames.h"
#include "frontends/attn/Check/Types/DeclaredTypes.h"

namespace attnc::check {

/// Adds parameters and states to the program, with their names in checkpoints, and checks that these names are
/// distinct.
class ParameterTable {
public:
  ParameterTable(typed::Program &program, Reporter &reporter, Names &names, DeclaredTypes &types,
                 ExpressionChecker &expressions)
      : program(program), reporter(reporter), names(names), types(types), expressions(expressions) {}

  /// Adds the parameter or state that a field of a module declares, `gain: f32[dim] = ones`, to the program. Size
  /// expressions and initialiser are checked in `scope`, the scope of the module. A parameter without elements is not
  /// added, but has a value. Returns a ParameterValue; an ErrorValue after an error, such as an element type that is
  /// not f32 or a size that is not constant. A checkpoint name that is reserved or taken is reported, but the parameter
  /// is added.
  Value add(const Instance &instance, const ast::FieldDecl &field, Scope &scope);
  /// Returns the path in checkpoints of a field with the word `word` in the module `owner`: its name, or that of `as`.
  /// `lists` are all lists around it, its own included; `scope` is that of the module. A wrong index is reported at
  /// `field`.
  std::string checkpointPath(const Instance &owner, const std::string &word, SourceRange field,
                             const std::vector<ListIndex> &lists, Scope &scope);
  /// Calls `addAll`, and then removes the parameters that it has added. Their names are compared only with each other.
  void addTemporarily(const std::function<void()> &addAll);
  /// Adds a state of training (typed::Parameter::isState) of the entry point `entry`: the optimizer's state `name` for
  /// the parameter `of`, with the counts of the parameter; or a state of the training as a whole if `of` is null. It is
  /// named ENTRY.NAME.PARAMETER or ENTRY.NAME. `start` is the initial value of all elements. A name that another
  /// parameter has is reported at `range`, but the state is added. Never returns null.
  const typed::Parameter *addState(const typed::Entry &entry, const std::string &name, const typed::Parameter *of,
                                   typed::Type type, double start, SourceRange range);

private:
  /// Return the initialiser of a parameter; null, with an error, if it is invalid.
  std::optional<typed::Initialiser> initialiser(const ast::Expr &expr, Scope &scope);
  /// Reads `kind(numbers...)`; `call` has the numbers, if any.
  std::optional<typed::Initialiser> namedInitialiser(const std::string &kind, const ast::CallExpr *call, Scope &scope);
  bool fitsF32(double number, SourceRange range);
  /// Records the name in checkpoints; reports a name that another parameter has or the file format reserves.
  void reserveCheckpointName(const typed::Parameter &parameter, const ast::FieldDecl &field);

  typed::Program &program;
  Reporter &reporter;
  Names &names;
  DeclaredTypes &types;
  ExpressionChecker &expressions;
  CheckpointNames checkpointNames;
};

/// Returns the path `path` extended by the name `step`: "path.step", without the dot if either is empty.
std::string joinedPath(const std::string &path, const std::string &step);

} // namespace attnc::check
