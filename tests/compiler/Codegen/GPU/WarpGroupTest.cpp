// Tests products of warp groups on tiles that another warp group copies into a ring of stages, and mutants of these.
#include "compiler/Codegen/GPU/Tile/AsyncCopy.h"
#include "compiler/Codegen/GPU/Tile/TileRing.h"
#include "compiler/Codegen/GPU/Tile/WarpGroupProduct.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tests/compiler/Codegen/GPU/TestKernel.h"
#include "tests/support/Ptxas.h"
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace mlir;

namespace attnc {
namespace {

constexpr std::string_view hopper = "cuda:sm_90a";

/// D[64 groups x columns] = A * B in steps of the depth. The copying group marks stages full a step late, and the
/// multiplying groups release them a step late, which takes three stages.
struct RingCase {
  MatrixType type = MatrixType::BF16;
  bool turnedA = false, turnedB = false; ///< stored as [depth x rows or columns]
  int64_t rowBytes = 128;                ///< per row of a panel
  int64_t deep = 1;                      ///< panels per step of operands stored along the depth
  int64_t columns = 64, steps = 5, stages = 3, groups = 1;
  bool hasFragmentA = false;
  int64_t openProducts = 1; ///< groups of products in flight when a stage is released

  int64_t rows() const { return groups * warpGroupRows; }
  int64_t width() const { return rowBytes / elementBytes(type); } ///< elements per row of a tile
  int64_t stepDepth() const { return turnedA && turnedB ? 2 * productDepth(type) : deep * width(); }
  int64_t depth() const { return steps * stepDepth(); }
};

/// Operand A or B; stored with the depth as its rows, it is a row of panels.
class RingOperand {
public:
  RingOperand(const RingCase &of, BlockMemory &memory, int64_t outer, bool isTransposed)
      : of(of), outer(outer), isTransposed(isTransposed),
        tile(memory, isTransposed ? of.stepDepth() : outer,
             isTransposed ? outer * elementBytes(of.type) : of.deep * of.rowBytes, of.stages, of.rowBytes) {}

  void copy(TileBuilder &tiles, Value pointer, Value thread, Value stage, Value step) const {
    int64_t bytes = elementBytes(of.type), rowStride = (isTransposed ? outer : of.depth()) * bytes;
    Value advance = tiles.widen(tiles.mul(step, of.stepDepth() * (isTransposed ? rowStride : bytes)));
    auto rowOffset = [&](Value row) { return tiles.widen(tiles.mul(row, rowStride)); };
    TileCopy all(tiles, tile, {pointer, rowOffset}, thread, warpGroupThreads);
    all.issue(tile.stageOffset(tiles, stage), advance, nullptr, nullptr);
  }

  /// Returns the slice from row or column `first` (i32) of the operand and index `k` of the step.
  SharedOperandSlice slice(TileBuilder &tiles, Value stage, Value first, int64_t k) const {
    return SharedOperand(tile, of.type, !isTransposed).slice(tiles, tile.stageOffset(tiles, stage), first, k);
  }

  const RingCase of;
  const int64_t outer;
  const bool isTransposed;
  SharedTile tile;
};

class RingKernel {
public:
  RingKernel(const RingCase &of, DeviceFrame &frame, TileBuilder &tiles)
      : of(of), frame(frame), tiles(tiles), memory(tiles, frame.code), a(of, memory, of.rows(), of.turnedA),
        b(of, memory, of.columns, of.turnedB), ring(memory, of.stages, warpGroupThreads, 4 * of.groups) {}

  int64_t emit() {
    Value thread = tiles.fromIndex(frame.position.thread);
    ring.open(tiles, thread);
    bool movesRegisters = of.groups == 2; // three groups begin with 168 each
    Value copies = tiles.less(thread, tiles.constant(warpGroupThreads));
    tiles.when(copies, [&] {
      if (movesRegisters)
        decreaseRegisters(tiles, 88);
      copyAll(thread);
    });
    tiles.when(tiles.less(tiles.constant(warpGroupThreads - 1), thread), [&] {
      if (movesRegisters)
        increaseRegisters(tiles, 208);
      multiplyAll(tiles.sub(thread, tiles.constant(warpGroupThreads)));
    });
    return memory.bytes();
  }

private:
  using Values = TileBuilder::Values;

