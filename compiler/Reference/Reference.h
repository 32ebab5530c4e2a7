//===- Reference.h - the oracle --------------------------------------------------------------------------------===//
//
// Interprets the IR after import, fuse and narrow (kernels are functions that are called), in double precision and as
// naively as can be: what an op means is written here as its definition says, one element at a time, and nothing is
// shared with code generation. Whatever compiled code computes is compared with this.
//
// Attention is its two-step definition (dialects/Attn/AttnOps.td): all scores of a row, then the weights, then the
// sum. Scores are asked for kept keys only. A `tensor.extract` out of range, a division of integers by zero and sizes
// that disagree are errors with a place, as is an op that the oracle does not know.
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

/// Values of parameters by checkpoint name, list indices filled in: "blocks.3.norm1.gain".
using Parameters = std::map<std::string, Array>;

/// Runs `function` (an entry point or a kernel) on `inputs`; gives its results, and in `updates`, where that is given,
/// the parameters that have another value afterwards.
llvm::Expected<std::vector<Array>> interpret(mlir::func::FuncOp function, llvm::ArrayRef<Array> inputs,
                                             const Parameters &parameters = {}, Parameters *updates = nullptr,
                                             Rounding rounding = Rounding::None);

} // namespace attnc::reference
