//===- Reference.h - reference interpreter in double precision (the oracle) ---------------------------------------===//
//
// The oracle interprets the IR after import, fuse and narrow, kernels included. It computes each op by its definition,
// one element at a time, in double precision, and shares no code with code generation. Tests compare the results of
// compiled code with the results of the oracle.
//
// Attention is computed by its definition (dialects/Attn/AttnOps.td): all scores of a row, then the attention weights,
// then the sum. Scores are evaluated for unmasked keys only. An out-of-range `tensor.extract`, an integer division by
// zero, mismatched sizes and unsupported ops are errors with a source location. (In a formula, subscripts -1 and 0 of
// an empty dimension read NaN.) Elements of tensor.empty are NaN or 0 until they are written.
//
//   auto results = interpret(entry, {tokens}, {{"token.table", table}});
//   if (!results) ... llvm::toString(results.takeError())
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Reference/Array.h"
#include "compiler/Reference/Rounding.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"
#include <map>

namespace attnc::reference {

/// Values of parameters by checkpoint name, which includes list indices: "blocks.3.norm1.gain".
using Parameters = std::map<std::string, Array>;

/// Runs `function`, an entry point or a kernel, and returns its results. `inputs` has an array for each argument, and
/// `parameters` one for each parameter that the function reads; model.get reads it even after a model.set. If `updates`
/// is not null, its content is replaced by the parameters that model.set assigned, with their new values; to set one
/// twice is an error. `rounding` selects the simulated rounding (Rounding.h). The error is a message, with a source
/// location if the op has one; `updates` is then unchanged.
llvm::Expected<std::vector<Array>> interpret(mlir::func::FuncOp function, llvm::ArrayRef<Array> inputs,
                                             const Parameters &parameters = {}, Parameters *updates = nullptr,
                                             Rounding rounding = Rounding::None);

} // namespace attnc::reference