  /// Marks a stage full a step later, while the copies of the next stage are in flight.
  void copyAll(Value thread) {
    TileRing::Position first = ring.first(tiles);
    Values last = tiles.loop(tiles.constant(0), tiles.constant(of.steps), 1, {first.stage, first.parity, first.stage},
                             [&](Value step, ValueRange carried) -> Values {
                               TileRing::Position position{carried[0], carried[1]};
                               ring.awaitEmpty(tiles, position);
                               a.copy(tiles, frame.pointer(0), thread, position.stage, step);
                               b.copy(tiles, frame.pointer(1), thread, position.stage, step);
                               commitCopies(tiles);
                               tiles.when(tiles.less(tiles.constant(0), step), [&] {
                                 awaitCopies(tiles, 1);
                                 ring.markFull(tiles, carried[2]);
                               });
                               TileRing::Position next = ring.next(tiles, position);
                               return {next.stage, next.parity, position.stage};
                             });
    awaitCopies(tiles, 0);
    ring.markFull(tiles, last[2]);
  }

  void multiplyAll(Value thread) {
    Value group = tiles.div(thread, warpGroupThreads), lane = tiles.rem(thread, warpThreads);
    Value zero = arith::ConstantOp::create(tiles.builder, tiles.location, tiles.builder.getF32FloatAttr(0));
    TileRing::Position first = ring.first(tiles);
    Values carried(of.columns / 2, zero);
    carried.append({first.stage, first.parity, first.stage});
    Values last = tiles.loop(tiles.constant(0), tiles.constant(of.steps), 1, carried,
                             [&](Value step, ValueRange before) { return multiply(group, lane, step, before); });
    store(thread, group, lane, awaitProducts(tiles, 0, ValueRange(last).drop_back(3)));
  }

  Values multiply(Value group, Value lane, Value step, ValueRange before) {
    auto [stage, parity, previous] = std::tuple(before.end()[-3], before.end()[-2], before.end()[-1]);
    ring.awaitFull(tiles, {stage, parity});
    std::vector<FragmentA> fragments;
    Values kept;
    for (int64_t k = 0; of.hasFragmentA && k < of.stepDepth(); k += productDepth(of.type))
      fragments.push_back(fragment(lane, stage, k));
    Values sums = beginProducts(tiles, before.drop_back(3));
    Value firstRow = tiles.mul(group, warpGroupRows), firstColumn = tiles.constant(0);
    for (int64_t k = 0; k < of.stepDepth(); k += productDepth(of.type)) {
      SharedOperandSlice right = b.slice(tiles, stage, firstColumn, k);
      if (of.hasFragmentA) {
        const FragmentA &left = fragments[k / productDepth(of.type)];
        sums = multiplyAdd(tiles, of.type, left, right, sums);
        llvm::append_range(kept, left);
      } else
        sums = multiplyAdd(tiles, of.type, a.slice(tiles, stage, firstRow, k), right, sums);
    }
    commitProducts(tiles);
    sums = awaitProducts(tiles, of.hasFragmentA ? 0 : of.openProducts, sums, kept);
    Value isFirstLane = tiles.less(lane, tiles.constant(1));
    tiles.when(tiles.both(isFirstLane, tiles.less(tiles.constant(0), step)), [&] { ring.markEmpty(tiles, previous); });
    TileRing::Position next = ring.next(tiles, {stage, parity});
    sums.append({next.stage, next.parity, stage});
    return sums;
  }

  FragmentA fragment(Value lane, Value stage, int64_t k) {
    Value warp =
        tiles.div(tiles.sub(tiles.fromIndex(frame.position.thread), tiles.constant(warpGroupThreads)), warpThreads);
    FragmentReader reader(tiles, a.tile, FragmentReader::Matrix::A, true, lane, {tiles.mul(warp, productRows), {}});
    return reader.read(a.tile.stageOffset(tiles, stage), 0, k * elementBytes(of.type) / vectorBytes);
  }

