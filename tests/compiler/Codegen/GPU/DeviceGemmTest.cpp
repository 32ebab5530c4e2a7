// Compares matrix products on a device with plain loops, for each layout of operands, and tests the instructions of
// their inner loops and that a missing wait is detected.
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tests/compiler/Codegen/CPU/GemmCase.h"
#include "tests/compiler/Codegen/GPU/PtxText.h"
#include "tests/compiler/Codegen/GPU/TestKernel.h"
#include "tests/compiler/Codegen/GPU/WithoutWait.h"
#include "tests/support/ChangedEmitter.h"
#include "tests/support/Ptxas.h"
#include "llvm/Support/MemoryBuffer.h"
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

constexpr const char *oldest = "cuda:sm_80", *warpGroups = "cuda:sm_90a";

Target device() { return llvm::cantFail(Target::resolve(oldest)); }

/// Returns the phase that multiplies by warp groups, which other phases may precede; null if all devices have the same
/// form.
const KernelPhase *warpGroupsOf(const KernelRunner &runner) {
  auto phases = llvm::reverse(runner.code().phases);
  auto found = llvm::find_if(phases, [](const KernelPhase &each) { return each.form == DeviceVariant::WarpGroups; });
  return found == phases.end() ? nullptr : &*found;
}

/// Rounds f32 to tf32 as the device does: to nearest, halves away from zero.
HostArray roundedToTf32(HostArray array) {
  for (int64_t at = 0; at < array.size(); ++at)
    array.f32()[at] = std::bit_cast<float>((std::bit_cast<uint32_t>(array.f32()[at]) + 0x1000u) & 0xffffe000u);
  return array;
}

ElementKind kindOf(const GemmCase &c) { return c.stored == "f16" ? ElementKind::F16 : ElementKind::BF16; }

/// Returns the operands in the types of the kernel.
std::vector<HostArray> operandsOf(const GemmCase &c) {
  std::vector<HostArray> operands = c.operands();
  if (!c.stored.empty())
    operands[0] = operands[0].storedAs(kindOf(c)), operands[1] = operands[1].storedAs(kindOf(c));
  return operands;
}

/// Returns the error or the first difference of a run, or "".
std::string difference(const GemmCase &c, const KernelRunner &runner, std::vector<HostArray> operands,
                       HostArray result) {
  if (runner.status() != 0 || !runner)
    return "status " + std::to_string(runner.status()) + " " + runner.message();
  if (result.size() == 0)
    return "";
  if (c.attributes.find("tf32") != std::string::npos)
    operands[0] = roundedToTf32(operands[0]), operands[1] = roundedToTf32(operands[1]);
  double rounding = 0; // of the result
  if (!c.stored.empty()) {
    operands[0] = operands[0].widened(), operands[1] = operands[1].widened();
    result = result.widened();
    rounding = c.stored == "f16" ? 0x1p-11 : 0x1p-8;
  }
  std::vector<double> expected, bound;
  c.reference(operands, expected, bound);
  for (size_t at = 0; at < expected.size(); ++at)
    if (!(std::abs(result.f32()[at] - expected[at]) <= bound[at] + rounding * std::abs(expected[at])))
      return "element " + std::to_string(at) + " is " + std::to_string(result.f32()[at]) + ", expected " +
             std::to_string(expected[at]);
  return "";
}

void checkRuns(const GemmCase &c, KernelRunner &runner, int inPlaceOperand = -1) {
  ASSERT_TRUE(runner) << runner.message() << c.text(device());
  std::vector<HostArray> operands = operandsOf(c);
  std::vector<char> first;
  for (bool reversed : {false, true}) {
    RunOptions options;
    options.reversed = reversed;
    options.placement = reversed ? Placement::AgainstStart : Placement::AgainstEnd;
    options.inPlaceOperand = inPlaceOperand;
    HostArray result = runner.run(operands, {c.shapeOf(c.out)}, options).front();
    EXPECT_EQ(difference(c, runner, operands, result), "") << c.text(device());
    if (reversed) {
      EXPECT_EQ(result.bytes, first) << "the same bits in any order";
    }
    first = result.bytes;
  }
}

/// Compares each form of the kernel.
void check(const GemmCase &c, int inPlaceOperand = -1) {
  KernelRunner runner(c.text(device()), *createGpuEmitter(), oldest);
  checkRuns(c, runner, inPlaceOperand);
  KernelRunner newest(c.text(device()), *createGpuEmitter(), warpGroups);
  if (warpGroupsOf(newest) || !newest)
    checkRuns(c, newest, inPlaceOperand);
}

