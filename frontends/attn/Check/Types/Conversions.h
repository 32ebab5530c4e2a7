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

class Conversions {
public:
  Conversions(Reporter &reporter, Builder &build, const Origins &origins)
      : reporter(reporter), build(build), origins(origins) {}

  /// Converts a value to a tensor; numbers become constants of `wanted`, or of their own element type. Reports other
  /// values.
  typed::ExprRef asTensor(const Value &value, SourceRange range, std::optional<typed::Element> wanted = std::nullopt);
  /// Like asTensor, in f32.
  typed::ExprRef asReal(const Value &value, SourceRange range, const std::string &what);
  typed::ExprRef asCondition(const Value &value, SourceRange range, const std::string &what);

  /// Converts values to tensors of one element type. Empty, with an error, if there is no common type.
  std::vector<typed::ExprRef> agree(const std::vector<Operand> &operands, SourceRange range, const std::string &what,
                                    bool ofTensors = false);
  /// Reports operands whose shapes cannot be broadcast; `written` are the operands in the source.
  bool checkBroadcast(const std::vector<typed::ExprRef> &operands, const std::vector<Operand> &written,
                      SourceRange range, const std::string &what);
  /// Creates an elementwise operator: converts and broadcasts the operands. Errors are shown at `sign` if it is given.
  Value elementwise(typed::Op op, const std::vector<Operand> &operands, SourceRange range, const std::string &what,
                    SourceRange sign = {});

private:
  Reporter &reporter;
  Builder &build;
  const Origins &origins;
};

} // namespace attnc::check
