//===- SourceLocations.h - source locations of ops as text --------------------------------------------------------===//
#pragma once

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace attnc {

/// The first source location of `op`, such as "model.attn:12:5" (the first of placesOf). If the op has none, the name
/// of the op, such as "linalg.generic".
std::string placeOf(mlir::Operation *op);
/// Every "file:line:column" in `location` and in the locations that it fuses or names, in order, each once; for a call
/// site, those of the callee. Empty if there is none. File names are as recorded, and may have directories.
llvm::SmallVector<std::string> placesOf(mlir::Location location);

} // namespace attnc