GemmCase product(const std::string &left, const std::string &right, const std::string &out,
                 std::map<char, int64_t> sizes, const std::string &dynamic = "") {
  GemmCase c{left, right, out};
  c.sizes = std::move(sizes);
  c.dynamic = dynamic;
  return c;
}

/// Compares f32 products and products on tensor cores.
void checkEachForm(GemmCase c) {
  check(c);
  c.attributes = ", attn.tf32";
  check(c);
  c.attributes = "";
  for (const char *stored : {"bf16", "f16"}) {
    c.stored = stored;
    check(c);
  }
}

TEST(DeviceGemm, ShapesThatNoTileDivides) {
  for (const char *left : {"mk", "km"})
    for (const char *right : {"kn", "nk"}) {
      checkEachForm(product(left, right, "mn", {{'m', 67}, {'n', 149}, {'k', 101}}));
      checkEachForm(product(left, right, "mn", {{'m', 130}, {'n', 68}, {'k', 36}}));
      checkEachForm(product(left, right, "mn", {{'m', 136}, {'n', 72}, {'k', 200}}));
    }
  for (auto [m, n, k] : {std::array{6, 5, 1}, std::array{64, 64, 64}})
    checkEachForm(product("mk", "kn", "mn", {{'m', m}, {'n', n}, {'k', k}}));
}

TEST(DeviceGemm, AFewRows) {
  for (const char *right : {"kn", "nk"})
    for (auto [m, n, k] :
         {std::array{1, 1, 1}, std::array{1, 130, 9}, std::array{3, 260, 512}, std::array{4, 36, 1030}})
      for (const char *stored : {"", "bf16"}) {
        GemmCase c = product("mk", right, "mn", {{'m', m}, {'n', n}, {'k', k}});
        c.stored = stored;
        check(c);
      }
  for (int64_t m : {1, 4, 5})
    check(product("mk", "kn", "mn", {{'m', m}, {'n', 72}, {'k', 40}}, "m"));
  check(product("bk", "bkn", "bn", {{'b', 3}, {'n', 40}, {'k', 50}}, "b"));
  check(product("bhsd", "hdn", "bsn", {{'b', 1}, {'s', 1}, {'n', 52}, {'h', 3}, {'d', 20}}));
}

/// Few columns and a large depth: parts of the depth are separate blocks, and a second phase adds them (split K).
TEST(DeviceGemm, AFewRowsInPartsOfTheDepth) {
  for (const char *right : {"kn", "nk"})
    for (const char *stored : {"", "bf16"})
      for (const char *dynamic : {"", "m"}) {
        GemmCase c = product("mk", right, "mn", {{'m', 3}, {'n', 20}, {'k', 4170}}, dynamic);
        c.stored = stored;
        check(c);
      }
  GemmCase c = product("bmk", "bkn", "bmn", {{'b', 2}, {'m', 2}, {'n', 40}, {'k', 3000}});
  c.extras = {"n"};
  c.body = "%y = arith.addf %p, %x0 : f32";
  c.formula = [](double p, const double *x) { return p + x[0]; };
  KernelRunner runner(c.text(device()), *createGpuEmitter(), oldest);
  checkRuns(c, runner);
  EXPECT_EQ(runner.code().phases.size(), 2u);
  EXPECT_GT(runner.code().phases[0].chunks.constant(), 4);
  // With enough blocks there are no parts to add.
  KernelRunner wide(product("mk", "kn", "mn", {{'m', 1}, {'n', 16384}, {'k', 4096}}).text(device()),
                    *createGpuEmitter(), oldest);
  EXPECT_EQ(wide.code().phases.size(), 1u);
}

TEST(DeviceGemm, SizesKnownAtRunTime) {
  for (const char *dynamic : {"m", "k", "mkn"})
    checkEachForm(product("mk", "kn", "mn", {{'m', 70}, {'n', 132}, {'k', 40}}, dynamic));
  checkEachForm(product("mk", "nk", "mn", {{'m', 70}, {'n', 33}, {'k', 41}}, "mkn"));
}

