//===- VectorMath.h - expansion of mathematical functions to vector arithmetic ------------------------------------===//
//
// An object calls no libm. A pass of the back end therefore replaces each op of `math` on f32, a scalar or a vector of
// any length, by multiply-adds. The table has the largest error in units in the last place (ulp), which the tests
// measure over all floats of the range. For some functions it also has the number of instructions for one vector:
//
//   function            ulp   instructions, remarks
//   exp                 1     17; infinity, 0 and NaN as in C; results below 2^-126 become 0
//   exp2                2     16; the same
//   expm1, log1p        3
//   log, log2, log10    2
//   tanh                5     15, one a division; never above 1
//   erf                 6     17, one a division; never above 1
//   sin, cos            2     for every float; a vector with a magnitude above 2^21 costs some 60 more for each lane
//   sinh, cosh, tan     4
//   powf                2     x^y = 2^(y log2 x) in double precision; zeros, infinities and NaN as in C
//   maximumf, minimumf  0     1 with a constant, otherwise 3; NaN if an operand is; of zeros of both signs, either one
//
// exp, exp2 and powf return 0 instead of denormal numbers, because arithmetic on these takes 33 times as long. The last
// row is of `arith`. Square roots, absolute values, roundings, copysign and fma map to instructions and are not
// expanded. Other functions of `math` have no code: canVectorise() (RegionVectoriser.h) rejects formulas with them.
// Attention has a cheaper exponential of its own (AttendExp.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Whether `op` is a function of the table, other than maximumf and minimumf.
bool isExpandedMath(mlir::Operation *op);
/// Whether `op`, an op of `math`, has code: it is expanded, or it maps to an instruction.
bool isSupportedMath(mlir::Operation *op);

/// Replaces in `code` every op for which isExpandedMath() is true and every attn.uniform (VectorRandom.h). For a
/// processor it also replaces every `arith.maximumf` and `arith.minimumf`; devices have an instruction for these. Emits
/// an error and fails at an op of these whose type is not f32 or a vector of f32.
mlir::LogicalResult expandMath(mlir::ModuleOp code, const Target &target);

} // namespace attnc
