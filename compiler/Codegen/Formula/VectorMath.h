//===- VectorMath.h - transcendental functions as arithmetic --------------------------------------------------===//
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
//   sin, cos        2     of every float; from 2^21 on each takes some 60 instructions
//   sinh, cosh, tan 4
//   powf            2     x^y = 2^(y log2 x) in double precision; zeros, infinities and NaN as in C
//   maximumf, minimumf  0   1 with a constant, otherwise 3; NaN where an operand is; of two zeros either
//
// Square roots, roundings, sign and fma map to instructions and are left alone. Other functions have no expansion.
//
// Kernels that want a cheaper exponential (attention does) write their own.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Whether `op` is one of those functions: the maximumf and minimumf of `arith` are not meant.
bool isExpandedMath(mlir::Operation *op);
/// Whether objects can compute `op` of the `math` dialect: it is an instruction, or one of those functions.
bool isSupportedMath(mlir::Operation *op);

/// Replaces every transcendental `math` op, `arith.maximumf` and `arith.minimumf` in `code`.
mlir::LogicalResult expandMath(mlir::ModuleOp code, const Target &target);

} // namespace attnc
