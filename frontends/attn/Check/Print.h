//===- Print.h - printer of the typed AST -------------------------------------------------------------------------===//
//
// Prints the typed AST as text, the dump of `--emit=check`, for people and for tests:
//
//   entry f(x: f32[n]) n {
//     let t: f32 = [] => add k < n => x[k]
//     return f: f32 = t
//   }
//
// The dynamic dimensions of an entry point, with their bounds, follow its arguments.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Typed.h"
#include <string>

namespace attnc::typed {

/// Returns the text of a program: model, hyperparameters, parameters, then entry points. It omits the derivations of
/// entry points (training with its optimizer steps, decoding, ...).
std::string print(const Program &program);

} // namespace attnc::typed
