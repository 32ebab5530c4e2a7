//===- SourceLocations.h - source locations of ops as text --------------------------------------------------------===//
#pragma once

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace attnc {

/// The first of placesOf: "model.attn:12:5"; the name of an op without a source location.
std::string placeOf(mlir::Operation *op);
/// Every "file:line:col" of a location and of the locations fused into it, in order, each once. File names are as
/// recorded, and may have directories.
llvm::SmallVector<std::string> placesOf(mlir::Location location);

} // namespace attnc
