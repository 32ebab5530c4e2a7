// Compares the building blocks of kernels with tensor cores, each in a small kernel, with plain loops, and tests
// mutants of these kernels, which must differ.
#include "compiler/Codegen/GPU/Tile/AsyncCopy.h"
#include "compiler/Codegen/GPU/Tile/OperandFragment.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tests/compiler/Codegen/GPU/TestKernel.h"
#include "tests/support/Ptxas.h"
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

using namespace mlir;

namespace attnc {
namespace {

//===------------------------------------------ tiles -------------------------------------------------------------===//

TEST(SharedTile, EightRowsLieInAllBanks) {
  TestKernel kernel{{}, {1}, 32, [](DeviceFrame &frame, TileBuilder &tiles) {
                      for (int64_t rowBytes : {16, 32, 48, 64, 80, 96, 128, 160, 192, 256, 512}) {
                        BlockMemory memory(tiles, frame.code);
                        SharedTile tile(memory, 16, rowBytes);
                        std::set<int64_t> all;
                        for (int64_t first : {0, 8})
                          for (int64_t unit = 0; unit < tile.rowVectors(); ++unit) {
                            std::set<int64_t> banks;
                            for (int64_t row = first; row < first + 8; ++row) {
                              Value position = tile.vectorOffset(tiles, tiles.constant(row), tiles.constant(unit));
                              banks.insert(*getConstantIntValue(position) % 128);
                              all.insert(*getConstantIntValue(position));
                            }
                            EXPECT_EQ(banks.size(), 8u) << rowBytes << " bytes a row, unit " << unit;
                          }
                        EXPECT_EQ(all.size(), static_cast<size_t>(16 * tile.rowVectors()));
                        EXPECT_EQ(*all.rbegin(), tile.bytes() - vectorBytes);
                      }
                      return 0;
                    }};
  EXPECT_EQ(run(kernel, {}).message, "");
}

/// Copies rows x words of a matrix to a tile of twice as many rows, whose remainder is zero, and writes the tile.
struct CopyCase {
  int64_t tileRows, rowBytes, rows, validBytes;
};

TestKernel copyKernel(const CopyCase &of, int64_t stride) {
  int64_t words = of.rowBytes / 4;
  return {{{of.rows, stride / 4}}, {of.tileRows, words}, 64, [=](DeviceFrame &frame, TileBuilder &tiles) {
            OpBuilder &b = tiles.builder;
            BlockMemory memory(tiles, frame.code);
            memory.allocate(16);
            SharedTile tile(memory, of.tileRows, of.rowBytes, 2);
            Value thread = tiles.fromIndex(frame.position.thread), stage = tile.stageOffset(tiles, tiles.constant(1));
            auto wide = [&](int64_t value) { return arith::ConstantIntOp::create(b, tiles.location, value, 64); };
            auto rowOffset = [&](Value row) -> Value {
              return arith::MulIOp::create(b, tiles.location, tiles.widen(row), wide(stride));
            };
            TileCopy copy(tiles, tile, {frame.pointer(0), rowOffset}, thread, 64);
            copy.issue(stage, wide(0), tiles.constant(of.rows), tiles.constant(of.validBytes));
            commitCopies(tiles);
            awaitCopies(tiles, 0);
            tiles.syncBlock();
            tiles.loop(thread, tiles.constant(of.tileRows * words), 64, {}, [&](Value word, ValueRange) {
              Value column = tiles.rem(word, words);
              Value position = tile.vectorOffset(tiles, tiles.div(word, words), tiles.div(column, 4));
              Value bytes = tiles.add(tiles.add(stage, position), tiles.mul(tiles.rem(column, 4), 4));
              Value value = tiles.load(b.getF32Type(), tiles.at(tile.base, bytes));
              tiles.store(value, tiles.at(frame.pointer(1), tiles.mul(word, 4)));
              return TileBuilder::Values();
            });
            return memory.bytes();
          }};
}

std::vector<float> copied(const CopyCase &of, const HostArray &source, int64_t stride) {
  std::vector<float> tile(of.tileRows * of.rowBytes / 4, 0);
  for (int64_t row = 0; row < of.rows; ++row)
    for (int64_t column = 0; column < of.validBytes / 4; ++column)
      tile[row * of.rowBytes / 4 + column] = std::bit_cast<float>(source.i32()[row * stride / 4 + column]);
  return tile;
}

HostArray wordsOf(std::vector<int64_t> shape, uint64_t seed) {
  HostArray numbers = HostArray::random(shape, seed);
  numbers.kind = ElementKind::I32;
  return numbers;
}

TEST(AsyncCopy, FillsATileAndClearsWhatTheMatrixHasNot) {
  for (int64_t rowBytes : {32, 48, 64, 128, 160, 256})
    for (int64_t rows : {32, 31, 1})
      for (int64_t less : {0, 4, 20}) {
        CopyCase each{32, rowBytes, rows, rowBytes - less};
        int64_t stride = (each.validBytes + 15) / 16 * 16 + 16;
        HostArray source = wordsOf({rows, stride / 4}, 1);
        TestKernel kernel = copyKernel(each, stride);
        for (bool reversed : {false, true}) {
          Found found = run(kernel, {source}, reversed);
          EXPECT_EQ(found.message, "");
          EXPECT_EQ(found.values, copied(each, source, stride)) << rows << " rows of " << each.validBytes;
        }
      }
}

//===------------------------------------------ products ----------------------------------------------------------===//

/// D[32 x 32] = A * B by two warps, of which the second computes the right half, with `steps` products in two stages.
struct ProductCase {
  MatrixType type;
  bool turnedA, turnedB; ///< stored as [depth x size]
  int64_t steps;
  int64_t size = 32;
  int64_t depth() const { return steps * productDepth(type); }
};

std::vector<int64_t> wordsShape(const ProductCase &of, bool turned) {
  int64_t rows = turned ? of.depth() : of.size, columns = turned ? of.size : of.depth();
  return {rows, columns * elementBytes(of.type) / 4};
}

/// Multiplies a depth of 16 if B is stored along it, or of 8 if words are read one by one, in another order.
void addWords(const ProductCase &of, TileBuilder &tiles, FragmentReader &readA, Value stageA, int64_t row,
              const SharedTile &tileB, Value stageB, const WarpTileStart &part, Value lane, FragmentD *sums) {
  auto multiply = [&](const FragmentA &a, const FragmentB &b, FragmentD &sum) {
    sum = multiplyAdd(tiles, of.type, operandFragment(tiles, of.type, a), operandFragment(tiles, of.type, b), sum);
  };
  if (of.turnedB) {
    TransposedReader readB(tiles, tileB, lane, part);
    for (int64_t k = 0; k < of.depth(); k += 8)
      for (int64_t side : {0, 1})
        multiply(readA.read(stageA, row, k / 4), readB.read(stageB, k, 2 * side), sums[side]);
    return;
  }
  FragmentReader readB(tiles, tileB, FragmentReader::Matrix::DeepB, /*columnsAreDepth=*/true, lane, part);
  for (int64_t k = 0; k < of.depth(); k += 16)
    for (int64_t side : {0, 1}) {
      std::array<Value, 4> b = readB.read(stageB, 8 * side, k / 4);
      multiply(readA.read(stageA, row, k / 4), {b[0], b[1]}, sums[side]);
      multiply(readA.read(stageA, row, k / 4 + 2), {b[2], b[3]}, sums[side]);
    }
}

int64_t fillProduct(const ProductCase &of, DeviceFrame &frame, TileBuilder &tiles) {
  OpBuilder &b = tiles.builder;
  int64_t bytes = elementBytes(of.type);
  BlockMemory memory(tiles, frame.code);
  auto tileOf = [&](bool turned) {
    std::vector<int64_t> shape = wordsShape(of, turned);
    return SharedTile(memory, shape[0], shape[1] * 4);
  };
  SharedTile tileA = tileOf(of.turnedA), tileB = tileOf(of.turnedB);
  Value thread = tiles.fromIndex(frame.position.thread), lane = tiles.rem(thread, 32), warp = tiles.div(thread, 32);
  auto wide = [&](int64_t value) { return arith::ConstantIntOp::create(b, tiles.location, value, 64); };
  Value stageA = tileA.stageOffset(tiles, tiles.constant(0)), stageB = tileB.stageOffset(tiles, tiles.constant(0));
  for (auto [number, tile, stage] : {std::tuple(0u, &tileA, stageA), std::tuple(1u, &tileB, stageB)}) {
    auto rowOffset = [&](Value row) { return tiles.widen(tiles.mul(row, tile->rowBytes)); };
    TileCopy copy(tiles, *tile, {frame.pointer(number), rowOffset}, thread, 64);
    copy.issue(stage, wide(0), nullptr, nullptr);
    commitCopies(tiles);
  }
  awaitCopies(tiles, 0);
  tiles.syncBlock();
  int64_t half = of.size / 2;
  using Matrix = FragmentReader::Matrix;
  Value rows = of.turnedB ? Value() : tiles.mul(warp, half);
  Value units = of.turnedB ? tiles.mul(warp, half * bytes / vectorBytes) : Value();
  FragmentReader readA(tiles, tileA, Matrix::A, !of.turnedA, lane, {});
  FragmentReader readB(tiles, tileB, Matrix::B, !of.turnedB, lane, {rows, units});
  FragmentPosition position = fragmentPosition(tiles, lane);
  for (int64_t row = 0; row < of.size; row += productRows) {
    FragmentD sums[2] = {zeroFragment(tiles), zeroFragment(tiles)};
    if (of.type == MatrixType::F32)
      addWords(of, tiles, readA, stageA, row, tileB, stageB, {rows, units}, lane, sums);
    for (int64_t k = 0; of.type != MatrixType::F32 && k < of.depth(); k += productDepth(of.type)) {
      int64_t unit = k * bytes / vectorBytes;
      FragmentA a = of.turnedA ? readA.read(stageA, k, row * bytes / vectorBytes) : readA.read(stageA, row, unit);
      std::array<Value, 4> two = of.turnedB ? readB.read(stageB, k, 0) : readB.read(stageB, 0, unit);
      sums[0] = multiplyAdd(tiles, of.type, a, {two[0], two[1]}, sums[0]);
      sums[1] = multiplyAdd(tiles, of.type, a, {two[2], two[3]}, sums[1]);
    }
    for (int64_t side : {0, 1})
      for (int64_t each = 0; each < 4; ++each) {
        Value at = tiles.mul(tiles.add(position.row, row + each / 2 * 8), of.size);
        at = tiles.add(tiles.add(at, tiles.mul(warp, half)), tiles.add(position.column, side * 8 + each % 2));
        tiles.store(sums[side][each], tiles.at(frame.pointer(2), tiles.mul(at, 4)));
      }
  }
  return memory.bytes();
}

TestKernel productKernel(const ProductCase &of) {
  return {{wordsShape(of, of.turnedA), wordsShape(of, of.turnedB)},
          {of.size, of.size},
          64,
          [of](DeviceFrame &frame, TileBuilder &tiles) { return fillProduct(of, frame, tiles); }};
}

struct ProductInputs {
  TestMatrix a, b;
  explicit ProductInputs(const ProductCase &of)
      : a(of.type, of.turnedA ? of.depth() : of.size, of.turnedA ? of.size : of.depth(), 1),
        b(of.type, of.turnedB ? of.depth() : of.size, of.turnedB ? of.size : of.depth(), 2) {}

