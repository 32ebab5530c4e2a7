//===- Routine.h - functions that kernel phases share -----------------------------------------------------------===//
//
// Code that phases of many kernels have in common is a function of the code module, a routine. The first call emits it,
// so it is compiled once, however many calls there are:
//
//   callRoutine(code, frame.code, {"copy.48", /*fixed=*/{stride}, {source, target, count}},
//               [](FlatBuilder &code, ValueRange operands) { ... });
//
// Operands are flat buffers (FlatBuilder.h), whose sizes the routine must not read, and index values, flags (i1),
// scalars and vectors; a buffer that is written overlaps no other operand. A fixed value, an index or a flag, that is
// constant is part of the code, such as a stride: calls with other constants call other routines. One that is not
// constant is passed as an operand.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace attnc {

/// ".f32.bf16" for buffers of these element types, as a part of a routine's name.
std::string elementTypes(mlir::ValueRange buffers);

struct RoutineCall {
  std::string name; ///< determines the code, number of lanes and types of operands, apart from the fixed values
  llvm::SmallVector<mlir::Value> fixed, operands;
};

/// Calls a routine of the module at the builder's insertion point. If it does not exist yet, `fill` emits its body; the
/// value range of `fill` has the fixed values, then the operands.
void callRoutine(FlatBuilder &code, mlir::ModuleOp module, const RoutineCall &call,
                 llvm::function_ref<void(FlatBuilder &, mlir::ValueRange)> fill);

} // namespace attnc
