//===- Builtins.h - rules of builtin functions --------------------------------------------------------------------===//
//
// A builtin is a function of the language that the checker implements, such as `sum`. A rule checks the arguments of a
// call of one or several builtins. It returns the value of the call: a typed expression; a number for rank, size and
// len, and for elementwise functions except `select`, if all arguments are compile-time numbers; a tuple for split; a
// boolean for tagged; or an ErrorValue after it has reported an error. The rows of the table (name, signature, number
// of arguments, rule) are in Builtins.cpp; Builtin.h declares their type. Functions that the language can express are
// in the prelude instead.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Arguments.h"
#include "frontends/attn/Check/Builtin.h"
#include "frontends/attn/Check/Draws.h"
#include "frontends/attn/Check/Gradients.h"
#include "frontends/attn/Check/Indices/Bodies.h"

namespace attnc::check {

/// The collaborators of the checker that the rules of builtins use.
struct BuiltinServices {
  Reporter &reporter;
  Builder &build;
  LetBuilder &lets;
  DimensionBounds &bounds;
  const RangeProofs &ranges;
  const Origins &origins;
  Conversions &conversions;
  IndexScopes &indexScopes;
  Bodies &bodies;
  Gradients &gradients;
  Draws &draws;
  const EntryContext &context;
  CallChecker &calls;
};

/// A call of a builtin, the argument of a rule. The number of arguments is that of the table, and none is an
/// ErrorValue.
struct BuiltinCall : BuiltinServices {
  const Builtin &builtin;
  SourceRange range;                      ///< the call in the source
  std::vector<CheckedArgument> arguments; ///< the arguments without labels
  std::optional<CheckedArgument> axis;    ///< the argument `axis: -1`; null without it

  /// Return argument number i, from 0: as it is, and as an operand of Conversions.
  const CheckedArgument &operator[](size_t i) const { return arguments[i]; }
  Operand operand(size_t i) const { return {arguments[i].value, arguments[i].range}; }
  /// Converts argument number i to a tensor (Conversions::asTensor); reports other values and returns null.
  typed::ExprRef tensor(size_t i) const { return conversions.asTensor(arguments[i].value, arguments[i].range); }
  /// Converts argument number i to a tensor of f32 (Conversions::asReal); reports other values and returns null.
  typed::ExprRef real(size_t i) const { return conversions.asReal(arguments[i].value, arguments[i].range, what()); }
  /// Returns the builtin's name in messages, with backquotes.
  std::string what() const;
};

/// Checks a call of a builtin, at `range`, whose arguments are no ErrorValues. Separates `axis:` from the other
/// arguments, checks the number of arguments, calls the rule, and returns its value. An ErrorValue, with an error, if a
/// check fails.
Value callBuiltin(const BuiltinServices &services, const Builtin &builtin, SourceRange range,
                  std::vector<CheckedArgument> arguments);

// BuiltinMath.cpp: elementwise functions. builtinMath is the rule of the functions in MathFunctions.def, such as exp.
Value builtinMath(const BuiltinCall &call);
Value builtinAbs(const BuiltinCall &call);
Value builtinSquare(const BuiltinCall &call);
Value builtinSigmoid(const BuiltinCall &call);
/// Not a rule: returns the expression 1 / (1 + e^-x) of an f32 tensor x. It is computed from e^-|x|, so that neither
/// the value nor its gradient overflows:
///
///   e = exp(x >= 0 ? -x : x)     (x >= 0 ? 1 : e) / (1 + e)
typed::ExprRef sigmoidOf(Builder &build, typed::ExprRef x, SourceRange range);
Value builtinRelu(const BuiltinCall &call);
Value builtinPow(const BuiltinCall &call);
Value builtinSelect(const BuiltinCall &call);
Value builtinStop(const BuiltinCall &call);
Value builtinGradient(const BuiltinCall &call);
Value builtinCastReal(const BuiltinCall &call);
Value builtinCastInteger(const BuiltinCall &call);

// BuiltinReductions.cpp: reductions along axes. builtinReduce is the rule of sum, prod, mean, any, all, argmax and
// argmin.
Value builtinReduce(const BuiltinCall &call);
/// The rule of max and min: elementwise for two values, a reduction for one value.
Value builtinExtremum(const BuiltinCall &call);
Value builtinDot(const BuiltinCall &call);
Value builtinNorm(const BuiltinCall &call);

// BuiltinShapes.cpp: creation, rearrangement and properties of tensors; random draws.
Value builtinIota(const BuiltinCall &call);
Value builtinZeros(const BuiltinCall &call);
Value builtinOnes(const BuiltinCall &call);
Value builtinLike(const BuiltinCall &call);
Value builtinFull(const BuiltinCall &call);
Value builtinRandom(const BuiltinCall &call);
Value builtinReshape(const BuiltinCall &call);
Value builtinTranspose(const BuiltinCall &call);
Value builtinPermute(const BuiltinCall &call);
Value builtinConcat(const BuiltinCall &call);
Value builtinSplit(const BuiltinCall &call);
Value builtinRank(const BuiltinCall &call);
Value builtinSize(const BuiltinCall &call);
Value builtinLen(const BuiltinCall &call);
Value builtinTagged(const BuiltinCall &call);

/// Returns the number of the dimension, from 0, that the value `axis`, at `range`, means in a tensor of rank `rank`:
/// negative numbers count from the end, and -1 is the last dimension. Null, with an error, for an axis that is no
/// compile-time integer, or that is out of range.
std::optional<unsigned> axisOf(const BuiltinCall &call, const Value &axis, SourceRange range, size_t rank);

} // namespace attnc::check
