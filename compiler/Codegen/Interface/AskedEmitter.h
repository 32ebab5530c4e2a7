//===- AskedEmitter.h - the emitter that a strategy requests for a kernel -----------------------------------------===//
//
// `attn.emitter` of a kernel names the only emitter that may emit it. Without the attribute, the first emitter that
// supports the kernel emits it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"

namespace attnc {

inline constexpr llvm::StringLiteral emitterAttrName = "attn.emitter";

/// The name of the requested emitter; null if none is requested.
inline std::optional<llvm::StringRef> askedEmitter(mlir::func::FuncOp kernel) {
  auto name = kernel->getAttrOfType<mlir::StringAttr>(emitterAttrName);
  return name ? std::optional(name.getValue()) : std::nullopt;
}

/// Whether the request, if any, permits the emitter; not whether it supports the kernel.
inline bool mayTake(const Emitter &emitter, mlir::func::FuncOp kernel) {
  return askedEmitter(kernel).value_or(emitter.name()) == llvm::StringRef(emitter.name());
}

} // namespace attnc
