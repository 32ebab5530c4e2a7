//===- Conversions.h - values as tensors: element types and broadcasting ------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Builder.h"
#include "frontends/attn/Check/Origins.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// A value with its source range.
struct Operand {
  Value value;
  SourceRange range;
};

/// Converts values to tensor expressions, and checks operands of elementwise operators. `what` is the operator in
/// messages.
class Conversions {
public:
  Conversions(Reporter &reporter, Builder &build, const Origins &origins)
      : reporter(reporter), build(build), origins(origins) {}

  /// Returns a tensor unchanged, of any element type. An integer or size becomes a scalar of `wanted` if that is F32 or
  /// I32, otherwise of Index; a double becomes F32, a boolean Bool. Null for other values, with an error, and for an
  /// ErrorValue.
  typed::ExprRef asTensor(const Value &value, SourceRange range, std::optional<typed::Element> wanted = std::nullopt);
  /// Like asTensor, but the result is F32, or null: scalars of element type Index are converted, I32 and Bool reported.
  typed::ExprRef asReal(const Value &value, SourceRange range, const std::string &what);
  /// Like asTensor, but the result is Bool, or null: other element types are reported.
  typed::ExprRef asCondition(const Value &value, SourceRange range, const std::string &what);

  /// Like asTensor, but the result has the element type `wanted` of the parameter `name`, declared at `declared`, or is
  /// null: scalars of element type Index are converted to F32 and I32, other element types reported.
  typed::ExprRef asArgument(const Value &value, SourceRange range, typed::Element wanted, const std::string &name,
                            SourceRange declared);

  /// Converts values to tensors of one element type: compile-time integers and Index scalars adapt to F32 and I32, an
  /// I32 tensor does not adapt to F32. Empty, with an error, if there is no common type, or if a value is no tensor. If
  /// `ofTensors`, the result is never of Index, which only scalars have.
  std::vector<typed::ExprRef> agree(const std::vector<Operand> &operands, SourceRange range, const std::string &what,
                                    bool ofTensors = false);
  /// Returns whether the shapes of the operands can be broadcast; reports the sizes that differ. `written` are the
  /// operands in the source.
  bool checkBroadcast(const std::vector<typed::ExprRef> &operands, const std::vector<Operand> &written,
                      SourceRange range, const std::string &what);
  /// Returns an elementwise operator on operands that `agree` and broadcast; an ErrorValue, with an error, if they do
  /// not. The error is at `sign` if that is given, otherwise at `range`.
  Value elementwise(typed::Op op, const std::vector<Operand> &operands, SourceRange range, const std::string &what,
                    SourceRange sign = {});

private:
  Reporter &reporter;
  Builder &build;
  const Origins &origins;
};

} // namespace attnc::check
