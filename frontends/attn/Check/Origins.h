//===- Origins.h - origins of dimensions, for notes in shape errors -----------------------------------------------===//
//
// The checker finds a shape error where a value is used, but the error often has to be corrected where the value is
// computed. A note of the error names that place:
//
//   note: `k` is made by `wk`, declared at gpt.attn:12:3
//
// The analysis follows a dimension of a value backwards through operators, index notation and variables, to the called
// module, the parameter or the argument that the dimension comes from: its origin.
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

/// Origins of the dimensions of the expressions of a program. The checker records calls, variables and arguments as it
/// checks them; queries use the records made so far.
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
    std::string maker;    ///< the called field or function, as in the source
    SourceRange declared; ///< its declaration
    /// A call of a module is the origin of all dimensions of its result. A call of a function is the origin of a
    /// dimension only if the search in the operands of the result finds none.
    bool isOfModule;
  };
  /// Records that a call has computed `result`.
  void addCall(typed::ExprRef result, Call call);
  /// Records that the variable `reference`, a LocalRef, has the value `value`; ignores other references.
  void addVariable(typed::ExprRef reference, typed::ExprRef value);
  /// Records an argument of an entry point.
  void addArgument(const typed::Local *local) { arguments.insert(local); }

  /// Returns the origin of a dimension of `expr` whose size is `dim`; null if it is unknown.
  std::optional<Origin> find(typed::ExprRef expr, const Dim &dim) const;

  /// Adds a note to `report` with the origin of the dimension of size `dim` of an operand. Adds none if the origin is
  /// unknown, is on the line of the error, or is in a note of the report already, or if the report is a placeholder
  /// (Reporter.h). `written` is the range of the operand in the source.
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