/// Up to 64 rows have blocks of fewer rows; only one phase has blocks.
TEST(DeviceGemm, RowsChooseAmongPhases) {
  for (auto [target, stored] : {std::pair(oldest, "bf16"), {warpGroups, "bf16"}, {warpGroups, ""}})
    for (auto [m, suffix] : {std::pair(4, "$few"), {5, "$low"}, {64, "$low"}, {65, ""}}) {
      GemmCase c = product("mk", "kn", "mn", {{'m', m}, {'n', 2048}, {'k', 24}}, "m");
      c.stored = stored;
      KernelRunner runner(c.text(device()), *createGpuEmitter(), target);
      checkRuns(c, runner);
      int64_t blocks = 0;
      for (const KernelPhase &phase : runner.code().phases) {
        std::string expected = std::string(suffix) + (phase.form == DeviceVariant::WarpGroups ? "$groups" : "");
        int64_t chunks = phase.chunks.evaluate({m, m});
        EXPECT_EQ(chunks > 0, phase.symbol == "k" + expected) << phase.symbol << " of " << m << " rows";
        blocks += chunks;
      }
      EXPECT_GT(blocks, 0) << suffix;
    }
  // A matrix of few columns has blocks of few rows for any number of rows.
  GemmCase c = product("mk", "kn", "mn", {{'m', 5}, {'n', 64}, {'k', 72}}, "m");
  KernelRunner runner(c.text(device()), *createGpuEmitter(), oldest);
  EXPECT_EQ(runner.code().phases.size(), 2u);
}

TEST(DeviceGemm, NothingToSumAndNoRows) {
  check(product("mk", "kn", "mn", {{'m', 5}, {'n', 20}, {'k', 0}}, "k"));
  check(product("mk", "kn", "mn", {{'m', 0}, {'n', 20}, {'k', 8}}, "m"));
}

/// Dynamic dimensions of the batch have large typical sizes, which give large blocks. With one such dimension threads
/// copy tiles; with two TMA does, because products are then large enough for tensor maps to pay.
const std::string many = "b", very = "cb";

GemmCase manyMatrices(const std::string &batch, const std::string &left, const std::string &right,
                      std::map<char, int64_t> sizes, const std::string &stored, const std::string &out = "mn") {
  sizes.insert({{'b', 1}, {'c', 2}});
  GemmCase c = product(batch + left, batch + right, batch + out, sizes, batch);
  (stored == "tf32" ? c.attributes = ", attn.tf32" : c.stored = stored);
  return c;
}

bool isCopiedByHardware(const KernelRunner &runner) {
  return runner.ptx().find("cp.async.bulk.tensor") != std::string::npos;
}

TEST(DeviceGemm, WarpGroupsInEachShapeOfBlock) {
  struct Shape {
    int64_t m, n;
    const char *product; ///< a part of the instruction's name
    int64_t threads, blocks;
  };
  struct Operands {
    const char *left, *right, *stored;
  };
  for (const Shape &shape :
       {Shape{104, 248, "m64n256k", 384, 1}, Shape{136, 264, "m64n128k", 384, 3}, Shape{104, 104, "m64n128k", 384, 1},
        Shape{40, 120, "m64n128k", 256, 1}, Shape{40, 56, "m64n64k", 256, 1}})
    for (const Operands &each : {Operands{"mk", "kn", "bf16"}, {"km", "nk", "f16"}, {"mk", "nk", "tf32"}})
      for (const std::string &batch : {many, very}) {
        GemmCase c =
            manyMatrices(batch, each.left, each.right, {{'m', shape.m}, {'n', shape.n}, {'k', 136}}, each.stored);
        KernelRunner runner(c.text(device()), *createGpuEmitter(), warpGroups);
        checkRuns(c, runner);
        const KernelPhase *phase = warpGroupsOf(runner);
        ASSERT_TRUE(phase);
        EXPECT_NE(runner.ptx().find(shape.product), std::string::npos) << c.text(device());
        EXPECT_EQ(isCopiedByHardware(runner), batch == very);
        EXPECT_EQ(phase->threads, shape.threads);
        EXPECT_EQ(phase->chunks.evaluate(std::vector<int64_t>(3 * batch.size(), 1)), shape.blocks) << c.text(device());
      }
}

TEST(DeviceGemm, HardwareCopiesNothingOfEmptyOperands) {
  GemmCase c = product("cbkm", "cbkn", "cbmn", {{'c', 2}, {'b', 1}, {'k', 0}, {'m', 72}, {'n', 72}}, "cbk");
  c.stored = "bf16";
  KernelRunner runner(c.text(device()), *createGpuEmitter(), warpGroups);
  checkRuns(c, runner);
  EXPECT_TRUE(isCopiedByHardware(runner));
}

