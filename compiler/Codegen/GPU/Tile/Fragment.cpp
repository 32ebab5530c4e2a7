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

int64_t elementBytes(MatrixType type) { return type == MatrixType::TF32 || type == MatrixType::F32 ? 4 : 2; }

static NVVM::MMATypes ptxType(MatrixType type) {
  switch (type) {
  case MatrixType::F16:
    return NVVM::MMATypes::f16;
  case MatrixType::BF16:
    return NVVM::MMATypes::bf16;
  case MatrixType::TF32:
  case MatrixType::F32:
    return NVVM::MMATypes::tf32;
  }
  llvm_unreachable("four types of elements");
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

//===------------------------------------------ reads -------------------------------------------------------------===//

/// Units that were exchanged keep to a group of `swizzled`, so `unit` and what is added to it may be exchanged apart.
TilePlace::TilePlace(TileBuilder &tiles, const SharedTile &tile, const PartStart &start, Value row, Value unit)
    : tile(tile), exchanged(tile.swizzled() > 1 ? tiles.exclusiveOr(unit, tile.exchange(tiles, row)) : unit) {
  assert(tile.panels() == 1 || !start.unit);
  if (start.unit)
    exchanged = tiles.exclusiveOr(exchanged, start.unit);
  rowPlace = tiles.mul(start.row ? tiles.add(row, start.row) : row, tile.panelRowBytes);
}

Value TilePlace::pointer(TileBuilder &tiles, Value stage, int64_t row, int64_t unit) const {
  int64_t within = unit % tile.swizzled();
  Value inRow = tiles.mul(tiles.exclusiveOr(exchanged, within), unitBytes);
  Value varying = tiles.add(tiles.add(stage, rowPlace), inRow);
  int64_t panel = unit / tile.panelUnits() * tile.panelBytes(), inPanel = unit % tile.panelUnits() - within;
  Value constant = tiles.number(panel + row * tile.panelRowBytes + inPanel * unitBytes);
  return tiles.at(tiles.at(tile.base, varying), constant);
}

/// Lane l says where row l % 8 of square l / 8 lies. The second square is the next of rows, or the next of units.
static TilePlace placeOfSquare(TileBuilder &tiles, const SharedTile &tile, FragmentReader::Matrix matrix,
                               bool columnsAreDepth, Value lane, const PartStart &start) {
  Value row = tiles.rem(lane, squareRows), square = tiles.div(lane, squareRows);
  if (matrix == FragmentReader::Matrix::DeepB)
    return TilePlace(tiles, tile, start, row, square);
  bool nextIsBelow = (matrix == FragmentReader::Matrix::A) == columnsAreDepth;
  Value next = tiles.rem(square, 2), second = tiles.div(square, 2);
  Value below = nextIsBelow ? next : second, beside = nextIsBelow ? second : next;
  return TilePlace(tiles, tile, start, tiles.add(row, tiles.mul(below, squareRows)), beside);
}

FragmentReader::FragmentReader(TileBuilder &tiles, const SharedTile &tile, Matrix matrix, bool columnsAreDepth,
                               Value lane, const PartStart &start)
    : tiles(tiles), tile(tile), isTurned(!columnsAreDepth),
      place(placeOfSquare(tiles, tile, matrix, columnsAreDepth, lane, start)) {
  assert(matrix != Matrix::DeepB || columnsAreDepth);
}

std::array<Value, 4> FragmentReader::read(Value stage, int64_t row, int64_t unit) {
  OpBuilder &b = tiles.builder;
  Type i32 = b.getI32Type();
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i32, i32});
  Value squares = NVVM::LdMatrixOp::create(b, tiles.location, type, place.pointer(tiles, stage, row, unit), 4,
                                           isTurned ? NVVM::MMALayout::col : NVVM::MMALayout::row,
                                           NVVM::LdStMatrixShapeAttr::get(b.getContext(), squareRows, squareRows),
                                           NVVM::LdStMatrixEltType::B16);
  return membersOf<4>(tiles, squares);
}

/// Of row 2t, or 2t + 1, the word in column g.
static TilePlace placeOfWord(TileBuilder &tiles, const SharedTile &tile, Value lane, const PartStart &start,
                             int64_t which) {
  Value row = tiles.add(tiles.mul(tiles.rem(lane, 4), 2), which);
  return TilePlace(tiles, tile, start, row, tiles.div(lane, 4 * unitBytes / 4));
}

TurnedWords::TurnedWords(TileBuilder &tiles, const SharedTile &tile, Value lane, const PartStart &start)
    : tiles(tiles), tile(tile), wordPlace(tiles.mul(tiles.rem(tiles.div(lane, 4), unitBytes / 4), 4)),
      places{placeOfWord(tiles, tile, lane, start, 0), placeOfWord(tiles, tile, lane, start, 1)} {}

FragmentB TurnedWords::read(Value stage, int64_t row, int64_t unit) {
  Value from = tiles.add(stage, wordPlace);
  auto word = [&](const TilePlace &place) {
    return tiles.load(tiles.builder.getI32Type(), place.pointer(tiles, from, row, unit));
  };
  return {word(places[0]), word(places[1])};
}

} // namespace attnc
