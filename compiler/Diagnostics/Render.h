//===- Render.h - rendering of diagnostics as text ------------------------------------------------------------===//
//
//   gpt.attn:31:14: error: contracted dimensions differ: `head_dim` is 64 and 80 [dim-mismatch]
//      31 |   score: dot(q[b, h, i], k[b, h, j]) / sqrt(head_dim),
//         |              ^~~~~~~~~~  ~~~~~~~~~~ f32[80]
//         |              f32[64]
//     note: `k` is made by `wk`, declared at gpt.attn:12:3
//     hint: ...
//
// The primary range starts with `^`. The text of the rightmost label of a line follows its range, other texts are below
// their ranges. All lines with ranges are shown, in order; those of another file follow its `file:line:column`. A range
// of several lines is marked on its first line. A long line is cut to the part around its first mark. A tab is shown as
// one space, an invalid byte as U+FFFD, so that columns agree.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Diagnostic.h"

namespace attnc {

/// Renders one diagnostic; the text ends in a newline.
std::string render(const Diagnostic &diagnostic, const SourceManager &sources);

/// The maximum number of diagnostics that are shown for one compile.
constexpr size_t maximumShown = 100;

/// Renders all diagnostics in the order of their positions, without duplicates, separated by empty lines.
std::string render(const DiagnosticEngine &engine);

} // namespace attnc
