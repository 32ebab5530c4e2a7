//===- Reporter.h - diagnostics of the checker --------------------------------------------------------------------===//
//
// A function is checked once for each inlined call, so a diagnostic of one kind is reported once for each source range.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Diagnostic.h"
#include "frontends/attn/Check/CallStack.h"

#include <tuple>

namespace attnc::check {

class Reporter {
public:
  Reporter(const SourceManager &sources, DiagnosticEngine &diagnostics, const CallStack &calls)
      : sources(sources), diagnostics(diagnostics), calls(calls) {}

  Diagnostic &error(DiagnosticKind kind, SourceRange range, std::string message);
  Diagnostic &warning(DiagnosticKind kind, SourceRange range, std::string message);
  /// Reports a type or shape error, with a note of the call in which it was found.
  Diagnostic &typeError(DiagnosticKind kind, SourceRange range, std::string message);
  /// Reports two sizes that must be equal and differ.
  Diagnostic &dimMismatch(SourceRange range, const std::string &what, const Dim &a, const Dim &b);
  /// Reports a tensor or a range that does not fit into memory.
  Diagnostic &tooLarge(SourceRange range, const std::string &what, const std::string &size);
  Value notSupported(SourceRange range, const std::string &what);

  std::string text(SourceRange range) const { return std::string(sources.text(range)); }

  /// The number of errors so far, including repeated ones.
  size_t errorCount() const { return errorsFound; }
  bool hasReported() const { return diagnostics.hasErrors(); }

  /// Drops all further errors, because the program is too large to be checked.
  void stop() { isStopped = true; }
  bool hasStopped() const { return isStopped; }

  /// While true, drops errors that depend on the rank of arguments, because the checker has assumed the rank.
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