  /// Returns the index of B's depth for index k of A's: transposed words have the order of a left matrix that was D.
  static int64_t depthOfB(const ProductCase &of, int64_t k) {
    bool isReordered = of.type == MatrixType::F32 && of.turnedB;
    return isReordered ? k / 8 * 8 + k % 4 * 2 + k % 8 / 4 : k;
  }
  double expected(const ProductCase &of, int64_t row, int64_t column) const {
    double sum = 0;
    for (int64_t k = 0; k < of.depth(); ++k)
      sum += static_cast<double>(a.at(row, k, of.turnedA)) * b.at(column, depthOfB(of, k), of.turnedB);
    return sum;
  }
};

/// Returns the first wrong element, or ""; sums of f32 may have any order.
std::string differenceOf(const ProductCase &of, const ProductInputs &inputs, const std::vector<float> &found) {
  double limit = 2 * static_cast<double>(of.depth()) * std::ldexp(1.0, -23);
  for (int64_t row = 0; row < of.size; ++row)
    for (int64_t column = 0; column < of.size; ++column) {
      double expected = inputs.expected(of, row, column), value = found[row * of.size + column];
      if (!(std::abs(expected - value) <= limit))
        return fmt::format("({}, {}) is {}, expected {}", row, column, value, expected);
    }
  return "";
}

std::vector<ProductCase> productCases() {
  std::vector<ProductCase> cases;
  for (MatrixType type : {MatrixType::F16, MatrixType::BF16, MatrixType::TF32})
    for (bool turnedA : {false, true})
      for (bool turnedB : {false, true})
        for (int64_t steps : {1, 2, 3, 4, 8})
          if (type != MatrixType::TF32 || (!turnedA && !turnedB))
            cases.push_back({type, turnedA, turnedB, steps});
  for (int64_t steps : {2, 4, 8, 12})
    for (bool turnedB : {false, true})
      cases.push_back({MatrixType::F32, false, turnedB, steps});
  return cases;
}

TEST(Fragment, ProductsOfTilesOfAnyLayout) {
  for (const ProductCase &each : productCases()) {
    ProductInputs inputs(each);
    for (bool reversed : {false, true}) {
      Found found = run(productKernel(each), {inputs.a.words, inputs.b.words}, reversed);
      ASSERT_EQ(found.message, "");
      EXPECT_EQ(differenceOf(each, inputs, found.values), "")
          << static_cast<int>(each.type) << each.turnedA << each.turnedB << " depth " << each.depth();
    }
  }
}

/// The lanes read words of eight rows from distinct banks.
TEST(TransposedReader, ReadFromAllBanks) {
  for (int64_t rowBytes : {64, 128, 192, 256, 384, 512, 1024}) {
    std::vector<std::set<int64_t>> banks(2);
    TestKernel kernel{{}, {1}, 32, [&](DeviceFrame &frame, TileBuilder &tiles) {
                        for (int64_t lane = 0; lane < 32; ++lane) {
                          BlockMemory memory(tiles, frame.code);
                          SharedTile tile(memory, 8, rowBytes);
                          for (int64_t which : {0, 1}) {
                            int64_t row = lane % 4 * 2 + which, column = lane / 4;
                            Value position = tile.vectorOffset(tiles, tiles.constant(row), tiles.constant(column / 4));
                            banks[which].insert((*getConstantIntValue(position) / 4 + column % 4) % 32);
                          }
                        }
                        return 0;
                      }};
    EXPECT_EQ(run(kernel, {}).message, "");
    for (const std::set<int64_t> &each : banks)
      EXPECT_EQ(each.size(), rowBytes % 128 == 0 ? 32u : 16u) << rowBytes;
  }
}

TEST(Fragment, AssemblesWithoutSpills) {
  if (!hasPtxas())
    GTEST_SKIP() << "this machine has no ptxas";
  for (const ProductCase &each : {ProductCase{MatrixType::F16, false, false, 4},
                                  {MatrixType::BF16, true, true, 4},
                                  {MatrixType::TF32, false, false, 4},
                                  {MatrixType::F32, false, false, 4},
                                  {MatrixType::F32, false, true, 4}})
    for (std::string architecture : {"sm_80", "sm_90a"}) {
      ProductInputs inputs(each);
      Found found = run(productKernel(each), {inputs.a.words, inputs.b.words}, false, nullptr, "cuda:" + architecture);
      EXPECT_EQ(ptxasFault(found.ptx, architecture), "");
    }
}

//===------------------------------------------ mutants -----------------------------------------------------------===//

TEST(TileMutants, EachWaitBarrierAndExchangeIsNeeded) {
  ProductCase of{MatrixType::BF16, false, true, 4};
  ProductInputs inputs(of);
  auto isSeen = [&](const Mutation &mutate) {
    return llvm::any_of(std::array{false, true}, [&](bool reversed) {
      Found found = run(productKernel(of), {inputs.a.words, inputs.b.words}, reversed, mutate);
      return !found.message.empty() || !differenceOf(of, inputs, found.values).empty();
    });
  };
  expectEachIsSeen({without<NVVM::CpAsyncWaitGroupOp>(), without<NVVM::Barrier0Op>(), without<arith::XOrIOp>()},
                   isSeen);
}

} // namespace
} // namespace attnc
