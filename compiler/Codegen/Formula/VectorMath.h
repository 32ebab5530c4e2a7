//===- VectorMath.h - vectorised mathematical functions ---------------------------------------------------------===//
//
// An object calls no libm, so each `math` op on f32 (a scalar or a vector of any length) becomes a few multiply-adds.
// Largest error in units in the last place (ulp), measured over all floats of the range by the tests:
//
//   exp             1     17 instructions   inf, 0 and NaN as in C; results below 2^-126 become 0 (denormals cost 33
//   exp2            2     16                times as much)
//   expm1, log1p    3
//   log, log2, log10  2
//   tanh            5     15, one a division   never above 1
//   erf             6     17, one a division   never above 1
//   sin, cos        2     for every float; each element from 2^21 on costs some 60 instructions
//   sinh, cosh, tan 4
//   powf            2     x^y = 2^(y log2 x) in double precision; zeros, infinities and NaN as in C
//   maximumf, minimumf  0   1 with a constant, otherwise 3; NaN if an operand is; either of two zeros
//
// Square roots, roundings, sign and fma map to instructions and are not expanded. Other functions have no expansion.
// Attention has a cheaper exponential of its own (AttendExp.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Whether `op` is one of those functions, other than the maximumf and minimumf of `arith`.
bool isExpandedMath(mlir::Operation *op);
/// Whether `op` of the `math` dialect is an instruction or one of those functions.
bool isSupportedMath(mlir::Operation *op);

/// Replaces every op of isExpandedMath, every attn.uniform (VectorRandom.h) and, except on devices, which have an
/// instruction, every `arith.maximumf` and `arith.minimumf` in `code`. Fails with an error at one that is not f32.
mlir::LogicalResult expandMath(mlir::ModuleOp code, const Target &target);

} // namespace attnc
