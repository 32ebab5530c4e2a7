#include "compiler/Codegen/GPU/Tile/Factor.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cassert>

using namespace mlir;

namespace attnc {

/// x - tf32(x), as tf32.
static Value restOf(TileBuilder &tiles, Value word, Value rounded) {
  OpBuilder &b = tiles.builder;
  auto number = [&](Value word) { return arith::BitcastOp::create(b, tiles.location, b.getF32Type(), word); };
  Value rest = arith::SubFOp::create(b, tiles.location, number(word), number(rounded));
  return roundToTf32(tiles, arith::BitcastOp::create(b, tiles.location, b.getI32Type(), rest));
}

template <size_t registers>
static Factor<registers> made(TileBuilder &tiles, MatrixType type, const std::array<Value, registers> &read) {
  Factor<registers> factor{read, {}};
  for (size_t each = 0; areWords(type) && each < registers; ++each) {
    factor.high[each] = roundToTf32(tiles, read[each]);
    if (type == MatrixType::F32)
      factor.low[each] = restOf(tiles, read[each], factor.high[each]);
  }
  return factor;
}

FactorA factorOf(TileBuilder &tiles, MatrixType type, const FragmentA &read) { return made(tiles, type, read); }
FactorB factorOf(TileBuilder &tiles, MatrixType type, const FragmentB &read) { return made(tiles, type, read); }

FragmentD multiplyAdd(TileBuilder &tiles, MatrixType type, ArrayRef<FactorA> a, ArrayRef<FactorB> b, const FragmentD &d,
                      ValueRange ofRows) {
  assert(type == MatrixType::F32 || ofRows.empty());
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
      each = ofRows.empty() ? arith::AddFOp::create(builder, tiles.location, d[number], each).getResult()
                            : math::FmaOp::create(builder, tiles.location, d[number], ofRows[number / 2], each);
  return sum;
}

} // namespace attnc