  void store(Value thread, Value group, Value lane, ValueRange sums) {
    Value warp = tiles.rem(tiles.div(thread, warpThreads), 4);
    FragmentPosition position = fragmentPosition(tiles, lane);
    Value row = tiles.add(tiles.add(tiles.mul(group, warpGroupRows), tiles.mul(warp, productRows)), position.row);
    for (auto [number, sum] : llvm::enumerate(sums)) {
      int64_t each = static_cast<int64_t>(number);
      Value at = tiles.mul(tiles.add(row, each / 2 % 2 * 8), of.columns);
      at = tiles.add(at, tiles.add(position.column, each / 4 * productColumns + each % 2));
      tiles.store(sum, tiles.at(frame.pointer(2), tiles.mul(at, 4)));
    }
  }

  const RingCase &of;
  DeviceFrame &frame;
  TileBuilder &tiles;
  BlockMemory memory;
  RingOperand a, b;
  TileRing ring;
};

class RingTest {
public:
  explicit RingTest(const RingCase &of)
      : of(of), a(of.type, of.turnedA ? of.depth() : of.rows(), of.turnedA ? of.rows() : of.depth(), 1),
        b(of.type, of.turnedB ? of.depth() : of.columns, of.turnedB ? of.columns : of.depth(), 2) {}

  Found find(bool reversed, Mutation mutate = nullptr) const {
    int64_t bytes = elementBytes(of.type);
    TestKernel kernel{{{a.rows, a.columns * bytes / 4}, {b.rows, b.columns * bytes / 4}},
                      {of.rows(), of.columns},
                      (1 + of.groups) * warpGroupThreads,
                      [this](DeviceFrame &frame, TileBuilder &tiles) { return RingKernel(of, frame, tiles).emit(); }};
    return run(kernel, {a.words, b.words}, reversed, std::move(mutate), hopper);
  }

  /// Returns the fault of a result, or ""; sums of f32 may have any order.
  std::string faultOf(const Found &found) const {
    if (!found.message.empty())
      return found.message;
    double limit = 2 * static_cast<double>(of.depth()) * std::ldexp(1.0, -23);
    for (int64_t row = 0; row < of.rows(); ++row)
      for (int64_t column = 0; column < of.columns; ++column) {
        double expected = 0, value = found.values[row * of.columns + column];
        for (int64_t k = 0; k < of.depth(); ++k)
          expected += static_cast<double>(a.at(row, k, of.turnedA)) * b.at(column, k, of.turnedB);
        if (!(std::abs(expected - value) <= limit))
          return fmt::format("({}, {}) is {}, expected {}", row, column, value, expected);
      }
    return "";
  }

