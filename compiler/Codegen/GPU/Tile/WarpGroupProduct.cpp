// LLVM's intrinsics for the fences and waits do not mention the registers that products write asynchronously, so a use
// of a sum could move before the wait. Hence fences and waits are inline PTX with the sums as read-write operands.
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
    : tile(tile), type(type), isTransposed(!columnsAreDepth) {
  assert(llvm::is_contained({32, 64, 128}, tile.panelRowBytes) && "a swizzle that wgmma supports");
  assert(type != MatrixType::TF32 || columnsAreDepth);
}

SharedOperandSlice SharedOperand::slice(TileBuilder &tiles, Value stage, Value outer, int64_t k) const {
  if (isTransposed) {
    Value panel = tiles.mul(tiles.div(outer, tile.panelRowBytes / elementBytes(type)), tile.panelBytes());
    return {describe(tiles, tiles.add(tiles.add(stage, panel), k * tile.panelRowBytes)), true};
  }
  int64_t bytes = k * elementBytes(type), panel = bytes / tile.panelRowBytes * tile.panelBytes();
  Value row = tiles.add(stage, tiles.mul(outer, tile.panelRowBytes));
  return {describe(tiles, tiles.add(row, panel + bytes % tile.panelRowBytes)), false};
}

/// The swizzle field of the descriptor.
static int64_t layoutCode(int64_t rowBytes) { return rowBytes == 128 ? 1 : rowBytes == 64 ? 2 : 3; }

/// `offset`: bytes from the tile's base.
Value SharedOperand::describe(TileBuilder &tiles, Value offset) const {
  constexpr int64_t addressBits = 18, vectorBits = 4, panelAt = 16, patternAt = 32, layoutAt = 62;
  OpBuilder &b = tiles.builder;
  auto wide = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(b, tiles.location, value, 64); };
  auto inVectors = [&](int64_t bytes) { return bytes >> vectorBits; };
  Value address = LLVM::PtrToIntOp::create(b, tiles.location, b.getI64Type(), tiles.at(tile.base, offset));
  Value within = arith::AndIOp::create(b, tiles.location, address, wide((int64_t(1) << addressBits) - 1));
  Value start = arith::ShRUIOp::create(b, tiles.location, within, wide(vectorBits));
  // The offset to the next panel matters for transposed products that are wider than a panel.
  int64_t panel = isTransposed && tile.panels() > 1 ? tile.panelBytes() : 0;
  int64_t shape = inVectors(panel) << panelAt | inVectors(swizzleRows * tile.panelRowBytes) << patternAt |
                  layoutCode(tile.panelRowBytes) << layoutAt;
  return arith::OrIOp::create(b, tiles.location, start, wide(shape));
}

//===------------------------------------------ products ----------------------------------------------------------===//

static std::vector<std::string> repeated(size_t count, const char *text) {
  return std::vector<std::string>(count, text);
}

/// Inline PTX `text` with `sums` as read-write operands, followed by `others`: their "$N" start at 2 * sums.size().
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

void commitProducts(TileBuilder &tiles) { NVVM::WgmmaGroupSyncAlignedOp::create(tiles.builder, tiles.location); }

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

static ProductSums multiplyAdd(TileBuilder &tiles, MatrixType type, ValueRange a, std::optional<bool> aIsTransposed,
                               const SharedOperandSlice &b, ValueRange sums, Value accumulates) {
  assert(type != MatrixType::TF32 || (!aIsTransposed.value_or(false) && !b.isTransposed));
  size_t firstA = 2 * sums.size(), atB = firstA + a.size(), atAccumulates = atB + 1;
  std::string left = aIsTransposed ? fmt::format("${}", firstA) : registers(firstA, a.size());
  std::string transposes;
  if (type != MatrixType::TF32)
    transposes =
        (aIsTransposed ? fmt::format(", {}", int(*aIsTransposed)) : "") + fmt::format(", {}", int(b.isTransposed));
  std::string text = fmt::format("{{ .reg .pred p; setp.ne.b32 p, ${}, 0; "
                                 "wgmma.mma_async.sync.aligned.m64n{}k{}.f32.{}.{} {}, {}, ${}, p, 1, 1{}; }}",
                                 atAccumulates, 2 * sums.size(), productDepth(type), nameOf(type), nameOf(type),
                                 registers(0, sums.size()), left, atB, transposes);
  SmallVector<Value> operands(a);
  operands.push_back(b.descriptor);
  operands.push_back(
      accumulates ? tiles.builder.createOrFold<arith::ExtUIOp>(tiles.location, tiles.builder.getI32Type(), accumulates)
                  : tiles.constant(1));
  std::vector<std::string> constraints = repeated(a.size(), aIsTransposed ? "l" : "r");
  constraints.insert(constraints.end(), {"l", "r"});
  return changeSums(tiles, text, sums, operands, constraints);
}

ProductSums multiplyAdd(TileBuilder &tiles, MatrixType type, const SharedOperandSlice &a, const SharedOperandSlice &b,
                        ValueRange sums, Value accumulates) {
  return multiplyAdd(tiles, type, a.descriptor, a.isTransposed, b, sums, accumulates);
}

ProductSums multiplyAdd(TileBuilder &tiles, MatrixType type, const FragmentA &a, const SharedOperandSlice &b,
                        ValueRange sums, Value accumulates) {
  return multiplyAdd(tiles, type, ValueRange(a), std::nullopt, b, sums, accumulates);
}

} // namespace attnc
