// Compares tiles that the device copies with plain loops, and tests mutants of kernels that make and use tensor maps.
#include "compiler/Codegen/GPU/Tile/TensorMap.h"
#include "compiler/Codegen/GPU/Tile/TileRing.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tests/compiler/Codegen/GPU/TestKernel.h"
#include "tests/support/ParsedModule.h"
#include "tests/support/Ptxas.h"
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

using namespace mlir;

namespace attnc {
namespace {

constexpr std::string_view target = "cuda:sm_90a";

/// Boxes of a tensor, one per stage. Dimensions are innermost first; in memory all but the first have any order.
struct BoxCase {
  int64_t elementBytes, rowBytes;
  std::vector<int64_t> sizes, rows;        ///< elements of each dimension; of a box, all but the first
  std::vector<size_t> order;               ///< dimensions but the first, by increasing stride
  std::vector<std::vector<int32_t>> boxes; ///< coordinates of their first elements
  bool isDynamic = false;                  ///< true if the size of the outermost dimension is dynamic
  bool roundsToTf32 = false;

  int64_t tileRows() const {
    int64_t count = 1;
    for (int64_t side : rows)
      count *= side;
    return count;
  }
  int64_t stages() const { return static_cast<int64_t>(boxes.size()); }
  /// Returns the strides of dimensions 1 and up, and the size of the tensor, in bytes.
  std::vector<int64_t> strides() const {
    std::vector<int64_t> made(sizes.size());
    int64_t next = (sizes[0] * elementBytes + vectorBytes - 1) / vectorBytes * vectorBytes;
    for (size_t dimension : order) {
      made[dimension - 1] = next;
      next *= sizes[dimension];
    }
    made.back() = next;
    return made;
  }
  /// Returns the shape of the input: rows of the outermost dimension, and words per row.
  std::vector<int64_t> shape() const {
    int64_t outer = sizes[order.back()];
    return {outer, strides().back() / outer / 4};
  }
};

MappedTensor mappedOf(const BoxCase &of) {
  MappedTensor tensor{0, SizeExpr(0), of.elementBytes, {}, {}, {of.rowBytes / of.elementBytes}};
  for (int64_t size : of.sizes)
    tensor.sizes.push_back(size);
  if (of.isDynamic)
    tensor.sizes[of.order.back()] = SizeExpr::symbol(0);
  std::vector<int64_t> strides = of.strides();
  for (int64_t stride : llvm::ArrayRef(strides).drop_back())
    tensor.strides.push_back(stride);
  tensor.box.append(of.rows.begin(), of.rows.end());
  tensor.roundsToTf32 = of.roundsToTf32;
  return tensor;
}

/// Thread 0 copies; all threads of two warps wait and write the tiles. Returns the bytes of shared memory.
int64_t fillBoxes(const BoxCase &of, DeviceFrame &frame, TileBuilder &tiles) {
  BlockMemory memory(tiles, frame.code);
  SharedTile tile(memory, of.tileRows(), of.rowBytes, of.stages());
  TileRing ring = TileRing::forBulkCopies(memory, of.stages(), /*emptiers=*/1);
  Value thread = tiles.fromIndex(frame.position.thread);
  ring.open(tiles, thread);
  tiles.when(tiles.equal(thread, tiles.constant(0)), [&] {
    TensorMap map = TensorMaps(mappedOf(of)).acquire(tiles, frame, 0);
    for (auto [number, box] : llvm::enumerate(of.boxes)) {
      Value stage = tiles.constant(static_cast<int64_t>(number));
      TileBuilder::Values coordinates;
      for (int32_t each : box)
        coordinates.push_back(tiles.constant(each));
      ring.expect(tiles, stage, tile.bytes());
      map.copy(tiles, tile, tile.stageOffset(tiles, stage), coordinates, ring.full(tiles, stage));
    }
  });
  int64_t rowWords = of.rowBytes / 4, words = of.tileRows() * rowWords;
  for (int64_t number = 0; number < of.stages(); ++number) {
    ring.awaitFull(tiles, {tiles.constant(number), tiles.constant(0)});
    tiles.loop(thread, tiles.constant(words), 64, {}, [&](Value word, ValueRange) {
      Value column = tiles.rem(word, rowWords);
      Value offset = tile.vectorOffset(tiles, tiles.div(word, rowWords), tiles.div(column, 4));
      offset = tiles.add(tiles.add(offset, tile.stageOffset(tiles, tiles.constant(number))),
                         tiles.mul(tiles.rem(column, 4), 4));
      Value value = tiles.load(tiles.builder.getF32Type(), tiles.at(tile.base, offset));
      tiles.store(value, tiles.at(frame.pointer(1), tiles.mul(tiles.add(word, number * words), 4)));
      return TileBuilder::Values();
    });
  }
  return memory.bytes();
}

TestKernel boxKernel(const BoxCase &of) {
  std::vector<int64_t> shape = of.shape();
  if (of.isDynamic)
    shape[0] = ShapedType::kDynamic;
  return {{shape},
          {of.stages() * of.tileRows(), of.rowBytes / 4},
          64,
          [of](DeviceFrame &frame, TileBuilder &tiles) { return fillBoxes(of, frame, tiles); },
          {mappedOf(of)}};
}

HostArray tensorOf(const BoxCase &of) {
  HostArray numbers = HostArray::random(of.shape(), 1);
  numbers.kind = ElementKind::I32;
  return numbers;
}

/// Returns bits, because two neighbouring halves may form a NaN.
std::vector<uint32_t> expectedBoxes(const BoxCase &of, const HostArray &tensor) {
  std::vector<int64_t> strides = of.strides();
  std::vector<uint32_t> result(of.stages() * of.tileRows() * of.rowBytes / 4, 0);
  char *to = reinterpret_cast<char *>(result.data());
  for (const std::vector<int32_t> &box : of.boxes)
    for (int64_t row = 0; row < of.tileRows(); ++row, to += of.rowBytes) {
      bool isThere = true;
      int64_t left = row, from = 0;
      for (size_t dimension = 1; dimension < of.sizes.size(); ++dimension) {
        int64_t at = box[dimension] + left % of.rows[dimension - 1];
        left /= of.rows[dimension - 1];
        isThere &= at >= 0 && at < of.sizes[dimension];
        from += at * strides[dimension - 1];
      }
      for (int64_t column = 0; isThere && column < of.rowBytes / of.elementBytes; ++column)
        if (int64_t at = box[0] + column; at >= 0 && at < of.sizes[0])
          std::memcpy(to + column * of.elementBytes, tensor.bytes.data() + from + at * of.elementBytes,
                      of.elementBytes);
    }
  for (uint32_t &word : result)
    word = of.roundsToTf32 ? (word + 0x1000u) & 0xffffe000u : word;
  return result;
}

std::vector<uint32_t> bitsOf(const Found &found) {
  std::vector<uint32_t> bits;
  for (float value : found.values)
    bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

std::vector<BoxCase> boxCases() {
  std::vector<BoxCase> cases;
  for (int64_t elementBytes : {2, 4})
    for (int64_t rowBytes : {32, 64, 128}) {
      auto width = static_cast<int32_t>(rowBytes / elementBytes);
      cases.push_back({elementBytes,
                       rowBytes,
                       {3 * width - 5, 37},
                       {32},
                       {1},
                       {{0, 0}, {width, 5}, {2 * width, 5}, {2 * width + 1, 20}, {-3, -7}, {5, 36}, {4 * width, 0}}});
    }
  cases.push_back({2, 128, {64, 300}, {256}, {1}, {{0, 0}, {0, 256}}, true});
  cases.push_back({2, 128, {64, 5, 3, 2}, {8, 1, 1}, {2, 1, 3}, {{0, 0, 2, 1}, {0, -1, 0, 0}, {0, 0, 1, 2}}, true});
  cases.push_back({4, 64, {20, 3, 4, 2, 3}, {2, 4, 1, 2}, {4, 2, 1, 3}, {{0, 0, 0, 1, 2}, {16, 2, 1, 0, -1}}});
  cases.push_back(cases.back());
  cases.back().roundsToTf32 = true;
  return cases;
}

std::string nameOf(const BoxCase &of) {
  return fmt::format("{} dimensions, rows of {} bytes in elements of {}", of.sizes.size(), of.rowBytes,
                     of.elementBytes);
}

TEST(TensorMap, BoxesOfAnyTensorFromAnywhere) {
  for (const BoxCase &each : boxCases()) {
    HostArray tensor = tensorOf(each);
    for (bool reversed : {false, true}) {
      Found found = run(boxKernel(each), {tensor}, reversed, nullptr, target);
      EXPECT_EQ(found.message, "") << nameOf(each);
      EXPECT_EQ(bitsOf(found), expectedBoxes(each, tensor)) << nameOf(each);
    }
  }
}

TEST(TensorMap, Assembles) {
  if (!hasPtxas())
    GTEST_SKIP() << "this machine has no ptxas";
  for (const BoxCase &each : boxCases()) {
    Found found = run(boxKernel(each), {tensorOf(each)}, false, nullptr, target);
    EXPECT_NE(found.ptx.find(".version 8.6\n"), std::string::npos);
    EXPECT_EQ(ptxasFault(found.ptx, "sm_90a"), "") << nameOf(each);
  }
}

//===------------------------------------------ mutants -----------------------------------------------------------===//

Mutant changed(const std::string &name, std::function<bool(Operation *)> isPicked, unsigned operand,
               std::function<Value(OpBuilder &, Value)> change) {
  return {name, std::move(isPicked), [=](Operation *op) {
            OpBuilder b(op);
            op->setOperand(operand, change(b, op->getOperand(operand)));
          }};
}

Value plus(OpBuilder &b, Value number, int64_t more) {
  Value other = arith::ConstantIntOp::create(b, number.getLoc(), more, 32);
  return arith::AddIOp::create(b, number.getLoc(), number, other);
}

/// Returns mutants of each op that makes, releases, acquires or uses a map, or waits for the tile.
std::vector<Mutant> boxMutants() {
  auto isExpectation = [](Operation *op) { return isa<NVVM::MBarrierArriveExpectTxOp>(op); };
  auto more = [](OpBuilder &b, Value bytes) { return plus(b, bytes, vectorBytes); };
  auto less = [](OpBuilder &b, Value bytes) { return plus(b, bytes, -vectorBytes); };
  auto never = [](OpBuilder &b, Value wait) { return arith::ConstantIntOp::create(b, wait.getLoc(), 0, 1); };
  auto inMaking = [](Operation *op) {
    auto function = op->getParentOfType<func::FuncOp>();
    return function && function.getName() == "k$maps";
  };
  return {
      without<NVVM::MBarrierArriveExpectTxOp>(),
      changed("more bytes expected", isExpectation, 1, more),
      changed("fewer bytes expected", isExpectation, 1, less),
      without<scf::WhileOp>(),
      changed(
          "a wait that gives up", [](Operation *op) { return isa<scf::ConditionOp>(op); }, 0, never),
      without<NVVM::FenceProxyAcquireOp>(),
      without<NVVM::CpAsyncBulkWaitGroupOp>(),
      without<NVVM::FenceProxyOp>(),
      without<NVVM::SyncWarpOp>(),
      without<LLVM::CallIntrinsicOp>(),
      without<LLVM::InlineAsmOp>(),
      without<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(),
      {"a map that is not cleared", [=](Operation *op) { return isa<LLVM::StoreOp>(op) && inMaking(op); }, removeOp},
      {"a map that is not aligned",
       [](Operation *op) { return isa<arith::AndIOp>(op) && op->getResult(0).getType().isInteger(64); },
       [](Operation *op) {
         OpBuilder b(op);
         op->getResult(0).replaceAllUsesWith(arith::ConstantIntOp::create(b, op->getLoc(), 16, 64));
       }},
  };
}

TEST(TensorMapMutants, EachFieldFenceAndWaitIsNeeded) {
  BoxCase of{2, 64, {70, 20}, {16}, {1}, {{0, 0}, {64, 8}}};
  HostArray tensor = tensorOf(of);
  std::vector<uint32_t> expected = expectedBoxes(of, tensor);
  auto isSeen = [&](const Mutation &mutate) {
    return llvm::any_of(std::array{false, true}, [&](bool reversed) {
      Found found = run(boxKernel(of), {tensor}, reversed, mutate, target);
      return !found.message.empty() || bitsOf(found) != expected;
    });
  };
  expectEachIsSeen(boxMutants(), isSeen);
}

//===------------------------------------------ mappable tensors --------------------------------------------------===//

std::string refusalOf(const MappedTensor &tensor, StringRef attributes = "") {
  ParsedModule parsed("func.func private @k(%a: tensor<?x64xf32>" + attributes.str() +
                      ") -> tensor<?x64xf32> { return %a : tensor<?x64xf32> }");
  return tensor.check(parsed.function()).reason;
}

TEST(MappedTensor, SaysWhyItCannotBeCopied) {
  SizeExpr rows = SizeExpr::symbol(0);
  MappedTensor right{0, SizeExpr(32), 4, {64, rows}, {256}, {32, 64}};
  EXPECT_EQ(refusalOf(right), "");
  EXPECT_EQ(refusalOf(right, " {attn.unaligned}"), "a tensor may not be aligned to 16 bytes");
  auto with = [&](const std::function<void(MappedTensor &)> &change) {
    MappedTensor other = right;
    change(other);
    return refusalOf(other);
  };
  EXPECT_EQ(with([&](MappedTensor &t) { t.sizes.assign(6, rows), t.strides.assign(5, 16), t.box.assign(6, 8); }),
            "it has 6 dimensions; a tile is copied from 2 to 5");
  EXPECT_EQ(with([](MappedTensor &t) { t.box[1] = 257; }),
            "a tile has 257 elements along a dimension, expected up to 256");
  EXPECT_EQ(with([](MappedTensor &t) { t.box[1] = 12; }), "a tile has 12 rows, expected a multiple of 8");
  EXPECT_EQ(with([](MappedTensor &t) { t.box[0] = 64; }), "a tile has rows of 256 bytes, expected 32, 64 or 128");
  std::string large = "its sizes do not fit in the fields of a tensor map";
  EXPECT_EQ(with([](MappedTensor &t) { t.sizes[1] = int64_t(1) << 31; }), large);
  EXPECT_EQ(with([](MappedTensor &t) { t.strides[0] = int64_t(1) << 40; }), large);
  std::string apart = "the distance between its rows is not a multiple of 16 bytes";
  EXPECT_EQ(with([](MappedTensor &t) { t.start = 8; }), apart);
  EXPECT_EQ(with([&](MappedTensor &t) { t.strides[0] = rows * 8; }), apart);
  EXPECT_EQ(with([&](MappedTensor &t) { t.strides[0] = SizeExpr::min(rows, 16) * 16; }), apart);
  EXPECT_EQ(with([&](MappedTensor &t) { t.strides[0] = rows * 16; }), "");
}

} // namespace
} // namespace attnc