TEST(DeviceGemm, HardwareCopiesWhatIsABox) {
  struct Operands {
    const char *left, *right, *out;
    bool areBoxes;
  };
  for (const Operands &each : {Operands{"hsd", "hdn", "sn", true}, // the depth has two dimensions
                               {"kqp", "nk", "qpn", true},         // rows have two dimensions in memory order
                               {"qhpd", "hdn", "qpn", false}}) {   // and in another order
    std::map<char, int64_t> sizes = {{'h', 3}, {'s', 72}, {'d', 64}, {'n', 72}, {'q', 8}, {'p', 9}, {'k', 72}};
    GemmCase c = manyMatrices(very, each.left, each.right, sizes, "bf16", each.out);
    KernelRunner runner(c.text(device()), *createGpuEmitter(), warpGroups);
    checkRuns(c, runner);
    EXPECT_TRUE(warpGroupsOf(runner)) << each.left;
    EXPECT_EQ(isCopiedByHardware(runner), each.areBoxes) << each.left;
  }
}

TEST(DeviceGemm, SeparateMatrices) {
  for (const char *right : {"bkn", "bnk"})
    for (const char *dynamic : {"", "bmnk"})
      checkEachForm(product("bmk", right, "bmn", {{'b', 3}, {'m', 10}, {'n', 56}, {'k', 36}}, dynamic));
}

TEST(DeviceGemm, DimensionsInAnyOrder) {
  checkEachForm(product("bsk", "khd", "bhsd", {{'b', 2}, {'s', 9}, {'k', 52}, {'h', 3}, {'d', 32}}, "s"));
  checkEachForm(product("bhsd", "hdn", "bsn", {{'b', 2}, {'s', 9}, {'n', 52}, {'h', 3}, {'d', 20}}));
  checkEachForm(product("bhsd", "hdn", "bsn", {{'b', 2}, {'s', 9}, {'n', 52}, {'h', 3}, {'d', 16}}));
  checkEachForm(product("bsm", "bsn", "mn", {{'b', 3}, {'s', 40}, {'m', 65}, {'n', 120}}, "bs"));
  check(product("kn", "mk", "mn", {{'m', 21}, {'n', 50}, {'k', 70}}));
  check(product("nk", "k", "n", {{'n', 100}, {'k', 70}}));
  check(product("k", "k", "", {{'k', 70}}));
}

TEST(DeviceGemm, EpiloguesOverAResidual) {
  for (int64_t n : {72, 71}) {
    GemmCase c = product("mk", "kn", "mn", {{'m', 70}, {'n', n}, {'k', 20}});
    c.extras = {"n", "mn"};
    c.body = R"(%t = arith.addf %p, %x0 : f32
  %i = linalg.index 1 : index
  %v = arith.index_cast %i : index to i32
  %f = arith.sitofp %v : i32 to f32
  %s = arith.constant 0.01 : f32
  %g = arith.mulf %f, %s : f32
  %h = math.tanh %t : f32
  %u = arith.addf %h, %x1 : f32
  %z = arith.subf %g, %g : f32
  %y = arith.addf %u, %z : f32)";
    c.formula = [](double p, const double *x) { return std::tanh(p + x[0]) + x[1]; };
    c.inPlaceExtra = 1;
    check(c, 3);
  }
}

//===------------------------------------------ instructions ------------------------------------------------------===//

/// Returns the PTX from a label to the last branch back to it: the loop that waits for copies.
std::string loopOverTheDepth(const std::string &ptx) {
  size_t wait = ptx.find("cp.async.wait_group");
  std::string shortest;
  for (size_t at = ptx.find("\n$L__BB"); at < wait; at = ptx.find("\n$L__BB", at + 1)) {
    std::string label = ptx.substr(at + 1, ptx.find(':', at) - at - 1);
    size_t end = 0;
    for (const char *branch : {"bra \t", "bra.uni \t"})
      if (size_t found = ptx.rfind(branch + label + ";"); found != std::string::npos)
        end = std::max(end, found);
    if (end > wait)
      shortest = ptx.substr(at, end - at);
  }
  return shortest;
}

GemmCase square(const std::string &attributes, const std::string &right = "kn") {
  GemmCase c = product("mk", right, "mn", {{'m', 4096}, {'n', 4096}, {'k', 4096}});
  c.attributes = attributes;
  return c;
}

