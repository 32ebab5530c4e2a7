//===- SourceLocations.h - source locations of ops as text --------------------------------------------------------===//
#pragma once

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace attnc {

/// "model.attn:12:5", or the name of an op without a source location.
std::string placeOf(mlir::Operation *op);
/// Every "file:line:col" of a location, in order, each once.
llvm::SmallVector<std::string> placesOf(mlir::Location location);

} // namespace attnc
