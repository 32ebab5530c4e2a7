//===- Conversions.h - values as tensors: element types and broadcasting ------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Builder.h"
#include "frontends/attn/Check/Origins.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// A value and the place where it is written.
struct Operand {
  Value value;
  SourceRange range;
};

class Conversions {
public:
  Conversions(Reporter &reporter, Builder &build, const Origins &origins)
      : reporter(reporter), build(build), origins(origins) {}

  /// A value as a tensor; numbers become constants of `wanted`, or of their own element type. Reports other values.
  typed::ExprRef asTensor(const Value &value, SourceRange range, std::optional<typed::Element> wanted = std::nullopt);
  /// As asTensor, in f32.
  typed::ExprRef asReal(const Value &value, SourceRange range, const std::string &what);
  typed::ExprRef asCondition(const Value &value, SourceRange range, const std::string &what);

  /// Values as tensors of one element type, by the rules of conversion. Empty where there is none.
  std::vector<typed::ExprRef> agree(const std::vector<Operand> &operands, SourceRange range, const std::string &what,
                                    bool ofTensors = false);
  /// Reports operands whose shapes cannot be broadcast; `written` are the operands as they stand in the source.
  bool checkBroadcast(const std::vector<typed::ExprRef> &operands, const std::vector<Operand> &written,
                      SourceRange range, const std::string &what);
  /// An operator on every element: converts and broadcasts the operands. Errors are shown at `sign` where it is given.
  Value elementwise(typed::Op op, const std::vector<Operand> &operands, SourceRange range, const std::string &what,
                    SourceRange sign = {});

private:
  Reporter &reporter;
  Builder &build;
  const Origins &origins;
};

} // namespace attnc::check