/// A row of the table in docs/gpu.md: a thread's instructions per step of the depth, and a block's resources.
struct Resources {
  std::string form, attributes, right, stored;
  int64_t products, reads, copies; ///< per thread: mma.sync or fma; ldmatrix or ld.shared; cp.async
  int64_t blockBytes, registers;   ///< at most, on any architecture
  std::string product, read;       ///< instructions
};

/// Returns how many blocks a processor of sm_80 runs at a time: it has 65536 registers, allocated per warp in units of
/// 256, and 164 KB, of which each block takes 1 KB more than it requests.
int64_t blocksAtATime(const Resources &of, int64_t threads) {
  int64_t ofRegisters = 65536 / ((of.registers + 7) / 8 * 8 * threads), ofMemory = (164 << 10) / (of.blockBytes + 1024);
  return std::min(ofRegisters, ofMemory);
}

TEST(DeviceGemm, TakesWhatTheTableSays) {
  std::string mma = "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", matrices = "ldmatrix.sync.aligned.m8n8.x4";
  auto text = llvm::MemoryBuffer::getFile(ATTNC_ROOT "/docs/gpu.md");
  ASSERT_TRUE(text);
  for (const Resources &each :
       {Resources{"f32", "", "kn", "", 512, 32, 5, 65536, 168, "fma.rn.f32", "ld.shared.v4"},
        Resources{"tf32, `N x K`", ", attn.tf32", "nk", "", 64, 16, 8, 65536, 240, mma, matrices},
        Resources{"tf32, `K x N`", ", attn.tf32", "kn", "", 64, 16, 20, 65536, 255, mma, matrices},
        Resources{"bf16, f16, `N x K`", "", "nk", "bf16", 64, 16, 8, 65536, 240,
                  "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", matrices},
        Resources{"bf16, f16, `K x N`", "", "kn", "f16", 64, 16, 8, 65536, 240,
                  "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", matrices}}) {
    GemmCase c = square(each.attributes, each.right);
    c.stored = each.stored;
    KernelRunner runner(c.text(device()), *createGpuEmitter(), oldest);
    ASSERT_TRUE(runner) << runner.message();
    std::string loop = loopOverTheDepth(runner.ptx());
    EXPECT_EQ(count(loop, each.product), each.products) << each.form;
    EXPECT_EQ(count(loop, each.read), each.reads) << each.form;
    EXPECT_EQ(count(loop, "cp.async.c"), each.copies + 1) << each.form << ": and one that closes the group";
    EXPECT_EQ(count(loop, "bar.sync") + count(loop, "barrier.sync"), 1) << each.form;
    const KernelPhase &phase = runner.code().phases.front();
    EXPECT_EQ(phase.blockBytes, each.blockBytes) << each.form;
    std::string row =
        fmt::format("| {} | {} | {} | {} | {} | {} | {} KB | {} |", each.form, phase.threads, each.products, each.reads,
                    each.copies, each.registers, each.blockBytes >> 10, blocksAtATime(each, phase.threads));
    EXPECT_NE((*text)->getBuffer().find(row), llvm::StringRef::npos) << "docs/gpu.md lacks\n" << row;
    for (std::string architecture : {"sm_80", "sm_90a"})
      if (hasPtxas()) {
        EXPECT_LE(ptxasRegisters(runner.ptx(), architecture), each.registers) << each.form << " " << architecture;
      }
  }
}

/// A row of the table of warp groups in docs/gpu.md.
struct WarpGroupResources {
  int64_t rows, columns, groups, stages, registers, blocksAtATime;

  int64_t stepBytes() const { return (rows + columns) * 128; }
  int64_t products() const { return rows / groups / 64 * 4; } ///< per group and step
  std::string row(int64_t blockBytes) const {
    int64_t multiplied = rows * columns * 64 / 2048, reads = rows / 64 * 4 * (64 + columns) * 32;
    int64_t shared = (stepBytes() + reads) / 128, secondCache = stepBytes() / 32;
    double share = static_cast<double>(multiplied) / static_cast<double>(std::max({multiplied, shared, secondCache}));
    return fmt::format("| {} x {} | {} | {} | {} KB | {} | {} KB | {} | {} | {}, {}, {} | {:.2f} |", rows, columns,
                       groups, products(), stepBytes() >> 10, stages, blockBytes >> 10, registers, blocksAtATime,
                       multiplied, shared, secondCache, share);
  }
  /// Returns the blocks at a time: of 65536 registers and 228 KB, each block takes 1 KB more than it requests.
  int64_t most(int64_t threads, int64_t blockBytes) const {
    return std::min(65536 / ((registers + 7) / 8 * 8 * threads), (228 << 10) / (blockBytes + 1024));
  }
};

