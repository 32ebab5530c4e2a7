//===- Conversions.h - values as tensors: element types and broadcasting ------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Builder.h"
#include "frontends/attn/Check/Origins.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// An operand of an operator: a value with its source range.
struct Operand {
  Value value;
  SourceRange range;
};

/// Converts values of the checker to tensor expressions, and checks operands of elementwise operators. `range` is the
/// place of errors, and `what` names the operator or the value in messages: "`+`", "the score". A compile-time number
/// has no element type of its own: it adapts to the other operands.
class Conversions {
public:
  Conversions(Reporter &reporter, Builder &build, const Origins &origins)
      : reporter(reporter), build(build), origins(origins) {}

  /// Returns a tensor unchanged, of any element type. An integer or size becomes a scalar of `wanted` if that is F32 or
  /// I32, otherwise of Index; a double becomes a scalar of F32, a boolean one of Bool. Returns null, with an error, for
  /// other values and for numbers that do not fit into the type; and null, without another error, for an ErrorValue.
  typed::ExprRef asTensor(const Value &value, SourceRange range, std::optional<typed::Element> wanted = std::nullopt);
  /// Like asTensor, but the result is F32, or null: scalars of element type Index are converted; I32 and Bool are
  /// reported.
  typed::ExprRef asReal(const Value &value, SourceRange range, const std::string &what);
  /// Like asTensor, but the result is Bool, or null: other element types are reported.
  typed::ExprRef asCondition(const Value &value, SourceRange range, const std::string &what);

  /// Like asTensor, for the argument of a parameter `name`, declared at `declared` with the element type `wanted`. The
  /// result has this element type, or is null: scalars of element type Index are converted to F32 and I32; other
  /// element types are reported.
  typed::ExprRef asArgument(const Value &value, SourceRange range, typed::Element wanted, const std::string &name,
                            SourceRange declared);

  /// Converts values to tensors of one element type, in their order. Constant integers adapt to F32, I32 and Index.
  /// Dynamic sizes and scalars of element type Index adapt to F32 and to tensors of I32, a scalar of I32 adapts to
  /// Index, and I32 does not adapt to F32. Constant integers alone become I32, dynamic sizes Index. Booleans and Bool
  /// agree only with each other. Empty, with an error, if there is no common type, if a value is no tensor, number or
  /// boolean, or if a number does not fit into the type; and empty, without another error, if one is an ErrorValue. If
  /// `ofTensors`, or if an operand has dimensions, the result is never of Index, which only scalars have.
  std::vector<typed::ExprRef> agree(const std::vector<Operand> &operands, SourceRange range, const std::string &what,
                                    bool ofTensors = false);
  /// Returns true if the shapes of the operands can be broadcast (Builder.h); otherwise reports the sizes that differ
  /// and returns false. `written` are the same operands in the source.
  bool checkBroadcast(const std::vector<typed::ExprRef> &operands, const std::vector<Operand> &written,
                      SourceRange range, const std::string &what);
  /// Returns the elementwise operator `op` on the operands, converted by `agree` and checked by checkBroadcast; an
  /// ErrorValue, with an error, if they have no common element type or shape, or if agree() reports one; and an
  /// ErrorValue, without another error, if one is an ErrorValue. `range` is the whole expression. An error about one
  /// operand is at this operand; an error about element types or shapes is at `sign`, the operator in the source, if
  /// that is given, otherwise at `range`.
  Value elementwise(typed::Op op, const std::vector<Operand> &operands, SourceRange range, const std::string &what,
                    SourceRange sign = {});

private:
  Reporter &reporter;
  Builder &build;
  const Origins &origins;
};

} // namespace attnc::check
