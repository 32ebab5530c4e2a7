// Compares attention by tensor cores with the oracle. Weights are rounded to the type of the products' operands, and so
// are results of 16 bits: for values up to 1 the error is at most two half units of 1. f32 has the limit of any f32
// kernel.
#include "compiler/Codegen/GPU/Backend/Ptxas.h"
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tests/compiler/Codegen/CPU/AttendMasks.h"
#include "tests/compiler/Codegen/CPU/AttendMechanisms.h"
#include "tests/compiler/Codegen/GPU/NarrowAttend.h"
#include "tests/compiler/Codegen/GPU/WithoutWait.h"
#include "tests/support/FloatLimits.h"
#include "tests/support/Ptxas.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <fmt/format.h>
#include <limits>

using namespace mlir;

namespace attnc {
namespace {

constexpr float largest = std::numeric_limits<float>::max();

/// A form of the kernel for a target, and the instruction that identifies it. In a fetching form, which requires that
/// the kernel may be large, TMA copies the tiles.
struct Form {
  std::string name, target, instruction;
  bool isOfManyHeads = false;
  ElementKind element = ElementKind::BF16;
  bool isTf32 = false; ///< f32 operands that products may round to tf32

  std::string text(const AttendKernel &kernel) const {
    if (element != ElementKind::F32)
      return narrowText(kernel, element);
    return isTf32 ? tf32Text(kernel) : kernel.text();
  }
  std::vector<HostArray> operands(const AttendKernel &kernel) const {
    return isTf32 ? roundedToTf32(kernel.operands()) : kernel.operands();
  }
  std::string difference(const AttendKernel &kernel, KernelRunner &runner,
                         const std::vector<HostArray> &operands) const {
    if (element != ElementKind::F32)
      return narrowDifference(kernel, runner, operands, element);
    return narrowDifference(kernel, runner, operands, element, isTf32 ? 0x1p-11 : attendTolerance);
  }
};
const Form warps{"Warps", "cuda:sm_80", "mma.sync.aligned.m16n8k16"};
const Form copying{"Copying", "cuda:sm_90a", "wgmma.mma_async"};
const Form fetching{"Fetching", "cuda:sm_90a", "cp.async.bulk.tensor", true};
const Form words{"F32", "cuda:sm_80", "mma.sync.aligned.m16n8k8", false, ElementKind::F32};
const Form roundedWords{"TF32", "cuda:sm_80", "mma.sync.aligned.m16n8k8", false, ElementKind::F32, true};

Form inF16(Form form) {
  form.name += "F16";
  form.element = ElementKind::F16;
  return form;
}

AttendKernel in(const Form &form, AttendKernel kernel) {
  kernel.hasDynamicHeads = form.isOfManyHeads;
  return kernel;
}

bool isIn(const Form &form, const KernelRunner &runner) {
  bool isFetching = runner.ptx().find(fetching.instruction) != std::string::npos;
  return runner.ptx().find(form.instruction) != std::string::npos && isFetching == form.isOfManyHeads;
}

std::string difference(const AttendKernel &given, const Form &form) {
  AttendKernel kernel = in(form, given);
  KernelRunner runner(form.text(kernel), *createGpuEmitter(), form.target);
  if (runner)
    EXPECT_TRUE(isIn(form, runner));
  return form.difference(kernel, runner, form.operands(kernel));
}

class AttendTiles : public testing::TestWithParam<Form> {};

TEST_P(AttendTiles, Lengths) {
  AttendKernel kernel = in(GetParam(), {});
  kernel.yields = "\"value\", \"lse\"";
  KernelRunner runner(GetParam().text(kernel), *createGpuEmitter(), GetParam().target);
  ASSERT_TRUE(runner) << runner.message();
  EXPECT_TRUE(isIn(GetParam(), runner));
  for (auto [queries, keys] : {std::pair<int64_t, int64_t>{1, 1},
                               {64, 64},
                               {70, 90},
                               {130, 200},
                               {5, 64},
                               {64, 65},
                               {0, 3},
                               {3, 0},
                               {130, 0},
                               {140, 600}}) {
    kernel.queries = queries;
    kernel.keys = keys;
    EXPECT_EQ(GetParam().difference(kernel, runner, GetParam().operands(kernel)), "")
        << queries << " queries, " << keys << " keys";
  }
}

TEST_P(AttendTiles, HeadSizes) {
  for (auto [dim, valueDim] :
       {std::pair<int64_t, int64_t>{16, 16}, {64, 64}, {80, 48}, {128, 128}, {256, 256}, {32, 144}}) {
    AttendKernel kernel;
    kernel.dim = dim;
    kernel.valueDim = valueDim;
    kernel.queries = 66; // the keys of a few queries would be split (SplitKvTilesTest.cpp)
    kernel.keys = 200;
    EXPECT_EQ(difference(kernel, GetParam()), "") << dim << " " << valueDim;
  }
}

TEST_P(AttendTiles, ValuesOfDroppedPairs) {
  AttendKernel kernel = in(GetParam(), {});
  kernel.mask = causalMask;
  KernelRunner runner(GetParam().text(kernel), *createGpuEmitter(), GetParam().target);
  for (float value : {nan, infinity}) {
    std::vector<HostArray> operands = GetParam().operands(kernel);
    std::fill_n(operands[2].f32() + 40 * kernel.valueDim, kernel.valueDim, value); // queries from 40 on attend to it
    EXPECT_EQ(GetParam().difference(kernel, runner, operands), "") << value;
  }
}

/// Padding that every row masks, in a tile with keys that no row masks.
TEST_P(AttendTiles, ValuesOfPadding) {
  AttendKernel kernel = in(GetParam(), {});
  kernel.mask = "%length = arith.constant 70 : index %m = arith.cmpi slt, %j, %length : index";
  KernelRunner runner(GetParam().text(kernel), *createGpuEmitter(), GetParam().target);
  std::vector<HostArray> operands = GetParam().operands(kernel);
  for (int64_t head = 0; head < kernel.heads; ++head)
    std::fill_n(operands[2].f32() + (head * kernel.keys + 70) * kernel.valueDim, 20 * kernel.valueDim, nan);
  EXPECT_EQ(GetParam().difference(kernel, runner, operands), "");
}

INSTANTIATE_TEST_SUITE_P(Forms, AttendTiles,
                         testing::Values(warps, inF16(warps), copying, inF16(copying), fetching, inF16(fetching), words,
                                         roundedWords),
                         [](const auto &info) { return info.param.name; });

class AttendTilesOf : public testing::TestWithParam<std::tuple<Form, Mechanism>> {};

TEST_P(AttendTilesOf, AgreesWithTheOracle) {
  auto [form, mechanism] = GetParam();
  AttendKernel kernel = in(form, mechanism.kernel);
  KernelRunner runner(form.text(kernel), *createGpuEmitter(), form.target);
  for (auto [queries, keys] : {std::pair<int64_t, int64_t>{70, 90}, {130, 200}}) {
    kernel.queries = queries;
    kernel.keys = keys;
    std::vector<HostArray> operands = form.operands(kernel);
    for (HostArray &each : mechanism.captured(kernel))
      operands.push_back(std::move(each));
    EXPECT_EQ(form.difference(kernel, runner, operands), "") << queries << " queries, " << keys;
  }
}

std::string nameOfTiles(const testing::TestParamInfo<std::tuple<Form, Mechanism>> &info) {
  const auto &[form, mechanism] = info.param;
  return form.name + "_" + mechanismName({mechanism, info.index});
}

const auto forms = testing::Values(warps, copying, fetching, words, roundedWords);

INSTANTIATE_TEST_SUITE_P(Masks, AttendTilesOf, testing::Combine(forms, testing::ValuesIn(maskMechanisms())),
                         nameOfTiles);

/// Returns mechanisms whose weights and values have the magnitude that the limit assumes.
std::vector<Mechanism> scoresOfTiles() {
  std::vector<Mechanism> all = scoreMechanisms();
  llvm::erase_if(all, [](const Mechanism &each) { return each.name == "all statistics"; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Scores, AttendTilesOf, testing::Combine(forms, testing::ValuesIn(scoresOfTiles())),
                         nameOfTiles);

TEST(AttendTilesOfWarps, TensorsThatBeginAnywhereAreNotCopied) {
  AttendKernel kernel;
  NarrowPorts ports = portsAs(ElementKind::BF16);
  ports.unaligned = 1;
  KernelRunner runner(narrowText(kernel.text(), ports), *createGpuEmitter(), warps.target);
  EXPECT_EQ(narrowDifference(kernel, runner, kernel.operands(), ElementKind::BF16), "");
  EXPECT_FALSE(isIn(warps, runner));
}

/// A row of the table in docs/gpu.md: per tile of keys, each product and each fragment of its operands occurs once.
struct TileRow {
  int64_t features, keys, products, squares, registers;
};

TEST(AttendTilesOfWarps, TakesWhatTheTableSays) {
  auto table = llvm::MemoryBuffer::getFile(ATTNC_ROOT "/docs/gpu.md");
  ASSERT_TRUE(table);
  for (const TileRow &each : {TileRow{64, 64, 64, 36, 175}, {128, 64, 128, 72, 242}, {256, 32, 128, 80, 255}}) {
    SCOPED_TRACE(each.features);
    AttendKernel kernel;
    kernel.dim = kernel.valueDim = each.features;
    kernel.hasStaticQueries = true; // too many to split the keys
    KernelRunner runner(narrowText(kernel, ElementKind::BF16), *createGpuEmitter(), warps.target);
    ASSERT_TRUE(runner) << runner.message();
    EXPECT_EQ(count(runner.ptx(), "mma.sync.aligned.m16n8k16"), each.products);
    EXPECT_EQ(count(runner.ptx(), "ldmatrix.sync.aligned.m8n8.x4"), each.squares);
    EXPECT_GT(count(runner.ptx(), "ex2.approx.ftz.f32"), each.keys / 8 * 4) << "a power a pair";
    int64_t kilobytes = runner.code().phases[0].blockBytes >> 10;
    std::string row = fmt::format("| {0}, {0} | {1} | {2} KB + 2.5 KB | {3} | {4} | {5}", each.features, each.keys,
                                  kilobytes, each.products, each.squares, each.registers);
    EXPECT_NE((*table)->getBuffer().find(row), llvm::StringRef::npos) << "docs/gpu.md has no row\n" << row;
    if (hasPtxas())
      EXPECT_LE(ptxasRegisters(runner.ptx(), "sm_80"), each.registers);
  }
}

/// Barriers and waits for copies in the loop over tiles.
TEST(AttendTilesOfWarps, EveryWaitIsNeeded) {
  for (const Form &form : {warps, words}) {
    AttendKernel kernel;
    kernel.queries = 66;
    kernel.hasStaticQueries = true; // there is no other form
    kernel.keys = 300;
    NarrowPorts ports = form.element == ElementKind::F32 ? NarrowPorts{} : portsAs(form.element);
    expectWaitsAreNeeded(form.text(kernel), stored(kernel.operands(), ports), kernel.resultShapes(), [](Operation *op) {
      return isa<NVVM::Barrier0Op, NVVM::CpAsyncWaitGroupOp>(op) && op->getParentOfType<scf::WhileOp>();
    });
  }
}

//===------------------------------------------ words -------------------------------------------------------------===//

/// A row of the table of f32 operands; products of f32 are in a loop over 32 features at a time.
struct WordsRow {
  int64_t features, keys, ofF32, ofTf32;
};

void expectTableRow(const WordsRow &each, llvm::StringRef table) {
  AttendKernel kernel;
  kernel.dim = kernel.valueDim = each.features;
  kernel.hasStaticQueries = true; // too many to split the keys
  int64_t squares = each.keys / 8, products = each.features / 8 * squares, reads = each.features / 16 * (2 + squares);
  int64_t blockBytes = 0;
  for (auto [form, most] : {std::pair(&words, each.ofF32), {&roundedWords, each.ofTf32}}) {
    KernelRunner runner(form->text(kernel), *createGpuEmitter(), form->target);
    ASSERT_TRUE(runner) << runner.message();
    int64_t iterations = form->isTf32 ? 1 : each.features / 32, ofProduct = form->isTf32 ? 1 : 3;
    EXPECT_EQ(count(runner.ptx(), form->instruction), ofProduct * (products / iterations + products));
    EXPECT_EQ(count(runner.ptx(), "ldmatrix.sync.aligned.m8n8.x4"), reads / iterations);
    EXPECT_GT(count(runner.ptx(), "ex2.approx.ftz.f32"), each.keys / 8 * 4) << "a power a pair";
    blockBytes = runner.code().phases[0].blockBytes;
    EXPECT_LE(blockBytes, 96 << 10) << "a block has room in any device";
    if (hasPtxas())
      EXPECT_LE(ptxasRegisters(runner.ptx(), "sm_80"), most);
  }
  std::string row =
      fmt::format("| {0}, {0} | {1} | {2} KB + 2.5 KB | {3}, {4} | {5} | {6} | {7}, {8} |", each.features, each.keys,
                  blockBytes >> 10, 6 * products, 2 * products, reads, 2 * products, each.ofF32, each.ofTf32);
  EXPECT_NE(table.find(row), llvm::StringRef::npos) << "docs/gpu.md has no row\n" << row;
}

TEST(AttendTilesOfWords, TakesWhatTheTableSays) {
  auto table = llvm::MemoryBuffer::getFile(ATTNC_ROOT "/docs/gpu.md");
  ASSERT_TRUE(table);
  for (const WordsRow &each : {WordsRow{64, 32, 240, 160}, {128, 16, 255, 192}, {256, 8, 255, 224}}) {
    SCOPED_TRACE(each.features);
    expectTableRow(each, (*table)->getBuffer());
  }
}

void expectNoFault(const Form &form, int64_t dim, const std::string &mask, const std::string &yields) {
  AttendKernel kernel;
  kernel.dim = kernel.valueDim = dim;
  kernel.mask = mask;
  kernel.yields = yields;
  KernelRunner runner(form.text(kernel), *createGpuEmitter(), form.target);
  ASSERT_TRUE(runner) << runner.message();
  for (const char *architecture : {"sm_80", "sm_90a"}) // the form is in both images
    EXPECT_EQ(ptxasFault(runner.ptx(), architecture), "") << form.name << dim << mask << yields;
}

TEST(AttendTilesOfWords, AssembleWithoutSpills) {
  if (!hasPtxas())
    GTEST_SKIP() << "this machine has no ptxas";
  const char *value = "\"value\"", *both = "\"value\", \"lse\"";
  for (int64_t dim : {208, 224, 240, 256}) // sizes that leave few registers
    for (const char *mask : {"", causalMask})
      for (const char *yields : {value, both})
        expectNoFault(words, dim, mask, yields);
  for (int64_t dim : {32, 64, 128, 160, 192})
    expectNoFault(words, dim, causalMask, both);
  for (int64_t dim : {64, 192, 256})
    expectNoFault(roundedWords, dim, causalMask, both);
}

/// An infinity does not split into two parts of tf32, and a number near the largest rounds to infinity. The formula may
/// hide the resulting NaN.
class AttendTilesOfLarge : public testing::TestWithParam<Form> {};

TEST_P(AttendTilesOfLarge, Scores) {
  AttendKernel kernel;
  kernel.score = "%z = arith.constant 0.0 : f32 %o = arith.constant 1.0 : f32 %n = arith.constant -1.0 : f32 "
                 "%c = arith.cmpf olt, %s, %z : f32 %y = arith.select %c, %n, %o : f32";
  for (int64_t queries : {3, 70}) {
    kernel.queries = queries;
    kernel.hasStaticQueries = queries == 3; // these keys are split
    KernelRunner runner(GetParam().text(kernel), *createGpuEmitter(), GetParam().target);
    for (float value : {infinity, -infinity, largest, -largest}) {
      std::vector<HostArray> operands = GetParam().operands(kernel);
      operands[0].f32()[2 * kernel.dim + 5] = value;
      operands[1].f32()[7 * kernel.dim + 9] = -value;
      EXPECT_EQ(GetParam().difference(kernel, runner, operands), "") << queries << " queries, " << value;
    }
  }
}

/// All rows attend to these values and are computed again.
TEST_P(AttendTilesOfLarge, Values) {
  AttendKernel kernel;
  for (int64_t queries : {3, 70}) {
    kernel.queries = queries;
    kernel.hasStaticQueries = queries == 3;
    std::vector<HostArray> operands = GetParam().operands(kernel);
    for (int64_t head = 0; head < kernel.heads; ++head)
      operands[2].f32()[(head * kernel.keys + 5) * kernel.valueDim + 3] = largest;
    ComparedKernel compared(GetParam().text(kernel), GetParam().target);
    EXPECT_EQ(compared.compare(operands, kernel.resultShapes()), "") << queries << " queries";
  }
}

INSTANTIATE_TEST_SUITE_P(Words, AttendTilesOfLarge, testing::Values(words, roundedWords),
                         [](const auto &info) { return info.param.name; });

//===------------------------------------------ warp groups -------------------------------------------------------===//

/// Returns a kernel with six tiles of 128 keys in up to four stages, for both multiplying groups.
AttendKernel kernelOfRing(const Form &form) {
  AttendKernel kernel = in(form, {});
  kernel.heads = 1;
  kernel.queries = 128;
  kernel.hasStaticQueries = true; // there is no other form
  kernel.keys = 768;
  return kernel;
}

/// Returns the cycles of a processor per tile, as in the table of docs/gpu.md.
std::string cyclesOf(int64_t features, int64_t keys) {
  constexpr int64_t queries = 128, groups = 2, bytes = 2;
  int64_t products = 2 * queries * keys * features / 2048, powers = queries * keys / 16;
  int64_t copied = 2 * keys * features * bytes, read = queries * features * bytes + groups * copied;
  return fmt::format("{}, {}, {}, {}", products, powers, (read + copied) / 128, copied / 32);
}

/// Groups can take the registers that others release only if each thread begins with exactly this number.
void expectRegistersToMove(const std::string &ptx) {
  int64_t moving = 0;
  for (const FunctionResources &each : Ptxas::find()->assemble(ptx, "sm_90a").functions)
    if (std::string text = functionOf(ptx, each.function); count(text, "setmaxnreg") > 0) {
      ++moving;
      EXPECT_EQ(count(text, ".maxnreg 168"), 1);
      EXPECT_EQ(each.registers, 168) << each.function;
    }
  EXPECT_EQ(moving, 1);
}

/// A row of the table in docs/gpu.md, with as many values as features.
struct GroupsRow {
  Form form;
  int64_t features, keys, stages, registersToFetch, registersToCompute;
};

void expectRow(const GroupsRow &row, llvm::StringRef table) {
  auto [form, features, keys, stages, toFetch, toCompute] = row;
  SCOPED_TRACE(fmt::format("{}, {}", form.name, features));
  AttendKernel kernel = in(form, {});
  kernel.dim = kernel.valueDim = features;
  kernel.hasStaticQueries = true; // too many to split the keys
  KernelRunner runner(narrowText(kernel, ElementKind::BF16), *createGpuEmitter(), form.target);
  ASSERT_TRUE(runner) << runner.message();
  EXPECT_TRUE(isIn(form, runner));
  int64_t products = features / 16 + keys / 16, panels = features / 64, barriers = 4 * stages * 8;
  EXPECT_EQ(count(runner.ptx(), "wgmma.mma_async"), 2 * products) << "in the loop, and around it";
  EXPECT_EQ(count(runner.ptx(), fetching.instruction), form.isOfManyHeads ? 4 * panels : 0)
      << "queries with the first keys; keys and values";
  EXPECT_GT(count(runner.ptx(), "ex2.approx.ftz.f32"), 2 * keys / 8 * 4) << "a power a pair";
  EXPECT_EQ(count(runner.ptx(), fmt::format("setmaxnreg.dec.sync.aligned.u32 \t{};", toFetch)), 1);
  EXPECT_EQ(count(runner.ptx(), fmt::format("setmaxnreg.inc.sync.aligned.u32 \t{};", toCompute)), 1);
  int64_t bytes = 128 * features * 2 + stages * 2 * keys * features * 2;
  EXPECT_GE(runner.code().phases.back().blockBytes, bytes + barriers);
  EXPECT_LE(runner.code().phases.back().blockBytes, bytes + 256);
  std::string text = fmt::format("| {}, {} | {} | {} | {} | {} KB + 7.5 KB | {} | {} KB | 168, then {} | {} |",
                                 features, features, form.isOfManyHeads ? "TMA" : "threads", keys, stages, bytes >> 10,
                                 products, 2 * keys * features * 2 >> 10, toCompute, cyclesOf(features, keys));
  EXPECT_TRUE(table.contains(text)) << "docs/gpu.md has no row\n" << text;
  if (hasPtxas())
    expectRegistersToMove(runner.ptx());
}

TEST(AttendTilesOfWarpGroups, TakesWhatTheTableSays) {
  auto table = llvm::MemoryBuffer::getFile(ATTNC_ROOT "/docs/gpu.md");
  ASSERT_TRUE(table);
  for (const GroupsRow &row : {GroupsRow{fetching, 64, 128, 4, 40, 232},
                               {fetching, 128, 128, 2, 40, 232},
                               {fetching, 256, 48, 3, 40, 232},
                               {copying, 64, 128, 2, 72, 216},
                               {copying, 128, 128, 2, 72, 216},
                               {copying, 256, 32, 2, 72, 216}})
    expectRow(row, (*table)->getBuffer());
}

class AttendMutants : public testing::TestWithParam<Form> {
protected:
  void expectAreSeen(const std::vector<Mutant> &mutants) {
    AttendKernel kernel = kernelOfRing(GetParam());
    expectMutantsAreSeen(narrowText(kernel, ElementKind::BF16), stored(kernel.operands(), portsAs(ElementKind::BF16)),
                         kernel.resultShapes(), mutants, GetParam().target);
  }
};

bool isArrivalAtTurn(Operation *op) {
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  return call && call.getIntrin().contains("barrier.cta.arrive");
}

TEST_P(AttendMutants, EveryWaitFenceAndArrivalIsNeeded) {
  expectAreSeen({without<NVVM::Barrier0Op>(), without<NVVM::BarrierOp>(),
                 Mutant{"without an arrival", isArrivalAtTurn, removeOp}, without<NVVM::MBarrierArriveOp>(),
                 without<NVVM::FenceProxyOp>(), without<NVVM::WgmmaGroupSyncAlignedOp>(), withoutText("wgmma.fence"),
                 withoutText("wgmma.wait_group")});
}

TEST_P(AttendMutants, EveryStageIsAwaited) {
  expectAreSeen({{"a stage that is not awaited",
                  [](Operation *op) { return isa<scf::WhileOp>(op) && op->getNumResults() == 0; }, removeOp}});
}

TEST_P(AttendMutants, EveryCopyIsNeededAndAwaited) {
  if (!GetParam().isOfManyHeads)
    return expectAreSeen({without<NVVM::CpAsyncWaitGroupOp>()});
  expectAreSeen({without<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(), without<NVVM::MBarrierArriveExpectTxOp>(),
                 without<NVVM::FenceProxyAcquireOp>()});
}

/// Products of tiles without the swizzle of 16-byte units.
TEST_P(AttendMutants, TilesLieAsProductsTakeThem) { expectAreSeen({withBit(2, 62)}); }

INSTANTIATE_TEST_SUITE_P(Forms, AttendMutants, testing::Values(copying, fetching),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace attnc
