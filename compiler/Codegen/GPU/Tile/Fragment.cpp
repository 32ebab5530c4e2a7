#include "compiler/Codegen/GPU/Tile/Fragment.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cassert>

using namespace mlir;

namespace attnc {

/// Rows of a square.
static constexpr int64_t squareRows = 8;

std::optional<MatrixType> matrixTypeOf(Type stored) {
  if (stored.isF16())
    return MatrixType::F16;
  return stored.isBF16() ? std::optional(MatrixType::BF16) : std::nullopt;
}

int64_t elementBytes(MatrixType type) { return type == MatrixType::TF32 ? 4 : 2; }

static NVVM::MMATypes ptxType(MatrixType type) {
  switch (type) {
  case MatrixType::F16:
    return NVVM::MMATypes::f16;
  case MatrixType::BF16:
    return NVVM::MMATypes::bf16;
  case MatrixType::TF32:
    return NVVM::MMATypes::tf32;
  }
  llvm_unreachable("three types of elements");
}

/// A struct of `count` registers, taken apart.
template <size_t count> static std::array<Value, count> membersOf(TileBuilder &tiles, Value all) {
  std::array<Value, count> members;
  for (size_t each = 0; each < count; ++each)
    members[each] =
        LLVM::ExtractValueOp::create(tiles.builder, tiles.location, all, ArrayRef{static_cast<int64_t>(each)});
  return members;
}

FragmentD multiplyAdd(TileBuilder &tiles, MatrixType type, const FragmentA &a, const FragmentB &b, const FragmentD &d) {
  OpBuilder &builder = tiles.builder;
  auto operand = [&](ArrayRef<Value> words) {
    TileBuilder::Values cast(words);
    if (type == MatrixType::F16)
      for (Value &word : cast)
        word = LLVM::BitcastOp::create(builder, tiles.location, VectorType::get({2}, builder.getF16Type()), word);
    return cast;
  };
  Type f32 = builder.getF32Type();
  auto result = LLVM::LLVMStructType::getLiteral(builder.getContext(), {f32, f32, f32, f32});
  std::array<NVVM::MMATypes, 2> types = {ptxType(type), ptxType(type)};
  std::array<NVVM::MMALayout, 2> layouts = {NVVM::MMALayout::row, NVVM::MMALayout::col};
  Value sum = NVVM::MmaOp::create(builder, tiles.location, result, operand(a), operand(b), ValueRange(d),
                                  {productRows, productColumns, productDepth(type)}, std::nullopt, std::nullopt, types,
                                  layouts);
  return membersOf<4>(tiles, sum);
}

FragmentD zeroFragment(TileBuilder &tiles) {
  Value zero = arith::ConstantOp::create(tiles.builder, tiles.location, tiles.builder.getF32FloatAttr(0));
  return {zero, zero, zero, zero};
}

Value packPair(TileBuilder &tiles, MatrixType type, Value low, Value high) {
  OpBuilder &b = tiles.builder;
  Type element = type == MatrixType::F16 ? Type(b.getF16Type()) : Type(b.getBF16Type());
  Value pair =
      vector::FromElementsOp::create(b, tiles.location, VectorType::get({2}, b.getF32Type()), ValueRange{low, high});
  Value narrow = arith::TruncFOp::create(b, tiles.location, VectorType::get({2}, element), pair);
  return LLVM::BitcastOp::create(b, tiles.location, b.getI32Type(), narrow);
}

Value roundToTf32(TileBuilder &tiles, Value word) {
  OpBuilder &b = tiles.builder;
  Value number = arith::BitcastOp::create(b, tiles.location, b.getF32Type(), word);
  return NVVM::ConvertFloatToTF32Op::create(b, tiles.location, b.getI32Type(), number, NVVM::FPRoundingMode::RNA);
}

FragmentPlace placeInFragment(TileBuilder &tiles, Value lane) {
  return {tiles.div(lane, 4), tiles.mul(tiles.rem(lane, 4), 2)};
}

FragmentReader::FragmentReader(TileBuilder &tiles, const SharedTile &tile, Matrix matrix, bool columnsAreDepth,
                               Value lane, Value rowsBefore, Value unitsBefore)
    : tiles(tiles), tile(tile), isTurned(!columnsAreDepth) {
  // Lane l says where row l % 8 of square l / 8 lies. The second square is the next of rows, or the next of units.
  bool nextIsBelow = (matrix == Matrix::A) == columnsAreDepth;
  Value below = nextIsBelow ? tiles.rem(tiles.div(lane, squareRows), 2) : tiles.div(lane, 2 * squareRows);
  Value beside = nextIsBelow ? tiles.div(lane, 2 * squareRows) : tiles.rem(tiles.div(lane, squareRows), 2);
  Value row = tiles.add(tiles.rem(lane, squareRows), tiles.mul(below, squareRows));
  // Places that were exchanged keep to a group of `swizzled` units, and so does the bit that `beside` is.
  unit = tile.swizzled() > 1 ? tiles.exclusiveOr(beside, tile.exchange(tiles, row)) : beside;
  assert(tile.panels() == 1 || !unitsBefore);
  if (unitsBefore)
    unit = tiles.exclusiveOr(unit, unitsBefore);
  rowPlace = tiles.mul(rowsBefore ? tiles.add(row, rowsBefore) : row, tile.panelRowBytes);
}

std::array<Value, 4> FragmentReader::read(Value stage, int64_t row, int64_t firstUnit) {
  OpBuilder &b = tiles.builder;
  int64_t within = firstUnit % tile.swizzled();
  Value place = tiles.mul(tiles.exclusiveOr(unit, within), unitBytes);
  Value lanes = tiles.add(tiles.add(stage, rowPlace), place);
  int64_t panel = firstUnit / tile.panelUnits() * tile.panelBytes(), inPanel = firstUnit % tile.panelUnits() - within;
  Value constant = tiles.number(panel + row * tile.panelRowBytes + inPanel * unitBytes);
  Value pointer = tiles.at(tiles.at(tile.base, lanes), constant);
  Type i32 = b.getI32Type();
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i32, i32});
  Value squares = NVVM::LdMatrixOp::create(
      b, tiles.location, type, pointer, 4, isTurned ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), squareRows, squareRows), NVVM::LdStMatrixEltType::B16);
  return membersOf<4>(tiles, squares);
}

} // namespace attnc
