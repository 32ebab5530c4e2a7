//===- Explanation.h - printing of a module's fusion decisions ----------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace attnc {

/// Prints, for each host function (Analysis/HostFunctions.h), its kernels and its decisions (Analysis/Decisions.h),
/// then the decisions on weights. `attnc explain` prints this text.
void printExplanation(mlir::ModuleOp module, llvm::raw_ostream &stream);

/// Returns a line "LOCATION: error: not fused: ..." for each edge between kernels whose tensor holds the scores or the
/// attention weights of all query–key pairs; empty if there is none. `--require-fused` reports these lines.
std::vector<std::string> unfusedPairs(mlir::ModuleOp module);

} // namespace attnc
