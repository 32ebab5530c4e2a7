#include "frontends/attn/Check/Reporter.h"

#include <fmt/format.h>

namespace attnc::check {

/// True if an error of this kind is independent of the rank of arguments.
static bool holdsAtAnyRank(DiagnosticKind kind) {
  return kind == DiagnosticKind::UnknownName || kind == DiagnosticKind::NoMembers ||
         kind == DiagnosticKind::AlreadyDefined || kind == DiagnosticKind::NotAssignable;
}

Diagnostic &Reporter::error(DiagnosticKind kind, SourceRange range, std::string message) {
  if (isRankInvented && !holdsAtAnyRank(kind))
    return discarded = Diagnostic();
  ++errorsFound;
  if (isStopped || !reported.emplace(kind, range.file, range.begin, range.end).second)
    return discarded = Diagnostic();
  return diagnostics.error(kind, range, std::move(message));
}

Diagnostic &Reporter::warning(DiagnosticKind kind, SourceRange range, std::string message) {
  if (!reported.emplace(kind, range.file, range.begin, range.end).second)
    return discarded = Diagnostic();
  return diagnostics.warning(kind, range, std::move(message));
}

Diagnostic &Reporter::typeError(DiagnosticKind kind, SourceRange range, std::string message) {
  Diagnostic &report = error(kind, range, std::move(message));
  if (const SourceRange *call = calls.call())
    report.note("in the call", *call);
  return report;
}

Diagnostic &Reporter::dimMismatch(SourceRange range, const std::string &what, const Dim &a, const Dim &b) {
  std::string values = fmt::format("{} and {}", a.text(), b.text());
  const std::string &label = a.getLabel(), &other = b.getLabel();
  if (!label.empty() && label != a.text() && (label == other || other.empty() || other == b.text()))
    values = fmt::format("`{}` is {} and {}", label, a.text(), b.text());
  else if (!label.empty() && !other.empty() && (label != a.text() || other != b.text()))
    values = fmt::format("`{}` is {} and `{}` is {}", label, a.text(), other, b.text());
  return typeError(DiagnosticKind::DimMismatch, range, fmt::format("{}: {}", what, values));
}

Diagnostic &Reporter::tooLarge(SourceRange range, const std::string &what, const std::string &size) {
  return typeError(DiagnosticKind::BadSize, range, fmt::format("{} is too large: {}", what, size))
      .hint("a dimension has at most 2147483647 elements, and a tensor at most 2^56");
}

Value Reporter::notSupported(SourceRange range, const std::string &what) {
  error(DiagnosticKind::NotSupported, range, fmt::format("{} is not supported yet", what));
  return Value();
}

} // namespace attnc::check