TEST(DeviceGemm, WarpGroupsTakeWhatTheTableSays) {
  auto text = llvm::MemoryBuffer::getFile(ATTNC_ROOT "/docs/gpu.md");
  ASSERT_TRUE(text);
  for (const WarpGroupResources &each :
       {WarpGroupResources{128, 256, 2, 4, 168, 1}, WarpGroupResources{256, 128, 2, 4, 168, 1},
        WarpGroupResources{128, 128, 2, 6, 96, 1}, WarpGroupResources{64, 128, 1, 4, 96, 2},
        WarpGroupResources{64, 64, 1, 6, 64, 2}})
    for (const char *stored : {"bf16", "tf32"})
      for (const char *right : {"nk", "kn"}) {
        if (stored == std::string("tf32") && right == std::string("kn"))
          continue; // not in place
        GemmCase c = manyMatrices(many, "mk", right, {{'m', each.rows}, {'n', each.columns}, {'k', 4096}}, stored);
        KernelRunner runner(c.text(device()), *createGpuEmitter(), warpGroups);
        const KernelPhase *phase = warpGroupsOf(runner);
        ASSERT_TRUE(phase) << runner.message();
        std::string row = each.row(phase->blockBytes);
        EXPECT_NE((*text)->getBuffer().find(row), llvm::StringRef::npos) << "docs/gpu.md lacks\n" << row;
        EXPECT_EQ(count(runner.ptx(), "wgmma.mma_async"), each.products());
        // One box for left, and one for each panel of right.
        int64_t panels = right == std::string("kn") ? each.columns / 64 : 1;
        EXPECT_EQ(count(runner.ptx(), "cp.async.bulk.tensor.3d"), 1 + panels);
        EXPECT_EQ(each.most(phase->threads, phase->blockBytes), each.blocksAtATime);
        if (hasPtxas()) {
          EXPECT_EQ(ptxasFault(runner.ptx(), "sm_90a"), "") << row;
          EXPECT_LE(ptxasRegisters(runner.ptx(), "sm_90a"), each.registers) << row;
        }
      }
}

TEST(DeviceGemm, AssemblesWithoutSpills) {
  if (!hasPtxas())
    GTEST_SKIP() << "this machine has no ptxas";
  struct Form {
    const char *attributes, *stored, *dynamic;
  };
  for (const char *left : {"mk", "km"})
    for (const char *right : {"kn", "nk"})
      for (const Form &form : {Form{"", "", ""}, {", attn.tf32", "", ""}, {"", "bf16", ""}, {"", "f16", "mk"}}) {
        GemmCase c = square(form.attributes, right);
        c.left = left;
        c.stored = form.stored;
        c.dynamic = form.dynamic;
        for (std::string architecture : {"sm_80", "sm_90a"}) {
          KernelRunner runner(c.text(device()), *createGpuEmitter(), "cuda:" + architecture);
          EXPECT_EQ(ptxasFault(runner.ptx(), architecture), "") << architecture << c.text(device());
        }
      }
}

//===------------------------------------------ mutants -----------------------------------------------------------===//

/// Waits for copies and for other threads.
TEST(DeviceGemm, EveryWaitIsNeeded) {
  for (const char *stored : {"", "bf16"}) {
    GemmCase c = product("mk", "nk", "mn", {{'m', 64}, {'n', 64}, {'k', *stored ? 160 : 40}});
    c.stored = stored;
    expectWaitsAreNeeded(c.text(device()), operandsOf(c), {c.shapeOf(c.out)}, [](mlir::Operation *op) {
      return llvm::isa<mlir::NVVM::Barrier0Op, mlir::NVVM::CpAsyncWaitGroupOp>(op);
    });
  }
}

const std::unique_ptr<Emitter> gpu = createGpuEmitter();

