//===- OperandFragment.h - operand fragments of tensor-core products, and the tf32 split (3xTF32) -----------------===//
//
// Tensor cores read 16-bit elements unchanged. They read 32-bit elements as tf32, which has 11 significant bits; f32 is
// rounded to tf32 first. For full f32 accuracy (MatrixType::F32) an operand is split into two tf32 parts:
//
//   h = tf32(x),  l = tf32(x - h)           x = h + l, with a relative error of 2^-22
//   x y = l h' + h l' + h h'                three products; the omitted l l' is at most 2^-22 of the result
//
// The PTX ISA does not define how tensor cores round their sums, so truncation is assumed. Its error has one sign and
// would grow with the number of additions. F32 sums of a few depths therefore start at zero, the small products first,
// and an ordinary f32 addition adds them to the accumulator.
//
// If x is infinite, or rounds to infinity, l is infinite or NaN, and no sum with it is finite.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/Fragment.h"

namespace attnc {

/// The registers (i32) of operand A (four) or B (two): 16-bit elements as they are, tf32, or the two parts of f32.
template <size_t registers> struct OperandFragment {
  std::array<mlir::Value, registers> high;
  std::array<mlir::Value, registers> low; ///< F32 only
};
using OperandFragmentA = OperandFragment<4>;
using OperandFragmentB = OperandFragment<2>;

/// Converts the registers that were read from memory: rounds TF32, splits F32, and leaves 16-bit elements unchanged.
OperandFragmentA operandFragment(TileBuilder &tiles, MatrixType type, const FragmentA &read);
OperandFragmentB operandFragment(TileBuilder &tiles, MatrixType type, const FragmentB &read);

/// d + sum of a[n] * b[n], over equally many fragments along the depth. For F32 alone, `rowFactors` (f32, for rows g
/// and g + 8) scale d first; the multiplication is free, as an fma replaces the addition.
FragmentD multiplyAdd(TileBuilder &tiles, MatrixType type, llvm::ArrayRef<OperandFragmentA> a,
                      llvm::ArrayRef<OperandFragmentB> b, const FragmentD &d, mlir::ValueRange rowFactors = {});

} // namespace attnc
