//===- NarrowKernel.h - variants of a kernel with narrow arguments and results ------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallBitVector.h"

namespace attnc {

// A port is an argument or a result of a kernel. Ports are numbered: first the arguments, then the results.

/// The reason, a clause, why f32 port number `port` of a kernel must stay f32; empty if the ops of the
/// kernel permit a narrow type (Narrow.h lists other reasons).
std::string portReason(mlir::func::FuncOp kernel, unsigned port);

/// A copy of the kernel, with its name, in which the ports whose bit is set in `ports`, which has a bit for each port,
/// are stored in `element`, bf16 or f16. These ports must be f32 tensors.
/// arith.extf widens these arguments at the start of the body, arith.truncf narrows these results at its end. The copy
/// is in no module.
mlir::OwningOpRef<mlir::func::FuncOp> narrowKernel(mlir::func::FuncOp kernel, const llvm::SmallBitVector &ports,
                                                   mlir::FloatType element);

/// A kernel of the kind `loops`, named `symbol`, that rounds its argument, an f32 tensor of the shape of `type`, to
/// `type`, a tensor of bf16 or f16. The kernel is in no module.
mlir::OwningOpRef<mlir::func::FuncOp> conversionKernel(mlir::RankedTensorType type, llvm::StringRef symbol);

} // namespace attnc
