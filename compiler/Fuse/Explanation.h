//===- Explanation.h - decisions of a module as text --------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace attnc {

/// Prints the kernels of each entry point and its decisions, made and left.
void printExplanation(mlir::ModuleOp module, llvm::raw_ostream &stream);

/// A line "place: error: ..." for --require-fused, for each materialised all-pairs tensor.
std::vector<std::string> unfusedPairs(mlir::ModuleOp module);

} // namespace attnc
