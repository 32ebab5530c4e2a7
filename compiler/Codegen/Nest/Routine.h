//===- Routine.h - functions that kernel phases share -------------------------------------------------------------===//
//
// A routine is a private function of the module of generated code that phases of many kernels call, e.g. a register
// tile of a matrix product. The first call emits the routine, so LLVM compiles it once:
//
//   callRoutine(code, frame.code, {"copy.48", /*fixed=*/{stride}, {source, target, count}},
//               [](FlatBuilder &code, ValueRange operands) { ... });
//
// Operands are flat buffers (FlatBuilder.h), index values, flags (i1), scalars and vectors. A routine must not read the
// size of a flat buffer. A buffer that the routine writes must not overlap another operand: buffers are `noalias`.
//
// Fixed values, e.g. a stride, are index values or flags for which a routine is specialised. If a fixed value is a
// constant, it is part of the routine's code, and calls with another constant call another routine. If a fixed value is
// not a constant, it is passed like an operand.
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
  /// Identifies the routine, together with the constant fixed values. The name contains everything else that the code
  /// depends on, e.g. the element types of buffers: a call with the name of an earlier call calls its code. The number
  /// of lanes is the same for all calls of a module.
  std::string name;
  llvm::SmallVector<mlir::Value> fixed, operands; ///< values at the call
};

/// Emits a call of a routine of `module` at the insertion point of `code`. If the routine does not exist yet, it is
/// created, and `fill` emits its body: the builder inserts into the body, and the values are the fixed values, then the
/// operands, as seen in the routine. A routine has no results; it writes to buffers.
void callRoutine(FlatBuilder &code, mlir::ModuleOp module, const RoutineCall &call,
                 llvm::function_ref<void(FlatBuilder &, mlir::ValueRange)> fill);

} // namespace attnc
