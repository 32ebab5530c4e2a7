//===- Reporter.h - diagnostics of the checker --------------------------------------------------------------------===//
//
// A function is checked once for each inlined call, so the same error can be found several times. A diagnostic of one
// kind is therefore reported once for each source range. The functions below return the diagnostic, to which the caller
// adds labels, notes and hints. For a diagnostic that is repeated or dropped they return a placeholder, which is not
// reported and which the next placeholder overwrites.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Diagnostic.h"
#include "frontends/attn/Check/CallStack.h"

#include <tuple>

namespace attnc::check {

/// Reports the diagnostics of the check of one program to `diagnostics`.
class Reporter {
public:
  Reporter(const SourceManager &sources, DiagnosticEngine &diagnostics, const CallStack &calls)
      : sources(sources), diagnostics(diagnostics), calls(calls) {}

  /// Report an error and a warning at a source range.
  Diagnostic &error(DiagnosticKind kind, SourceRange range, std::string message);
  Diagnostic &warning(DiagnosticKind kind, SourceRange range, std::string message);
  /// Reports a type or shape error, with a note of the innermost inlined call in which it was found, if there is one.
  Diagnostic &typeError(DiagnosticKind kind, SourceRange range, std::string message);
  /// Reports two sizes that must be equal and differ, as a typeError: "WHAT: A and B", with the labels of the sizes
  /// (Dim.h) where they have any.
  Diagnostic &dimMismatch(SourceRange range, const std::string &what, const Dim &a, const Dim &b);
  /// Reports a tensor or a range that exceeds the limits of canHaveShape (Dim.h), as a typeError: "WHAT is too large:
  /// SIZE".
  Diagnostic &tooLarge(SourceRange range, const std::string &what, const std::string &size);
  /// Reports the error "WHAT is not supported yet" and returns an ErrorValue.
  Value notSupported(SourceRange range, const std::string &what);

  /// Returns the source text of a range.
  std::string text(SourceRange range) const { return std::string(sources.text(range)); }

  /// Returns the number of calls that were errors so far, including repeated ones and those dropped by `stop`, but not
  /// those dropped by setRankAssumed. A caller compares two numbers to find out whether a check had an error.
  size_t errorCount() const { return errorsFound; }
  /// True if `diagnostics` has any error, also one that the parser or another compile reported.
  bool hasReported() const { return diagnostics.hasErrors(); }

  /// Drops all further errors, because the program is too large to be checked.
  void stop() { isStopped = true; }
  /// True after `stop`; loops over statements then end.
  bool hasStopped() const { return isStopped; }

  /// While true, drops errors that may depend on the rank of arguments. The checker sets it for a function that no
  /// entry point calls and that has `..` in a type: it then assumes the rank (Entries::checkAlone).
  void setRankAssumed(bool isInvented) { isRankInvented = isInvented; }

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
