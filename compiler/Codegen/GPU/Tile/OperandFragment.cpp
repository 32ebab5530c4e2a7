#include "compiler/Codegen/GPU/Tile/OperandFragment.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cassert>

using namespace mlir;

namespace attnc {

/// The low part of the split: x - tf32(x), as tf32.
static Value lowPart(TileBuilder &tiles, Value element, Value rounded) {
  OpBuilder &b = tiles.builder;
  auto number = [&](Value element) { return arith::BitcastOp::create(b, tiles.location, b.getF32Type(), element); };
  Value rest = arith::SubFOp::create(b, tiles.location, number(element), number(rounded));
  return roundToTf32(tiles, arith::BitcastOp::create(b, tiles.location, b.getI32Type(), rest));
}

template <size_t registers>
static OperandFragment<registers> split(TileBuilder &tiles, MatrixType type, const std::array<Value, registers> &read) {
  OperandFragment<registers> fragment{read, {}};
  for (size_t each = 0; is32Bit(type) && each < registers; ++each) {
    fragment.high[each] = roundToTf32(tiles, read[each]);
    if (type == MatrixType::F32)
      fragment.low[each] = lowPart(tiles, read[each], fragment.high[each]);
  }
  return fragment;
}

OperandFragmentA operandFragment(TileBuilder &tiles, MatrixType type, const FragmentA &read) {
  return split(tiles, type, read);
}
OperandFragmentB operandFragment(TileBuilder &tiles, MatrixType type, const FragmentB &read) {
  return split(tiles, type, read);
}

FragmentD multiplyAdd(TileBuilder &tiles, MatrixType type, ArrayRef<OperandFragmentA> a, ArrayRef<OperandFragmentB> b,
                      const FragmentD &d, ValueRange rowFactors) {
  assert(type == MatrixType::F32 || rowFactors.empty());
  OpBuilder &builder = tiles.builder;
  FragmentD sum = type == MatrixType::F32 ? zeroFragment(tiles) : d;
  auto add = [&](const FragmentA &left, const FragmentB &right) { sum = multiplyAdd(tiles, type, left, right, sum); };
  if (type == MatrixType::F32)
    for (auto [left, right] : llvm::zip_equal(a, b)) {
      add(left.low, right.high);
      add(left.high, right.low);
    }
  for (auto [left, right] : llvm::zip_equal(a, b))
    add(left.high, right.high);
  if (type == MatrixType::F32)
    for (auto [number, each] : llvm::enumerate(sum))
      each = rowFactors.empty() ? arith::AddFOp::create(builder, tiles.location, d[number], each).getResult()
                                : math::FmaOp::create(builder, tiles.location, d[number], rowFactors[number / 2], each);
  return sum;
}

} // namespace attnc
