#include "compiler/Diagnostics/Diagnostic.h"

namespace attnc {

static constexpr DiagnosticKindInfo kinds[] = {
#define ATTNC_DIAGNOSTIC(NAME, ID, SUMMARY) {DiagnosticKind::NAME, ID, SUMMARY},
#include "compiler/Diagnostics/Kinds.def"
};

std::span<const DiagnosticKindInfo> diagnosticKinds() { return kinds; }

std::string_view idOf(DiagnosticKind kind) { return kinds[static_cast<size_t>(kind)].id; }

Diagnostic &Diagnostic::label(std::string text) {
  primary.text = std::move(text);
  return *this;
}

Diagnostic &Diagnostic::label(SourceRange range, std::string text) {
  secondary.push_back({range, std::move(text)});
  return *this;
}

Diagnostic &Diagnostic::note(std::string message, SourceRange range) {
  notes.push_back({std::move(message), range});
  return *this;
}

Diagnostic &Diagnostic::hint(std::string text) {
  hintText = std::move(text);
  return *this;
}

Diagnostic &DiagnosticEngine::error(DiagnosticKind kind, SourceRange range, std::string message) {
  ++errors;
  return add(Severity::Error, kind, range, std::move(message));
}

Diagnostic &DiagnosticEngine::warning(DiagnosticKind kind, SourceRange range, std::string message) {
  return add(Severity::Warning, kind, range, std::move(message));
}

void DiagnosticEngine::take(DiagnosticEngine &&other) {
  errors += other.errors;
  reported += other.reported;
  for (Diagnostic &each : other.list)
    if (list.size() < maximumKept)
      list.push_back(std::move(each));
}

Diagnostic &DiagnosticEngine::add(Severity severity, DiagnosticKind kind, SourceRange range, std::string message) {
  bool isKept = ++reported <= maximumKept;
  Diagnostic &diagnostic = isKept ? list.emplace_back() : notKept = {};
  diagnostic.kind = kind;
  diagnostic.severity = severity;
  diagnostic.message = std::move(message);
  diagnostic.primary.range = range;
  return diagnostic;
}

} // namespace attnc
