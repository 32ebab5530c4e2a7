//===- Render.h - diagnostics as text -------------------------------------------------------------------------===//
//
//   gpt.attn:31:14: error: contracted dimensions differ: `head_dim` is 64 and 80 [dim-mismatch]
//      31 |   score: dot(q[b, h, i], k[b, h, j]) / sqrt(head_dim),
//         |              ^~~~~~~~~~  ~~~~~~~~~~ f32[80]
//         |              f32[64]
//     note: `k` is made by `wk`, declared at gpt.attn:12:3
//     hint: ...
//
// The primary range starts with `^`. The rightmost label of a line stands behind its range, the others below theirs.
// Ranges on other lines show those lines, in order; of another file, under its `file:line:column`. A range of several
// lines is marked on its first. Of a long line the part around
// its first mark is shown. Tabs show as one space, bytes that are no text as U+FFFD, so that columns agree.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Diagnostic.h"

namespace attnc {

/// One diagnostic; the text ends in a newline.
std::string render(const Diagnostic &diagnostic, const SourceManager &sources);

/// The most diagnostics that are shown of one compile.
constexpr size_t maximumShown = 100;

/// All of them in the order of their places, exact repetitions once, an empty line between two.
std::string render(const DiagnosticEngine &engine);

} // namespace attnc
