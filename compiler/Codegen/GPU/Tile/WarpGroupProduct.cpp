// LLVM has intrinsics for the fences and waits, but they say nothing of the registers that products write meanwhile: a
// use of a sum could move in front of the wait. So all of it is PTX text with the sums as operands that go in and out.
#include "compiler/Codegen/GPU/Tile/WarpGroupProduct.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include <cassert>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace attnc {

//===------------------------------------------ descriptors -------------------------------------------------------===//

SharedOperand::SharedOperand(const SharedTile &tile, MatrixType type, bool columnsAreDepth)
    : tile(tile), type(type), isTurned(!columnsAreDepth) {
  assert(llvm::is_contained({32, 64, 128}, tile.panelRowBytes) && "an order that wgmma knows");
  assert(type != MatrixType::TF32 || columnsAreDepth);
}

OperandPartInShared SharedOperand::part(TileBuilder &tiles, Value stage, Value outer, int64_t k) const {
  if (isTurned) {
    Value panel = tiles.mul(tiles.div(outer, tile.panelRowBytes / elementBytes(type)), tile.panelBytes());
    return {describe(tiles, tiles.add(tiles.add(stage, panel), k * tile.panelRowBytes)), true};
  }
  int64_t bytes = k * elementBytes(type), panel = bytes / tile.panelRowBytes * tile.panelBytes();
  Value row = tiles.add(stage, tiles.mul(outer, tile.panelRowBytes));
  return {describe(tiles, tiles.add(row, panel + bytes % tile.panelRowBytes)), false};
}

/// How the descriptor says which units of a row are exchanged.
static int64_t layoutCode(int64_t rowBytes) { return rowBytes == 128 ? 1 : rowBytes == 64 ? 2 : 3; }

/// `place`: bytes from the tile's base.
Value SharedOperand::describe(TileBuilder &tiles, Value place) const {
  constexpr int64_t addressBits = 18, unitBits = 4, panelAt = 16, patternAt = 32, layoutAt = 62;
  OpBuilder &b = tiles.builder;
  auto wide = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(b, tiles.location, value, 64); };
  auto inUnits = [&](int64_t bytes) { return bytes >> unitBits; };
  Value address = LLVM::PtrToIntOp::create(b, tiles.location, b.getI64Type(), tiles.at(tile.base, place));
  Value within = arith::AndIOp::create(b, tiles.location, address, wide((int64_t(1) << addressBits) - 1));
  Value start = arith::ShRUIOp::create(b, tiles.location, within, wide(unitBits));
  // Where the next panel begins is asked where a product is wider than one, with k along the columns.
  int64_t panel = isTurned && tile.panels() > 1 ? tile.panelBytes() : 0;
  int64_t shape = inUnits(panel) << panelAt | inUnits(exchangedRows * tile.panelRowBytes) << patternAt |
                  layoutCode(tile.panelRowBytes) << layoutAt;
  return arith::OrIOp::create(b, tiles.location, start, wide(shape));
}

//===------------------------------------------ products ----------------------------------------------------------===//

static std::vector<std::string> repeated(size_t count, const char *text) {
  return std::vector<std::string>(count, text);
}

/// `text` with the sums as operands that it changes, and `others` behind them: "$N" from twice as many on.
static ProductSums changeSums(TileBuilder &tiles, const std::string &text, ValueRange sums, ValueRange others,
                              std::vector<std::string> otherConstraints) {
  OpBuilder &b = tiles.builder;
  std::vector<std::string> constraints = repeated(sums.size(), "=f");
  for (size_t each = 0; each < sums.size(); ++each)
    constraints.push_back(std::to_string(each));
  constraints.insert(constraints.end(), otherConstraints.begin(), otherConstraints.end());
  SmallVector<Value> operands(sums);
  llvm::append_range(operands, others);
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(sums.size(), b.getF32Type()));
  auto changed = LLVM::InlineAsmOp::create(b, tiles.location, type, operands, text,
                                           fmt::format("{}", fmt::join(constraints, ",")), /*has_side_effects=*/true,
                                           /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                           /*asm_dialect=*/nullptr, /*operand_attrs=*/nullptr);
  ProductSums members;
  for (int64_t each = 0; each < static_cast<int64_t>(sums.size()); ++each)
    members.push_back(LLVM::ExtractValueOp::create(b, tiles.location, changed.getRes(), ArrayRef{each}));
  return members;
}

ProductSums beginProducts(TileBuilder &tiles, ValueRange sums) {
  return changeSums(tiles, "wgmma.fence.sync.aligned;", sums, {}, {});
}

void closeProducts(TileBuilder &tiles) { NVVM::WgmmaGroupSyncAlignedOp::create(tiles.builder, tiles.location); }

ProductSums awaitProducts(TileBuilder &tiles, int64_t open, ValueRange sums, ValueRange kept) {
  return changeSums(tiles, fmt::format("wgmma.wait_group.sync.aligned {};", open), sums, kept,
                    repeated(kept.size(), "r"));
}

static std::string_view nameOf(MatrixType type) {
  return type == MatrixType::F16 ? "f16" : type == MatrixType::BF16 ? "bf16" : "tf32";
}

static std::string registers(size_t first, size_t count) {
  std::vector<std::string> names;
  for (size_t each = 0; each < count; ++each)
    names.push_back(fmt::format("${}", first + each));
  return fmt::format("{{{}}}", fmt::join(names, ", "));
}

static ProductSums multiplyAdd(TileBuilder &tiles, MatrixType type, ValueRange a, std::optional<bool> aIsTurned,
                               const OperandPartInShared &b, ValueRange sums, Value keepsSums) {
  assert(type != MatrixType::TF32 || (!aIsTurned.value_or(false) && !b.isTurned));
  size_t firstA = 2 * sums.size(), atB = firstA + a.size(), atKeeps = atB + 1;
  std::string left = aIsTurned ? fmt::format("${}", firstA) : registers(firstA, a.size());
  std::string turns;
  if (type != MatrixType::TF32)
    turns = (aIsTurned ? fmt::format(", {}", int(*aIsTurned)) : "") + fmt::format(", {}", int(b.isTurned));
  std::string text = fmt::format("{{ .reg .pred p; setp.ne.b32 p, ${}, 0; "
                                 "wgmma.mma_async.sync.aligned.m64n{}k{}.f32.{}.{} {}, {}, ${}, p, 1, 1{}; }}",
                                 atKeeps, 2 * sums.size(), productDepth(type), nameOf(type), nameOf(type),
                                 registers(0, sums.size()), left, atB, turns);
  SmallVector<Value> operands(a);
  operands.push_back(b.descriptor);
  operands.push_back(
      keepsSums ? tiles.builder.createOrFold<arith::ExtUIOp>(tiles.location, tiles.builder.getI32Type(), keepsSums)
                : tiles.number(1));
  std::vector<std::string> constraints = repeated(a.size(), aIsTurned ? "l" : "r");
  constraints.insert(constraints.end(), {"l", "r"});
  return changeSums(tiles, text, sums, operands, constraints);
}

ProductSums multiplyAdd(TileBuilder &tiles, MatrixType type, const OperandPartInShared &a, const OperandPartInShared &b,
                        ValueRange sums, Value keepsSums) {
  return multiplyAdd(tiles, type, a.descriptor, a.isTurned, b, sums, keepsSums);
}

ProductSums multiplyAdd(TileBuilder &tiles, MatrixType type, const FragmentA &a, const OperandPartInShared &b,
                        ValueRange sums, Value keepsSums) {
  return multiplyAdd(tiles, type, ValueRange(a), std::nullopt, b, sums, keepsSums);
}

} // namespace attnc
