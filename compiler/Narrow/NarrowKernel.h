//===- NarrowKernel.h - a kernel with other types at its edges ----------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallBitVector.h"

namespace attnc {

/// Why a kernel's argument or result (`port`: arguments, then results) stays f32 whoever calls it; empty where it may
/// be narrow. Of tensors of f32.
std::string reasonOfPort(mlir::func::FuncOp kernel, unsigned port);

/// A copy of the kernel whose arguments and results (`ports`: arguments, then results) are stored in `element`.
mlir::OwningOpRef<mlir::func::FuncOp> narrowKernel(mlir::func::FuncOp kernel, const llvm::SmallBitVector &ports,
                                                   mlir::FloatType element);

/// A kernel that stores an f32 tensor of the shape of `type` as that.
mlir::OwningOpRef<mlir::func::FuncOp> storingKernel(mlir::RankedTensorType type, llvm::StringRef symbol);

} // namespace attnc
