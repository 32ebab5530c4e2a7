//===- Render.h - rendering of diagnostics as text ----------------------------------------------------------------===//
//
//   gpt.attn:31:14: error: contracted dimensions differ: `head_dim` is 64 and 80 [dim-mismatch]
//      31 |   score: dot(q[b, h, i], k[b, h, j]) / sqrt(head_dim),
//         |              ^~~~~~~~~~  ~~~~~~~~~~ f32[80]
//         |              f32[64]
//     note: `k` is made by `wk`, declared at gpt.attn:12:3
//     hint: ...
//
// The range of the primary label is marked by `^~~~`, other ranges by `~~~~`. The text of the rightmost label of a line
// follows its range, if no other range ends after it; other texts are below their ranges. Each source line with a label
// that has a valid range is shown, in the order of lines, those of the primary label's file first. A line "at
// file:line:column" precedes the lines of another file. A range of several lines is marked on its first line. A line of
// more than 160 bytes is cut to the part around its first mark. A tab is shown as one space, and another ASCII control
// character or an invalid byte as U+FFFD, so that columns agree.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Diagnostic.h"

namespace attnc {

/// Renders one diagnostic as above; the text ends in a newline. `sources` must be those of its ranges. Without a valid
/// primary range, the text begins with the severity.
std::string render(const Diagnostic &diagnostic, const SourceManager &sources);

/// The largest number of diagnostics that are shown for one compile.
constexpr size_t maximumShown = 100;

/// Renders the stored diagnostics of an engine in the order of their positions, those without a valid range last,
/// separated by empty lines; an empty text if there are none. Neighbours with the same text are shown once. If more
/// than `maximumShown` differ, a last line "... and 12 more" counts all others, those that are equal or not stored
/// included.
std::string render(const DiagnosticEngine &engine);

} // namespace attnc
