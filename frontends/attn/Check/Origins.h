//===- Origins.h - where a value of a wrong shape comes from ------------------------------------------------------===//
//
// An error about a dimension is found where the value is used; what has to change is often where it was made:
//
//   note: `k` is made by `wk`, declared at gpt.attn:12:3
//
// The origin of a dimension of a value is followed through operators, index notation and variables to the module that
// was called, the parameter or the argument that the dimension comes from.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Diagnostic.h"
#include "frontends/attn/Check/Typed.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace attnc::check {

class Origins {
public:
  explicit Origins(const SourceManager &sources) : sources(sources) {}

  struct Origin {
    std::string name;     ///< of the parameter or argument; empty where a call made it
    std::string maker;    ///< the field or function that was called
    SourceRange declared; ///< the field, parameter or argument
  };

  /// A call: of a module, whose hyperparameters say what shapes it makes, or of a function, which mostly keeps those of
  /// its arguments.
  struct Call {
    std::string maker;
    SourceRange declared;
    bool isOfModule;
  };
  void addCall(typed::ExprRef result, Call call);
  /// `reference` is a variable with a value.
  void addVariable(typed::ExprRef reference, typed::ExprRef value);
  /// `local` is an argument of an entry point.
  void addArgument(const typed::Local *local) { arguments.insert(local); }

  /// Where the dimension `dim` of `expr` comes from; nothing where that is not one place.
  std::optional<Origin> find(typed::ExprRef expr, const Dim &dim) const;

  /// Adds a note of where the dimension of an operand comes from, unless that is on the line of the error. `written` is
  /// the operand in the source.
  void note(Diagnostic &report, typed::ExprRef operand, SourceRange written, const Dim &dim) const;

private:
  using Seen = std::unordered_set<typed::ExprRef>;
  std::optional<Origin> follow(typed::ExprRef expr, const Dim &dim, Seen &seen) const;
  std::optional<Origin> followOperands(const typed::Expr &expr, const Dim &dim, Seen &seen) const;

  const SourceManager &sources;
  std::unordered_map<typed::ExprRef, Call> calls;
  std::unordered_map<const typed::Local *, typed::ExprRef> variables;
  std::unordered_set<const typed::Local *> arguments;
};

} // namespace attnc::check
