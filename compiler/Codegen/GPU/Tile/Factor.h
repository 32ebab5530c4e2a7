//===- Factor.h - fragments as products take them -----------------------------------------------------------------===//
//
// Tensor cores take elements of 16 bits as they were read. Words they take as tf32, whose 11 significant bits are fewer
// than f32 has, so these are rounded first. Where f32 has to count in full (MatrixType::F32), a number is two of tf32:
//
//   h = tf32(x),  l = tf32(x - h)           x = h + l, but for 2^-22 of it
//   x y = l h' + h l' + h h'                three products for one; what l l' would add is 2^-22 of it at most
//
// How tensor cores round their sums is not said (PTX ISA); it is taken for cutting off. An error would then grow with
// the number of additions, all in one direction. So the sum of a few depths begins at zero there, the small ones first,
// and threads add it to what was before.
//
// Of an infinity, and of what rounds to one, l is infinite or a NaN, and so is no sum with it a finite number.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/Fragment.h"

namespace attnc {

/// The registers of A (four) or B (two).
template <size_t registers> struct Factor {
  std::array<mlir::Value, registers> high;
  std::array<mlir::Value, registers> low; ///< of F32 alone
};
using FactorA = Factor<4>;
using FactorB = Factor<2>;

FactorA factorOf(TileBuilder &tiles, MatrixType type, const FragmentA &read);
FactorB factorOf(TileBuilder &tiles, MatrixType type, const FragmentB &read);

/// d + a * b, of as many depths of a product as there are factors. Of F32 alone, rows of d may be multiplied first: g
/// and g + 8 by a number (f32) each. A thread adds anyway, so it is no instruction more.
FragmentD multiplyAdd(TileBuilder &tiles, MatrixType type, llvm::ArrayRef<FactorA> a, llvm::ArrayRef<FactorB> b,
                      const FragmentD &d, mlir::ValueRange ofRows = {});

} // namespace attnc
