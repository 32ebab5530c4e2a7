//===- CheckModule.h - which ops a module in MLIR may have -----------------------------------------------------===//
//
// Phases take on trust that a module holds what `import` makes. A module from a file (.mlir) may hold any op that MLIR
// can parse, so it is compared with the list of ops that phases know.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace attnc {

/// The place of the first op that no phase knows how to compile, what it is, and what is expected; empty without one.
std::string unknownOpIn(mlir::ModuleOp module);

} // namespace attnc
