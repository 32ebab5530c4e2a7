//===- Origins.h - origins of dimensions, for notes in shape errors -----------------------------------------------===//
//
// A shape error is found where a value is used, but often has to be corrected where the value is computed:
//
//   note: `k` is made by `wk`, declared at gpt.attn:12:3
//
// The analysis follows a dimension of a value through operators, index notation and variables to the called module, the
// parameter or the argument that the dimension comes from.
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

/// Origins of the dimensions of all expressions of a program, from the calls, variables and arguments recorded so far.
class Origins {
public:
  explicit Origins(const SourceManager &sources) : sources(sources) {}

  /// The parameter, argument or call that a dimension comes from.
  struct Origin {
    std::string name;     ///< of the parameter or argument; empty for a call
    std::string maker;    ///< the called field or function, as in the source; empty unless it is a call
    SourceRange declared; ///< the declaration of the parameter, argument, field or function
  };

  /// A call of a module, whose hyperparameters determine shapes, or of a function, whose results mostly have dimensions
  /// of its arguments.
  struct Call {
    std::string maker;
    SourceRange declared;
    bool isOfModule; ///< the call is the origin; a call of a function only if the operands of the result have none
  };
  /// Records that a call has computed `result`.
  void addCall(typed::ExprRef result, Call call);
  /// Records the value of the variable `reference`; ignores a reference that is no LocalRef.
  void addVariable(typed::ExprRef reference, typed::ExprRef value);
  /// Records an argument of an entry point.
  void addArgument(const typed::Local *local) { arguments.insert(local); }

  /// Returns the origin of the first dimension of `expr` that is equal to `dim`; null if it is unknown.
  std::optional<Origin> find(typed::ExprRef expr, const Dim &dim) const;

  /// Adds a note with the origin of an operand's dimension to `report`, unless the origin is unknown or on the line of
  /// the error. `written` is the operand in the source.
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