  bool differs(const Mutation &mutate) const {
    return !faultOf(find(false, mutate)).empty() || !faultOf(find(true, mutate)).empty();
  }

private:
  const RingCase of;
  TestMatrix a, b;
};

std::vector<RingCase> ringCases() {
  std::vector<RingCase> cases = {
      {.type = MatrixType::F16, .columns = 8},
      {.type = MatrixType::TF32, .columns = 24, .groups = 2},
      {.type = MatrixType::TF32, .rowBytes = 32, .hasFragmentA = true},
      {.columns = 128, .stages = 4, .groups = 2, .hasFragmentA = true},
      {.columns = 256, .steps = 2},
      {.turnedB = true, .rowBytes = 64, .hasFragmentA = true},
      {.steps = 1},
      {.turnedB = true, .deep = 2},
      {.rowBytes = 64, .deep = 3, .hasFragmentA = true},
  };
  for (bool turnedA : {false, true})
    for (bool turnedB : {false, true})
      for (int64_t rowBytes : {32, 64, 128})
        cases.push_back({.turnedA = turnedA, .turnedB = turnedB, .rowBytes = rowBytes, .groups = 2});
  return cases;
}

TEST(WarpGroupProduct, TilesOfAnyLayoutThroughARing) {
  for (const RingCase &each : ringCases())
    for (bool reversed : {false, true}) {
      RingTest test(each);
      EXPECT_EQ(test.faultOf(test.find(reversed)), "")
          << static_cast<int>(each.type) << each.turnedA << each.turnedB << each.hasFragmentA << ": " << each.columns
          << " columns, rows of " << each.rowBytes;
    }
}

TEST(WarpGroupProduct, AssemblesWithoutSpillsOrSerialisation) {
  if (!hasPtxas())
    GTEST_SKIP() << "this machine has no ptxas";
  for (const RingCase &each : {RingCase{.columns = 256, .stages = 4, .groups = 2},
                               {.turnedA = true, .turnedB = true, .columns = 128, .stages = 4, .groups = 2},
                               {.type = MatrixType::TF32, .columns = 128},
                               {.columns = 128, .hasFragmentA = true}})
    EXPECT_EQ(ptxasFault(RingTest(each).find(false).ptx, "sm_90a"), "");
}

//===------------------------------------------ mutants -----------------------------------------------------------===//

TEST(WarpGroupMutants, EachWaitFenceAndArrivalIsNeeded) {
  RingTest test(RingCase{.turnedB = true, .groups = 2});
  auto isSeen = [&](const Mutation &mutate) { return test.differs(mutate); };
  Mutant once{"a wait that gives up", [](Operation *op) { return isa<scf::ConditionOp>(op); },
              [](Operation *op) {
                OpBuilder b(op);
                op->setOperand(0, arith::ConstantIntOp::create(b, op->getLoc(), 0, 1));
              }};
  expectEachIsSeen({without<scf::WhileOp>(), once, without<NVVM::MBarrierArriveOp>(), without<NVVM::MBarrierInitOp>(),
                    without<NVVM::FenceProxyOp>(), without<NVVM::CpAsyncWaitGroupOp>(),
                    without<NVVM::CpAsyncCommitGroupOp>(), without<NVVM::WgmmaGroupSyncAlignedOp>(),
                    without<NVVM::Barrier0Op>(), withoutText("wgmma.fence"), withoutText("wgmma.wait_group"),
                    withoutText("mma_async")},
                   isSeen);
}

TEST(WarpGroupMutants, DescriptorsSayWhereMatricesLie) {
  RingTest test(RingCase{.turnedA = true, .turnedB = true, .columns = 128, .steps = 2});
  auto isSeen = [&](const Mutation &mutate) { return test.differs(mutate); };
  constexpr unsigned left = 3, right = 2, start = 6, panel = 22, pattern = 38, exchange = 62;
  std::vector<Mutant> mutants = {withBit(right, panel),
                                 {"columns along the depth", [](Operation *op) { return isText(op, "mma_async"); },
                                  [](Operation *op) {
                                    auto text = cast<LLVM::InlineAsmOp>(op);
                                    std::string asIs = text.getAsmString().str();
                                    text.setAsmString(asIs.replace(asIs.rfind("1; }"), 1, "0"));
                                  }}};
  for (unsigned bit : {start, pattern, exchange})
    for (unsigned operand : {left, right})
      mutants.push_back(withBit(operand, bit));
  expectEachIsSeen(mutants, isSeen);
}

TEST(WarpGroupMutants, StagesAreKeptUntilTheirProductsAreDone) {
  EXPECT_TRUE(RingTest(RingCase{.steps = 6, .openProducts = 2}).differs(nullptr));
}

/// Removes the last register of A from the operands of the wait.
TEST(WarpGroupMutants, RegistersAreKeptUntilTheirProductsAreDone) {
  RingTest test(RingCase{.hasFragmentA = true});
  auto isSeen = [&](const Mutation &mutate) { return test.differs(mutate); };
  auto isWaitOfSome = [](Operation *op) {
    return isText(op, "wgmma.wait_group") && cast<LLVM::InlineAsmOp>(op).getConstraints().ends_with(",r");
  };
  expectEachIsSeen({{"a register that is not kept", isWaitOfSome,
                     [](Operation *op) {
                       auto wait = cast<LLVM::InlineAsmOp>(op);
                       wait.setConstraints(wait.getConstraints().drop_back(2).str());
                       op->eraseOperand(op->getNumOperands() - 1);
                     }}},
                   isSeen);
}

TEST(WarpGroupMutants, UnknownTextIsRefusedByName) {
  RingTest test(RingCase{});
  Found found =
      test.find(false, [](ModuleOp code) { code.walk([](LLVM::InlineAsmOp op) { op.setAsmString("wgmma.fence;"); }); });
  EXPECT_EQ(found.message, "the executor has no model of the text wgmma.fence;");
}

//===------------------------------------------ barriers of some threads ------------------------------------------===//

/// The first two of three warps exchange numbers through shared memory; the third has exited.
TestKernel exchangeKernel() {
  return {{{1, 64}}, {1, 64}, 96, [](DeviceFrame &frame, TileBuilder &tiles) {
            BlockMemory memory(tiles, frame.code);
            memory.allocate(64 * 4);
            Value thread = tiles.fromIndex(frame.position.thread), own = tiles.mul(thread, 4);
            tiles.when(tiles.less(thread, tiles.constant(64)), [&] {
              Type f32 = tiles.builder.getF32Type();
              tiles.store(tiles.load(f32, tiles.at(frame.pointer(0), own)), tiles.at(memory.base, own));
              syncThreads(tiles, 1, 64);
              Value other = tiles.exclusiveOr(own, 32 * 4);
              tiles.store(tiles.load(f32, tiles.at(memory.base, other)), tiles.at(frame.pointer(1), own));
            });
            return memory.bytes();
          }};
}

TEST(WarpGroup, ThreadsWaitForSomeOthers) {
  HostArray numbers = HostArray::random({1, 64}, 1);
  numbers.kind = ElementKind::I32;
  auto isRight = [&](bool reversed, const Mutation &mutate) {
    Found found = run(exchangeKernel(), {numbers}, reversed, mutate);
    for (int64_t each = 0; each < 64 && found.message.empty(); ++each)
      if (found.values[each] != numbers.f32()[each ^ 32])
        return false;
    return found.message.empty();
  };
  expectEachIsSeen({without<NVVM::BarrierOp>()},
                   [&](const Mutation &mutate) { return !isRight(false, mutate) || !isRight(true, mutate); });
}

/// Two groups alternately increment a counter; each stores the value that the other group left.
TestKernel alternatingKernel() {
  constexpr int64_t groupTiles = 3;
  return {{{1, 1}}, {2, groupTiles}, 2 * warpGroupThreads, [](DeviceFrame &frame, TileBuilder &tiles) {
            BlockMemory memory(tiles, frame.code);
            memory.allocate(4);
            Value thread = tiles.fromIndex(frame.position.thread), group = tiles.div(thread, warpGroupThreads);
            Value isFirst = tiles.less(tiles.rem(thread, warpGroupThreads), tiles.constant(1));
            Type i32 = tiles.builder.getI32Type();
            tiles.when(tiles.less(thread, tiles.constant(1)), [&] { tiles.store(tiles.constant(0), memory.base); });
            OrderedBarrier order(tiles, group, 1);
            tiles.syncBlock();
            order.open();
            tiles.loop(tiles.constant(0), tiles.constant(groupTiles), 1, {}, [&](Value tile, ValueRange) {
              order.wait();
              tiles.when(isFirst, [&] {
                Value count = tiles.load(i32, memory.base);
                tiles.store(tiles.add(count, 1), memory.base);
                Value number =
                    arith::SIToFPOp::create(tiles.builder, tiles.location, tiles.builder.getF32Type(), count);
                Value at = tiles.mul(tiles.add(tiles.mul(group, groupTiles), tile), 4);
                tiles.store(number, tiles.at(frame.pointer(1), at));
              });
              order.release(tiles.less(tiles.constant(groupTiles - 2), tile));
              return TileBuilder::Values();
            });
            return memory.bytes();
          }};
}

TEST(WarpGroup, TwoGroupsAlternate) {
  HostArray nothing({1, 1}, ElementKind::I32);
  auto isRight = [&](bool reversed, const Mutation &mutate) {
    Found found = run(alternatingKernel(), {nothing}, reversed, mutate);
    return found.message.empty() && found.values == std::vector<float>{0, 2, 4, 1, 3, 5};
  };
  auto isSeen = [&](const Mutation &mutate) { return !isRight(false, mutate) || !isRight(true, mutate); };
  expectEachIsSeen({without<NVVM::BarrierOp>(), without<LLVM::CallIntrinsicOp>()}, isSeen);
}

} // namespace
} // namespace attnc
