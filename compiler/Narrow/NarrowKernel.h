//===- NarrowKernel.h - variants of a kernel with narrow arguments and results ------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallBitVector.h"

namespace attnc {

/// The reason why an f32 argument or result of a kernel (`port`: arguments, then results) must stay f32; empty if it
/// may be narrow.
std::string portReason(mlir::func::FuncOp kernel, unsigned port);

/// A copy of the kernel in which the arguments and results that `ports` marks (bits: arguments, then results) are
/// stored in `element`: arguments are widened at the start of the body, results narrowed at its end.
mlir::OwningOpRef<mlir::func::FuncOp> narrowKernel(mlir::func::FuncOp kernel, const llvm::SmallBitVector &ports,
                                                   mlir::FloatType element);

/// A kernel of the kind `loops` and the name `symbol` that converts an f32 tensor of the shape of `type` to that type.
mlir::OwningOpRef<mlir::func::FuncOp> conversionKernel(mlir::RankedTensorType type, llvm::StringRef symbol);

} // namespace attnc
