//===- OperandFragment.h - operand fragments of tensor-core products, and the tf32 split (3xTF32) -----------------===//
//
// A fragment is the part of a matrix that one lane holds in registers (Fragment.h). Tensor cores read 16-bit elements
// unchanged. They read 32-bit elements as tf32, which has 11 significant bits, so f32 is rounded to tf32 first. For
// full f32 accuracy (MatrixType::F32) each operand is split into two tf32 parts:
//
//   h = tf32(x),  l = tf32(x - h)           x = h + l, with a relative error of 2^-22
//   x y = l h' + h l' + h h'                three products; the omitted l l' is at most 2^-22 of the result
//
// The PTX ISA does not define how tensor cores round their sums, so truncation is assumed. The error of truncation has
// one sign and would grow with the number of additions. For F32, each call of multiplyAdd therefore sums its products
// on tensor cores from zero, the small ones first, and adds the sum to the accumulator by an ordinary f32 addition.
//
// If x is infinite, or rounds to infinity, l is infinite or NaN, and no sum with l is finite.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/Fragment.h"

namespace attnc {

/// The registers (i32) of operand A (four) or B (two), ready to be multiplied.
template <size_t registers> struct OperandFragment {
  std::array<mlir::Value, registers> high; ///< 16-bit elements, rounded tf32, or h of F32
  std::array<mlir::Value, registers> low;  ///< l of F32; null values for other types
};
using OperandFragmentA = OperandFragment<4>;
using OperandFragmentB = OperandFragment<2>;

/// Converts the registers `read`, which have the elements as in memory (FragmentReader): rounds TF32, splits F32, and
/// leaves 16-bit elements unchanged.
OperandFragmentA operandFragment(TileBuilder &tiles, MatrixType type, const FragmentA &read);
OperandFragmentB operandFragment(TileBuilder &tiles, MatrixType type, const FragmentB &read);

/// d + sum over n of a[n] * b[n], where n numbers fragments along the depth; `a` and `b` have the same length. For F32
/// alone, `rowFactors` may have two f32, which multiply rows g and g + 8 of `d` first; the multiplication costs
/// nothing, as an fma replaces the addition. All lanes of the warp execute the code together.
FragmentD multiplyAdd(TileBuilder &tiles, MatrixType type, llvm::ArrayRef<OperandFragmentA> a,
                      llvm::ArrayRef<OperandFragmentB> b, const FragmentD &d, mlir::ValueRange rowFactors = {});

} // namespace attnc
