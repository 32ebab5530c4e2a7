//===- Diagnostic.h - diagnostics of model files with labels, notes and hints -------------------------------------===//
//
// A diagnostic is an error or a warning about a model file. It has a message of one sentence, which states the found
// and the expected, labels on source ranges, notes, and optionally a hint:
//
//   diagnostics.error(DiagnosticKind::DimMismatch, q, "contracted dimensions differ: `head_dim` is 64 and 80")
//       .label("f32[64]")
//       .label(k, "f32[80]")
//       .note("`k` is made by `wk`, declared", wk)
//       .hint("...");
//
// Messages are lower case without a full stop; words of the source are in backquotes. render() prints them (Render.h).
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Source.h"

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnc {

/// The kinds of Kinds.def.
enum class DiagnosticKind {
#define ATTNC_DIAGNOSTIC(NAME, ID, SUMMARY) NAME,
#include "compiler/Diagnostics/Kinds.def"
};

/// A row of Kinds.def.
struct DiagnosticKindInfo {
  DiagnosticKind kind;
  std::string_view id;      ///< in messages, such as "dim-mismatch"
  std::string_view summary; ///< a sentence for documentation
};

/// All kinds, in the order of Kinds.def.
std::span<const DiagnosticKindInfo> diagnosticKinds();
/// The `id` of a kind.
std::string_view idOf(DiagnosticKind kind);

enum class Severity { Error, Warning };

/// A marked source range, with a text that may be empty.
struct Label {
  SourceRange range;
  std::string text;
};

/// An additional sentence; if `range` is valid, "at file:line:column" is appended.
struct Note {
  std::string message;
  SourceRange range;
};

/// A diagnostic. error() and warning() of DiagnosticEngine set the range of the primary label. The functions return
/// this diagnostic, so calls can be chained.
struct Diagnostic {
  DiagnosticKind kind = DiagnosticKind::Syntax;
  Severity severity = Severity::Error;
  std::string message;
  Label primary;
  std::vector<Label> secondary;
  std::vector<Note> notes;
  std::string hintText;

  Diagnostic &label(std::string text);                           ///< sets the text of the primary label
  Diagnostic &label(SourceRange range, std::string text);        ///< appends a secondary label
  Diagnostic &note(std::string message, SourceRange range = {}); ///< appends a note
  Diagnostic &hint(std::string text);                            ///< sets the hint
};

/// Collects the diagnostics of a compile. Because a file may consist of errors alone, the engine stores the first
/// `maximumKept` diagnostics and only counts later ones.
class DiagnosticEngine {
public:
  static constexpr size_t maximumKept = 1000;

  /// `sources` must outlive the engine.
  explicit DiagnosticEngine(const SourceManager &sources) : sourceManager(sources) {}

  /// Reports a diagnostic at `range`, which may be invalid. The reference to a stored diagnostic is valid during the
  /// lifetime of the engine. A diagnostic that is not stored exists until the next one is reported.
  Diagnostic &error(DiagnosticKind kind, SourceRange range, std::string message);
  Diagnostic &warning(DiagnosticKind kind, SourceRange range, std::string message);

  /// Adds the diagnostics of an engine for the same sources.
  void take(DiagnosticEngine &&other);

  bool hasErrors() const { return errors > 0; }
  size_t errorCount() const { return errors; }
  size_t count() const { return reported; } ///< number of errors and warnings, stored or not
  /// The stored diagnostics in the order of their reports.
  const std::deque<Diagnostic> &diagnostics() const { return list; }
  const SourceManager &sources() const { return sourceManager; }

private:
  Diagnostic &add(Severity severity, DiagnosticKind kind, SourceRange range, std::string message);

  const SourceManager &sourceManager;
  std::deque<Diagnostic> list;
  Diagnostic notKept;
  size_t errors = 0;
  size_t reported = 0;
};

} // namespace attnc
