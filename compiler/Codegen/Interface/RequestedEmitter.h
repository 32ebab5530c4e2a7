//===- RequestedEmitter.h - the emitter that is requested for a kernel -------------------------------------------===//
//
// The attribute `attn.emitter` of a kernel names the only emitter that may generate its code. A strategy or a tuning
// database sets it (Strategy.h), or the prediction of times (PredictedEmitters.h). Without the attribute, the first
// emitter that supports the kernel generates the code (Job::emitterOf).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"

namespace attnc {

inline constexpr llvm::StringLiteral emitterAttrName = "attn.emitter";

/// The name of the requested emitter, e.g. "halide"; null if none is requested.
inline std::optional<llvm::StringRef> requestedEmitter(mlir::func::FuncOp kernel) {
  auto name = kernel->getAttrOfType<mlir::StringAttr>(emitterAttrName);
  return name ? std::optional(name.getValue()) : std::nullopt;
}

/// Whether the kernel has no request, or requests this emitter. Says nothing about Emitter::supports().
inline bool mayTake(const Emitter &emitter, mlir::func::FuncOp kernel) {
  return requestedEmitter(kernel).value_or(emitter.name()) == llvm::StringRef(emitter.name());
}

} // namespace attnc
