#include "compiler/Codegen/GPU/Tile/Fragment.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cassert>

using namespace mlir;

namespace attnc {

/// Rows of an 8x8 matrix.
static constexpr int64_t matrixRows = 8;

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

/// Extracts the `count` registers of a struct.
template <size_t count> static std::array<Value, count> membersOf(TileBuilder &tiles, Value all) {
  std::array<Value, count> members;
  for (size_t each = 0; each < count; ++each)
    members[each] =
        LLVM::ExtractValueOp::create(tiles.builder, tiles.location, all, ArrayRef{static_cast<int64_t>(each)});
  return members;
}

FragmentD multiplyAdd(TileBuilder &tiles, MatrixType type, const FragmentA &a, const FragmentB &b, const FragmentD &d) {
  OpBuilder &builder = tiles.builder;
  auto operand = [&](ArrayRef<Value> registers) {
    TileBuilder::Values cast(registers);
    if (type == MatrixType::F16)
      for (Value &element : cast)
        element = LLVM::BitcastOp::create(builder, tiles.location, VectorType::get({2}, builder.getF16Type()), element);
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

Value roundToTf32(TileBuilder &tiles, Value element) {
  OpBuilder &b = tiles.builder;
  Value number = arith::BitcastOp::create(b, tiles.location, b.getF32Type(), element);
  return NVVM::ConvertFloatToTF32Op::create(b, tiles.location, b.getI32Type(), number, NVVM::FPRoundingMode::RNA);
}

FragmentPosition fragmentPosition(TileBuilder &tiles, Value lane) {
  return {tiles.div(lane, 4), tiles.mul(tiles.rem(lane, 4), 2)};
}

//===------------------------------------------ reads -------------------------------------------------------------===//

/// The swizzle permutes vectors within groups of `swizzlePeriod`, so `vector` and the number added to it are swizzled
/// separately.
TileAddress::TileAddress(TileBuilder &tiles, const SharedTile &tile, const WarpTileStart &start, Value row,
                         Value vector)
    : tile(tile),
      swizzledVector(tile.swizzlePeriod() > 1 ? tiles.exclusiveOr(vector, tile.swizzle(tiles, row)) : vector) {
  assert(tile.panels() == 1 || !start.vector);
  if (start.vector)
    swizzledVector = tiles.exclusiveOr(swizzledVector, start.vector);
  rowOffset = tiles.mul(start.row ? tiles.add(row, start.row) : row, tile.panelRowBytes);
}

Value TileAddress::pointer(TileBuilder &tiles, Value stage, int64_t row, int64_t vector) const {
  int64_t within = vector % tile.swizzlePeriod();
  Value rowPart = tiles.mul(tiles.exclusiveOr(swizzledVector, within), vectorBytes);
  Value varying = tiles.add(tiles.add(stage, rowOffset), rowPart);
  int64_t panel = vector / tile.panelVectors() * tile.panelBytes(), panelPart = vector % tile.panelVectors() - within;
  Value constant = tiles.constant(panel + row * tile.panelRowBytes + panelPart * vectorBytes);
  return tiles.at(tiles.at(tile.base, varying), constant);
}

/// Lane l provides the address of row l % 8 of 8x8 matrix l / 8. The second matrix is the next one along rows or
/// vectors.
static TileAddress matrixAddress(TileBuilder &tiles, const SharedTile &tile, FragmentReader::Matrix matrix,
                                 bool columnsAreDepth, Value lane, const WarpTileStart &start) {
  Value row = tiles.rem(lane, matrixRows), number = tiles.div(lane, matrixRows);
  if (matrix == FragmentReader::Matrix::DeepB)
    return TileAddress(tiles, tile, start, row, number);
  bool nextIsBelow = (matrix == FragmentReader::Matrix::A) == columnsAreDepth;
  Value next = tiles.rem(number, 2), second = tiles.div(number, 2);
  Value below = nextIsBelow ? next : second, beside = nextIsBelow ? second : next;
  return TileAddress(tiles, tile, start, tiles.add(row, tiles.mul(below, matrixRows)), beside);
}

FragmentReader::FragmentReader(TileBuilder &tiles, const SharedTile &tile, Matrix matrix, bool columnsAreDepth,
                               Value lane, const WarpTileStart &start)
    : tiles(tiles), tile(tile), isTransposed(!columnsAreDepth),
      address(matrixAddress(tiles, tile, matrix, columnsAreDepth, lane, start)) {
  assert(matrix != Matrix::DeepB || columnsAreDepth);
}

std::array<Value, 4> FragmentReader::read(Value stage, int64_t row, int64_t vector) {
  OpBuilder &b = tiles.builder;
  Type i32 = b.getI32Type();
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i32, i32});
  Value matrices = NVVM::LdMatrixOp::create(b, tiles.location, type, address.pointer(tiles, stage, row, vector), 4,
                                            isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
                                            NVVM::LdStMatrixShapeAttr::get(b.getContext(), matrixRows, matrixRows),
                                            NVVM::LdStMatrixEltType::B16);
  return membersOf<4>(tiles, matrices);
}

/// Address of the element in column g of row 2t (which = 0) or 2t + 1.
static TileAddress elementAddress(TileBuilder &tiles, const SharedTile &tile, Value lane, const WarpTileStart &start,
                                  int64_t which) {
  Value row = tiles.add(tiles.mul(tiles.rem(lane, 4), 2), which);
  return TileAddress(tiles, tile, start, row, tiles.div(lane, 4 * vectorBytes / 4));
}

TransposedReader::TransposedReader(TileBuilder &tiles, const SharedTile &tile, Value lane, const WarpTileStart &start)
    : tiles(tiles), tile(tile), elementOffset(tiles.mul(tiles.rem(tiles.div(lane, 4), vectorBytes / 4), 4)),
      addresses{elementAddress(tiles, tile, lane, start, 0), elementAddress(tiles, tile, lane, start, 1)} {}

FragmentB TransposedReader::read(Value stage, int64_t row, int64_t vector) {
  Value from = tiles.add(stage, elementOffset);
  auto element = [&](const TileAddress &address) {
    return tiles.load(tiles.builder.getI32Type(), address.pointer(tiles, from, row, vector));
  };
  return {element(addresses[0]), element(addresses[1])};
}

} // namespace attnc
