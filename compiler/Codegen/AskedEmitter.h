//===- AskedEmitter.h - the emitter that a strategy wants for a kernel ------------------------------------------===//
//
// `attn.emitter` of a kernel names the one emitter that may have it. Without it the first that takes the kernel does.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Emitter.h"

namespace attnc {

inline constexpr llvm::StringLiteral emitterAttrName = "attn.emitter";

/// The name of the emitter that is asked for, or nothing.
inline std::optional<llvm::StringRef> askedEmitter(mlir::func::FuncOp kernel) {
  auto name = kernel->getAttrOfType<mlir::StringAttr>(emitterAttrName);
  return name ? std::optional(name.getValue()) : std::nullopt;
}

inline bool mayTake(const Emitter &emitter, mlir::func::FuncOp kernel) {
  return askedEmitter(kernel).value_or(emitter.name()) == llvm::StringRef(emitter.name());
}

} // namespace attnc
