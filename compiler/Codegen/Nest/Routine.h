//===- Routine.h - code that many phases call ---------------------------------------------------------------------===//
//
// What phases of many kernels do alike is a function of the code module. It is made when the first of them calls it, so
// that it is compiled once, however many there are:
//
//   callRoutine(code, frame.code, {"copy.48", /*fixed=*/{stride}, {source, target, count}},
//               [](FlatBuilder &code, ValueRange operands) { ... });
//
// Operands are flat buffers (FlatBuilder.h), indices and flags; a buffer that is written overlaps no other operand.
// What is fixed is part of the code where it is known, as the distances by which addresses are spelt out: calls with
// other constants have other routines.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace attnc {

struct RoutineCall {
  std::string name; ///< says all that the code was made for besides its operands
  llvm::SmallVector<mlir::Value> fixed, operands;
};

/// Calls a routine of the module where the builder stands. Where there is none like it, `fill` writes it; it is given
/// what stands for the fixed values and the operands, in this order.
void callRoutine(FlatBuilder &code, mlir::ModuleOp module, const RoutineCall &call,
                 llvm::function_ref<void(FlatBuilder &, mlir::ValueRange)> fill);

} // namespace attnc
