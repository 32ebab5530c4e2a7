//===- Reporter.h - diagnostics of the checker --------------------------------------------------------------------===//
//
// A function is checked once for each inlined call, so a diagnostic of one kind is reported once for each source range.
// The functions below return the diagnostic, to which the caller adds labels, notes and hints. The result of a
// diagnostic that is dropped or repeated is a placeholder.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Diagnostic.h"
#include "frontends/attn/Check/CallStack.h"

#include <tuple>

namespace attnc::check {

/// Reports the diagnostics of one program.
class Reporter {
public:
  Reporter(const SourceManager &sources, DiagnosticEngine &diagnostics, const CallStack &calls)
      : sources(sources), diagnostics(diagnostics), calls(calls) {}

  Diagnostic &error(DiagnosticKind kind, SourceRange range, std::string message);
  Diagnostic &warning(DiagnosticKind kind, SourceRange range, std::string message);
  /// Reports a type or shape error, with a note of the innermost inlined call in which it was found.
  Diagnostic &typeError(DiagnosticKind kind, SourceRange range, std::string message);
  /// Reports two sizes that must be equal and differ, as a typeError: "`what`: a and b", with their labels.
  Diagnostic &dimMismatch(SourceRange range, const std::string &what, const Dim &a, const Dim &b);
  /// Reports a tensor or a range that exceeds the limits of canHaveShape (Dim.h): "`what` is too large: `size`".
  Diagnostic &tooLarge(SourceRange range, const std::string &what, const std::string &size);
  /// Reports "`what` is not supported yet" and returns an ErrorValue.
  Value notSupported(SourceRange range, const std::string &what);

  /// Returns the source text of a range.
  std::string text(SourceRange range) const { return std::string(sources.text(range)); }

  /// Returns the number of errors so far, including repeated ones, but not those dropped for an assumed rank.
  size_t errorCount() const { return errorsFound; }
  /// True if `diagnostics` has an error, of syntax too.
  bool hasReported() const { return diagnostics.hasErrors(); }

  /// Drops all further errors, because the program is too large to be checked.
  void stop() { isStopped = true; }
  bool hasStopped() const { return isStopped; }

  /// While true, drops errors that may depend on the rank of arguments, because the checker has assumed the rank.
  void setRankInvented(bool isInvented) { isRankInvented = isInvented; }

private:
  const SourceManager &sources;
  DiagnosticEngine &diagnostics;
  const CallStack &calls;
  std::set<std::tuple<DiagnosticKind, FileId, uint32_t, uint32_t>> reported;
  Diagnostic discarded;
  size_t errorsFound = 0;
  bool isStopped = false;
  bool isRankInvented = false;
};

} // namespace attnc::check
