// Compares attention of few queries on a device, whose keys are split among blocks, with the oracle, with and without
// tensor cores; tests its resources, and that a missing wait is detected.
#include "compiler/Codegen/GPU/Attend/SplitKvTiles.h"
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tests/compiler/Codegen/CPU/AttendMasks.h"
#include "tests/compiler/Codegen/CPU/AttendMechanisms.h"
#include "tests/compiler/Codegen/CPU/NormaliserKernels.h"
#include "tests/compiler/Codegen/GPU/NarrowAttend.h"
#include "tests/compiler/Codegen/GPU/WithoutWait.h"
#include "tests/support/Ptxas.h"
#include "llvm/Support/MemoryBuffer.h"
#include <fmt/format.h>
#include <limits>

using namespace mlir;

namespace attnc {
namespace {

/// Returns a decoding step: few queries, statically known.
AttendKernel stepOf(int64_t queries, int64_t keys, int64_t heads = 8, int64_t group = 4) {
  AttendKernel kernel;
  kernel.heads = heads, kernel.group = group;
  kernel.queries = queries, kernel.keys = keys;
  kernel.hasStaticQueries = true;
  kernel.yields = "\"value\", \"lse\"";
  return kernel;
}

bool hasSplits(const KernelRunner &runner) { return runner.ptx().find("$merge") != std::string::npos; }

/// The shared memory per block of every device that runs the image of sm_80.
constexpr int64_t bytesAnywhere = 99 << 10;
bool hasRoomAnywhere(const KernelRunner &runner) { return runner.code().phases[0].blockBytes <= bytesAnywhere; }

std::string narrow(const AttendKernel &kernel) {
  KernelRunner runner(narrowText(kernel, ElementKind::BF16), *createGpuEmitter(), "cuda");
  if (runner)
    EXPECT_TRUE(hasSplits(runner) && hasRoomAnywhere(runner));
  return narrowDifference(kernel, runner, kernel.operands(), ElementKind::BF16);
}

std::string wide(const AttendKernel &kernel) {
  return compareWithOracle(kernel, kernel.operands(), attendTolerance, "cuda");
}

void compareLengths(int64_t queries, int64_t group, const std::vector<int64_t> &lengths) {
  AttendKernel kernel = stepOf(queries, lengths[0], 8, group);
  for (ElementKind element : {ElementKind::BF16, ElementKind::F16}) {
    KernelRunner runner(narrowText(kernel, element), *createGpuEmitter(), "cuda");
    ASSERT_TRUE(runner) << runner.message();
    EXPECT_TRUE(hasSplits(runner) && hasRoomAnywhere(runner));
    for (int64_t keys : lengths) {
      kernel.keys = keys;
      EXPECT_EQ(narrowDifference(kernel, runner, kernel.operands(), element), "") << keys << " keys";
    }
  }
  for (int64_t keys : lengths) {
    kernel.keys = keys;
    EXPECT_EQ(wide(kernel), "") << keys << " keys";
  }
}

TEST(SplitKvTiles, Lengths) {
  for (int64_t group : {1, 2, 4})
    for (const auto &[queries, lengths] :
         {std::pair<int64_t, std::vector<int64_t>>{1, {0, 1, 64, 65, 700}}, {3, {300}}, {16, {130}}}) {
      SCOPED_TRACE(fmt::format("{} queries, {} heads a group", queries, group));
      compareLengths(queries, group, lengths);
    }
}

TEST(SplitKvTiles, HeadSizes) {
  for (auto [dim, valueDim] :
       {std::pair<int64_t, int64_t>{16, 16}, {16, 256}, {80, 48}, {128, 128}, {256, 256}, {256, 240}, {256, 112}}) {
    AttendKernel kernel = stepOf(1, 400);
    kernel.dim = dim, kernel.valueDim = valueDim;
    EXPECT_EQ(narrow(kernel), "") << dim << " " << valueDim;
    EXPECT_EQ(wide(kernel), "") << dim << " " << valueDim;
  }
  for (auto [dim, valueDim] : {std::pair<int64_t, int64_t>{5, 7}, {64, 200}}) {
    AttendKernel kernel = stepOf(2, 400);
    kernel.dim = dim, kernel.valueDim = valueDim;
    EXPECT_EQ(wide(kernel), "") << dim << " " << valueDim;
  }
}

/// Groups of four heads; the last group has two.
TEST(SplitKvTiles, AShortGroup) {
  AttendKernel kernel = stepOf(1, 200, 8, 4);
  std::string text = kernel.text();
  auto replace = [&](const std::string &from, const std::string &to) {
    for (size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, from.size(), to);
  };
  replace("tensor<8x", "tensor<6x");
  replace("%H = arith.constant 8", "%H = arith.constant 6");
  std::vector<HostArray> operands = kernel.operands();
  operands[0] = HostArray::random({6, 1, kernel.dim}, 1);
  EXPECT_EQ(ComparedKernel(text, "cuda").compare(operands, {{6, 1, kernel.valueDim}, {6, 1}}), "");
}

/// The number of queries determines the form.
TEST(SplitKvTiles, ANumberOfQueriesKnownAtRunTime) {
  AttendKernel kernel = stepOf(1, 1, 4, 2);
  kernel.hasStaticQueries = false;
  KernelRunner runner(narrowText(kernel, ElementKind::BF16), *createGpuEmitter(), "cuda");
  ASSERT_TRUE(runner) << runner.message();
  ASSERT_EQ(runner.code().phases.size(), 3u);
  for (auto [queries, keys] : {std::pair<int64_t, int64_t>{0, 9}, {1, 300}, {32, 200}, {33, 200}, {100, 90}}) {
    kernel.queries = queries, kernel.keys = keys;
    EXPECT_EQ(narrowDifference(kernel, runner, kernel.operands(), ElementKind::BF16), "") << queries;
    bool areFew = queries <= 32;
    std::vector<int64_t> sizes = {queries, keys, keys, queries, queries};
    EXPECT_EQ(runner.code().phases[0].chunks.evaluate(sizes) == 0, areFew);
    EXPECT_EQ(runner.code().phases[1].chunks.evaluate(sizes) == 0, !areFew || queries == 0);
    EXPECT_EQ(runner.code().sharedBytes.evaluate(sizes) == 0, !areFew || queries == 0);
    EXPECT_EQ(wide(kernel), "") << queries;
  }
}

class AttendSplitsOf : public testing::TestWithParam<Mechanism> {};

TEST_P(AttendSplitsOf, AgreesWithTheOracle) {
  AttendKernel kernel = GetParam().kernel;
  if (kernel.captured.empty() && kernel.group == 1 && kernel.normaliser == "softmax")
    kernel.heads = 8; // so that a split has several tiles
  KernelRunner runner(narrowText(kernel, ElementKind::BF16), *createGpuEmitter(), "cuda");
  ComparedKernel ofWide(kernel.text(), "cuda");
  AttendKernel general = kernel;
  general.valueDim = 36; // tensor cores do not accept this number
  ComparedKernel ofGeneral(general.text(), "cuda");
  for (auto [queries, keys] : {std::pair<int64_t, int64_t>{1, 300}, {9, 150}}) {
    kernel.queries = queries, kernel.keys = keys;
    std::vector<HostArray> operands = kernel.operands();
    for (HostArray &each : GetParam().captured(kernel))
      operands.push_back(std::move(each));
    EXPECT_EQ(ofWide.compare(operands, kernel.resultShapes()), "") << queries << " queries, " << keys;
    general.queries = queries, general.keys = keys;
    std::vector<HostArray> ofThat = operands;
    ofThat[2] = general.operands()[2];
    EXPECT_EQ(ofGeneral.compare(ofThat, general.resultShapes()), "") << queries << " queries, " << keys;
    if (GetParam().name != "all statistics") { // its weights and values exceed what the limit assumes
      EXPECT_EQ(narrowDifference(kernel, runner, operands, ElementKind::BF16), "") << queries << " queries, " << keys;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Masks, AttendSplitsOf, testing::ValuesIn(maskMechanisms()), mechanismName);
INSTANTIATE_TEST_SUITE_P(Scores, AttendSplitsOf, testing::ValuesIn(scoreMechanisms()), mechanismName);

/// A sink counts once for any splits; fully masked rows are zero.
TEST(SplitKvTiles, SinksAndEmptyRows) {
  AttendKernel kernel = stepOf(2, 500);
  kernel.sink = "%z = arith.constant 0.5 : f32";
  EXPECT_EQ(narrow(kernel), "");
  EXPECT_EQ(wide(kernel), "");
  kernel.mask = "%m = arith.cmpi slt, %j, %i : index";
  EXPECT_EQ(narrow(kernel), "");
  kernel.sink = "";
  EXPECT_EQ(narrow(kernel), "");
  EXPECT_EQ(wide(kernel), "");
}

/// All splits share the few keys of a window.
TEST(SplitKvTiles, AWindow) {
  AttendKernel kernel = stepOf(2, 1000);
  kernel.mask = R"(%c600 = arith.constant 600 : index %c77 = arith.constant 77 : index
    %d = arith.subi %j, %c600 : index %a = arith.cmpi sge, %d, %i : index %b = arith.cmpi slt, %d, %c77 : index
    %m = arith.andi %a, %b : i1)";
  EXPECT_EQ(narrow(kernel), "");
  EXPECT_EQ(wide(kernel), "");
}

TEST(SplitKvTiles, ValuesOfDroppedPairs) {
  AttendKernel kernel = stepOf(4, 300);
  kernel.mask = "%c200 = arith.constant 200 : index %d = arith.addi %i, %c200 : index "
                "%m = arith.cmpi sle, %j, %d : index";
  KernelRunner runner(narrowText(kernel, ElementKind::BF16), *createGpuEmitter(), "cuda");
  for (float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<HostArray> operands = kernel.operands();
    std::fill_n(operands[2].f32() + 202 * kernel.valueDim, kernel.valueDim, value); // queries from 2 on attend to it
    EXPECT_EQ(narrowDifference(kernel, runner, operands, ElementKind::BF16), "") << value;
  }
}

/// 32 query heads on 8 key heads: enough blocks for all processors, and one block reads each key.
TEST(SplitKvTiles, FillADevice) {
  constexpr int64_t processors = 132;
  AttendKernel kernel = stepOf(1, 1, 32, 4);
  kernel.dim = kernel.valueDim = 128;
  KernelRunner runner(narrowText(kernel, ElementKind::BF16), *createGpuEmitter(), "cuda");
  ASSERT_TRUE(runner) << runner.message();
  ASSERT_EQ(runner.code().phases.size(), 2u);
  for (int64_t keys : {8 << 10, 32 << 10, 128 << 10}) {
    int64_t blocks = runner.code().phases[0].chunks.evaluate({keys, keys});
    EXPECT_EQ(blocks % 8, 0) << "a split is one block's";
    EXPECT_GE(blocks, processors * 3 / 2);
    int64_t read = 2 * 8 * keys * 128 * 2, ofParts = runner.code().sharedBytes.evaluate({keys, keys});
    EXPECT_LE(2 * ofParts, read / 16) << "parts are written and read";
  }
}

/// Rows of the table in docs/gpu.md.
struct SplitRow {
  int64_t features, keys, stages, bytesUnderWay, products, squares, registers;
};

TEST(SplitKvTiles, TakeWhatTheTableSays) {
  auto table = llvm::MemoryBuffer::getFile(ATTNC_ROOT "/docs/gpu.md");
  ASSERT_TRUE(table);
  for (const SplitRow &each :
       {SplitRow{64, 64, 4, 48, 16, 12, 128}, {128, 32, 4, 48, 24, 20, 168}, {256, 32, 2, 32, 48, 40, 192}}) {
    SCOPED_TRACE(each.features);
    AttendKernel kernel = stepOf(1, 1, 32, 4);
    kernel.dim = kernel.valueDim = each.features;
    KernelRunner runner(narrowText(kernel, ElementKind::BF16), *createGpuEmitter(), "cuda");
    ASSERT_TRUE(runner) << runner.message();
    const KernelPhase &phase = runner.code().phases[0];
    std::string ptx = functionOf(runner.ptx(), phase.symbol);
    EXPECT_EQ(count(ptx, "mma.sync.aligned.m16n8k16"), each.products);
    EXPECT_EQ(count(ptx, "ldmatrix.sync.aligned.m8n8.x4"), each.squares);
    // A thread copies its share of a tile for each stage that is filled before the loop, for the next stage in the
    // loop, and of the queries.
    int64_t tileBytes = each.keys * 2 * each.features * 2;
    EXPECT_EQ(tileBytes * (each.stages - 1), each.bytesUnderWay << 10);
    int64_t queryUnits = SplitKvTiles::tileRows * each.features / 8, threads = phase.threads;
    EXPECT_EQ(count(ptx, "cp.async.cg"), each.stages * tileBytes / 16 / threads + (queryUnits + threads - 1) / threads);
    int64_t kilobytes = phase.blockBytes >> 10;
    std::string row =
        fmt::format("| {0}, {0} | {1} | {2} | {3} KB | {4} KB | {5} | {6} | {7}", each.features, each.keys, each.stages,
                    kilobytes, each.bytesUnderWay, each.products, each.squares, each.registers);
    EXPECT_NE((*table)->getBuffer().find(row), llvm::StringRef::npos) << "docs/gpu.md has no row\n" << row;
    if (hasPtxas()) {
      EXPECT_LE(ptxasRegisters(runner.ptx(), "sm_80"), each.registers);
    }
  }
}

TEST(SplitKvTiles, AssembleWithoutSpills) {
  if (!hasPtxas())
    GTEST_SKIP() << "this machine has no ptxas";
  for (int64_t dim : {64, 128, 256})
    for (std::string architecture : {"sm_80", "sm_90a"}) {
      AttendKernel kernel = stepOf(1, 1);
      kernel.dim = kernel.valueDim = dim;
      kernel.mask = causalMask;
      for (const std::string &text : {narrowText(kernel, ElementKind::BF16), kernel.text(), tf32Text(kernel)}) {
        KernelRunner runner(text, *createGpuEmitter(), "cuda:" + architecture);
        ASSERT_TRUE(runner) << runner.message();
        EXPECT_EQ(ptxasFault(runner.ptx(), architecture), "") << dim;
      }
    }
}

/// Tiles fit into any device, and twice into a processor of sm_80: of its 164 KB a block takes 1 KB more than its
/// tiles.
TEST(SplitKvTiles, TilesOfAllSizesTakeEightyKilobytes) {
  for (MatrixType type : {MatrixType::BF16, MatrixType::TF32, MatrixType::F32})
    for (int64_t features = 16; features <= 256; features += 16)
      for (int64_t values = 16; values <= 256; values += 16) {
        SplitKvTiles::Tiling tiling = SplitKvTiles::chooseTiling({type, features, values, {}, {}, {}});
        int64_t ofTile = tiling.keys() * (features + values), ofQueries = SplitKvTiles::tileRows * features;
        EXPECT_LE((ofQueries + tiling.stages * ofTile) * elementBytes(type), 80 << 10) << features << " " << values;
        EXPECT_GE(tiling.stages, 2);
        EXPECT_GE(tiling.threads(), 64) << features << " " << values;
        EXPECT_EQ(values % (tiling.valueWarps * 16), 0);
      }
}

/// Tests 32-bit operands of tensor cores.
TEST(SplitKvTiles, WordsHaveRoomInAnyDevice) {
  for (auto [dim, kilobytes] : {std::pair<int64_t, int64_t>{64, 68}, {128, 72}, {256, 80}})
    for (bool isTf32 : {false, true}) {
      AttendKernel kernel = stepOf(1, 1, 32, 4);
      kernel.dim = kernel.valueDim = dim;
      KernelRunner runner(isTf32 ? tf32Text(kernel) : kernel.text(), *createGpuEmitter(), "cuda");
      ASSERT_TRUE(runner) << runner.message();
      EXPECT_NE(runner.ptx().find("mma.sync.aligned.m16n8k8"), std::string::npos);
      EXPECT_EQ(runner.code().phases[0].blockBytes, kilobytes << 10) << dim;
    }
}

/// Other sizes would spill registers.
TEST(SplitKvTiles, OtherSizesHaveTheGeneralForm) {
  for (auto [dim, valueDim, type] : {std::tuple<int64_t, int64_t, ElementKind>{144, 144, ElementKind::F32},
                                     {208, 208, ElementKind::F32},
                                     {240, 240, ElementKind::F32},
                                     {128, 240, ElementKind::BF16},
                                     {256, 208, ElementKind::F16}}) {
    AttendKernel kernel = stepOf(1, 1, 32, 4);
    kernel.dim = dim, kernel.valueDim = valueDim;
    std::string text = type == ElementKind::F32 ? kernel.text() : narrowText(kernel, type);
    KernelRunner runner(text, *createGpuEmitter(), "cuda");
    ASSERT_TRUE(runner) << runner.message();
    EXPECT_EQ(runner.ptx().find("mma.sync"), std::string::npos) << dim << ", " << valueDim;
    EXPECT_TRUE(hasRoomAnywhere(runner));
  }
}

TEST(SplitKvTiles, EveryWaitIsNeeded) {
  AttendKernel kernel = stepOf(2, 300, 8, 1);
  kernel.yields = "\"value\"";
  auto expectNeeded = [&](const std::string &text, const std::vector<HostArray> &operands) {
    expectWaitsAreNeeded(text, operands, kernel.resultShapes(), [](Operation *op) {
      return isa<NVVM::Barrier0Op>(op) || (isa<NVVM::CpAsyncWaitGroupOp>(op) && op->getParentOfType<scf::WhileOp>());
    });
  };
  expectNeeded(narrowText(kernel, ElementKind::BF16), stored(kernel.operands(), portsAs(ElementKind::BF16)));
  expectNeeded(kernel.text(), kernel.operands());
}

} // namespace
} // namespace attnc