/// Expects that each mutant fails, with two multiplying groups and more steps than stages.
void expectEachIsSeenBy(const GemmCase &c, const std::vector<Mutant> &mutants) {
  std::vector<HostArray> operands = operandsOf(c);
  auto isSeen = [&](const Mutation &change) {
    KernelRunner runner(c.text(device()), ChangedEmitter(*gpu, change), warpGroups);
    for (bool reversed : {false, true}) {
      RunOptions options;
      options.reversed = reversed;
      HostArray result = runner.run(operands, {c.shapeOf(c.out)}, options).front();
      if (!difference(c, runner, operands, result).empty())
        return true;
    }
    return false;
  };
  expectEachIsSeen(mutants, isSeen);
}

TEST(DeviceGemm, EveryWaitOfWarpGroupsIsNeeded) {
  using namespace mlir;
  std::vector<Mutant> mutants = {without<scf::WhileOp>(),
                                 without<NVVM::MBarrierArriveOp>(),
                                 without<NVVM::MBarrierInitOp>(),
                                 without<NVVM::FenceProxyOp>(),
                                 without<NVVM::WgmmaGroupSyncAlignedOp>(),
                                 without<NVVM::Barrier0Op>(),
                                 without<NVVM::BarrierOp>(),
                                 withoutText("wgmma.fence"),
                                 withoutText("wgmma.wait_group")};
  auto with = [&](std::vector<Mutant> more) {
    more.insert(more.begin(), mutants.begin(), mutants.end());
    return more;
  };
  std::map<char, int64_t> sizes = {{'c', 1}, {'m', 104}, {'n', 104}, {'k', 520}};
  expectEachIsSeenBy(manyMatrices(many, "mk", "kn", sizes, "bf16"),
                     with({without<NVVM::CpAsyncWaitGroupOp>(), without<NVVM::CpAsyncCommitGroupOp>()}));
  expectEachIsSeenBy(manyMatrices(very, "mk", "kn", sizes, "bf16"),
                     with({without<NVVM::MBarrierArriveExpectTxOp>(), without<NVVM::FenceProxyAcquireOp>(),
                           without<NVVM::SyncWarpOp>(), withoutText("cp_fenceproxy")}));
}

/// Inserts barriers after the copies and before the result, so that the copying threads round after the others have
/// written sums over the tiles; replaces each rounded element by a number that no sum has.
void meetBeforeTheResult(mlir::ModuleOp code) {
  using namespace mlir;
  constexpr int64_t barrier = 15, threads = 256;
  NVVM::BarrierOp last; // before the result
  Operation *copying = nullptr;
  SmallVector<NVVM::ConvertFloatToTF32Op> rounded;
  code.walk([&](Operation *op) {
    if (auto wait = dyn_cast<NVVM::BarrierOp>(op))
      last = wait;
    else if (auto copy = dyn_cast<NVVM::CpAsyncCommitGroupOp>(op))
      copying = copy->getParentOfType<scf::ForOp>();
    else if (auto word = dyn_cast<NVVM::ConvertFloatToTF32Op>(op))
      rounded.push_back(word);
  });
  ASSERT_TRUE(last && copying && !rounded.empty());
  OpBuilder b(last);
  auto meet = [&] {
    Value number = arith::ConstantIntOp::create(b, last.getLoc(), barrier, 32);
    Value all = arith::ConstantIntOp::create(b, last.getLoc(), threads, 32);
    NVVM::BarrierOp::create(b, last.getLoc(), TypeRange(), number, all, nullptr, Value());
  };
  meet();
  b.setInsertionPointAfter(copying);
  meet();
  for (NVVM::ConvertFloatToTF32Op word : rounded) {
    b.setInsertionPoint(word);
    Value wrong = arith::ConstantIntOp::create(b, word.getLoc(), std::bit_cast<int32_t>(7.0f), 32);
    word.replaceAllUsesWith(wrong);
  }
}

/// Sums may overwrite the tiles' memory before the copying threads find that there are no tiles.
TEST(DeviceGemm, NothingIsRoundedWithoutATile) {
  GemmCase c = product("mkj", "nkj", "mn", {{'m', 72}, {'n', 72}, {'k', 0}, {'j', 4}}, "k");
  c.attributes = ", attn.tf32";
  KernelRunner runner(c.text(device()), ChangedEmitter(*gpu, meetBeforeTheResult), warpGroups);
  const KernelPhase *phase = warpGroupsOf(runner);
  ASSERT_TRUE(phase) << runner.message();
  ASSERT_EQ(phase->threads, 256);
  EXPECT_FALSE(isCopiedByHardware(runner));
  checkRuns(c, runner);
}

} // namespace
} // namespace attnc
