//===- Explanation.h - decisions of a module as text --------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace attnc {

/// Prints the kernels and the decisions of each entry point, then the decisions on weights.
void printExplanation(mlir::ModuleOp module, llvm::raw_ostream &stream);

/// Returns a line "LOCATION: error: not fused: ..." for each all-pairs tensor that is materialised (`--require-fused`).
std::vector<std::string> unfusedPairs(mlir::ModuleOp module);

} // namespace attnc
