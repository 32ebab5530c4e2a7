// Tests special cases of the decode form of attention, which is for few queries.
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tests/compiler/Codegen/CPU/AttendKernels.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

TEST(AttendFewQueries, RowsAndHeadSizes) {
  struct Shape {
    int64_t heads, group, queries, dim, valueDim;
  };
  for (Shape shape : {Shape{3, 1, 1, 64, 64},
                      {8, 4, 1, 128, 128},
                      {6, 3, 1, 33, 100},
                      {4, 2, 3, 80, 16},
                      {7, 7, 1, 16, 5},
                      {8, 8, 1, 256, 256}}) {
    AttendKernel kernel;
    kernel.heads = shape.heads;
    kernel.group = shape.group;
    kernel.queries = shape.queries;
    kernel.dim = shape.dim;
    kernel.valueDim = shape.valueDim;
    kernel.keys = 600;
    kernel.hasStaticQueries = true;
    kernel.yields = "\"value\", \"lse\"";
    for (const char *target : {"native", "x86-64-v3"})
      EXPECT_EQ(compareWithOracle(kernel, kernel.operands(), 4e-6, target), "") << shape.heads << " " << shape.dim;
  }
}

TEST(AttendFewQueries, NumberOfHeadsIsDynamic) {
  std::string text = R"(func.func private @k(%q: tensor<?x32xf32>, %k: tensor<?x?x32xf32>) -> tensor<?x32xf32>
      attributes {attn.kernel = "attend"} {
    %c0 = arith.constant 0 : index %c1 = arith.constant 1 : index %c4 = arith.constant 4 : index
    %D = arith.constant 32 : index
    %H = tensor.dim %q, %c0 : tensor<?x32xf32> %M = tensor.dim %k, %c1 : tensor<?x?x32xf32>
    %r = attn.attend softmax outer(%H) keys(%M) values(%D) yields ["value"]
      score(%h, %j) {
        %g = arith.floordivsi %h, %c4 : index
        %s = attn.reduce add (%d) in (%D) {
          %a = tensor.extract %q[%h, %d] : tensor<?x32xf32>
          %b = tensor.extract %k[%g, %j, %d] : tensor<?x?x32xf32>
          %t = arith.mulf %a, %b : f32
          attn.yield %t : f32 } : f32
        attn.yield %s : f32 }
      value(%h, %j, %e) {
        %g = arith.floordivsi %h, %c4 : index
        %x = tensor.extract %k[%g, %j, %e] : tensor<?x?x32xf32>
        attn.yield %x : f32 } : tensor<?x32xf32>
    return %r : tensor<?x32xf32> })";
  ComparedKernel kernel(text);
  for (int64_t heads : {8, 6, 1}) // the last group is whole, partial, or the only one
    EXPECT_EQ(kernel.compare({HostArray::random({heads, 32}, 1), HostArray::random({(heads + 3) / 4, 70, 32}, 2)},
                             {{heads, 32}}),
              "")
        << heads;
}

/// Collects the buffers that a memref can refer to.
static void findBuffers(mlir::Value memref, llvm::DenseSet<mlir::Value> &buffers) {
  if (auto select = memref.getDefiningOp<mlir::arith::SelectOp>()) {
    findBuffers(select.getTrueValue(), buffers);
    findBuffers(select.getFalseValue(), buffers);
  } else if (auto view = memref.getDefiningOp<mlir::ViewLikeOpInterface>();
             view && llvm::isa<mlir::memref::ReinterpretCastOp, mlir::memref::CastOp>(view))
    findBuffers(view.getViewSource(), buffers);
  else
    buffers.insert(memref);
}

TEST(AttendFewQueries, HeadsOfAGroupMayScaleKeysAndValuesByTheirNumber) {
  // Loads are shared by the group, but a number computed from the head is not.
  std::string text = R"(func.func private @k(%q: tensor<4x32xf32>, %k: tensor<2x?x32xf32>) -> tensor<4x32xf32>
      attributes {attn.kernel = "attend"} {
    %c1 = arith.constant 1 : index %c2 = arith.constant 2 : index %H = arith.constant 4 : index
    %D = arith.constant 32 : index %M = tensor.dim %k, %c1 : tensor<2x?x32xf32>
    %r = attn.attend softmax outer(%H) keys(%M) values(%D) yields ["value"]
      score(%h, %j) {
        %g = arith.floordivsi %h, %c2 : index
        %s = attn.reduce add (%d) in (%D) {
          %a = tensor.extract %q[%h, %d] : tensor<4x32xf32>
          %b = tensor.extract %k[%g, %j, %d] : tensor<2x?x32xf32>
          KEY
          %t = arith.mulf %a, %y : f32
          attn.yield %t : f32 } : f32
        attn.yield %s : f32 }
      value(%h, %j, %e) {
        %g = arith.floordivsi %h, %c2 : index
        %b = tensor.extract %k[%g, %j, %e] : tensor<2x?x32xf32>
        VALUE
        attn.yield %y : f32 } : tensor<4x32xf32>
    return %r : tensor<4x32xf32> })";
  std::string plain = "%zero = arith.constant 0.0 : f32 %y = arith.addf %b, %zero : f32",
              scaled = "%n = arith.index_cast %h : index to i32 %f = arith.sitofp %n : i32 to f32 "
                       "%y = arith.mulf %b, %f : f32";
  for (auto [key, value] : {std::pair(scaled, plain), {plain, scaled}, {scaled, scaled}}) {
    std::string each = text;
    each.replace(each.find("KEY"), 3, key);
    each.replace(each.find("VALUE"), 5, value);
    ComparedKernel kernel(each);
    EXPECT_EQ(kernel.compare({HostArray::random({4, 32}, 1), HostArray::random({2, 70, 32}, 2)}, {{4, 32}}), "")
        << key << " / " << value;
  }
}

TEST(AttendFewQueries, GroupedHeadsAskForTheKeysAheadToo) {
  // The key head is a function of the group, not of the batch: such keys were once not prefetched.
  for (int64_t group : {1, 4}) {
    AttendKernel kernel;
    kernel.heads = 8;
    kernel.group = group;
    kernel.queries = 1;
    kernel.hasStaticQueries = true;
    ParsedModule parsed(kernel.text());
    ASSERT_TRUE(parsed) << parsed.diagnostics();
    mlir::OwningOpRef<mlir::ModuleOp> code = mlir::ModuleOp::create(parsed.get().getLoc());
    auto target = Target::resolve("x86-64-v4");
    ASSERT_TRUE(bool(target));
    ASSERT_TRUE(mlir::succeeded(createCpuEmitter()->emit(parsed.function(), *target, *code)));
    llvm::DenseSet<mlir::Value> askedFor;
    code->walk([&](mlir::memref::PrefetchOp prefetch) { findBuffers(prefetch.getMemref(), askedFor); });
    EXPECT_EQ(askedFor.size(), 2u) << "groups of " << group;
  }
}

TEST(AttendFewQueries, TheirDynamicNumberChoosesTheForm) {
  AttendKernel kernel;
  KernelRunner runner(kernel.text(), *createCpuEmitter(), "x86-64-v4");
  ASSERT_TRUE(runner) << runner.message();
  const std::vector<KernelPhase> &phases = runner.code().phases;
  ASSERT_EQ(phases.size(), 4u);
  // Symbols: queries, keys of k, keys of v. Two heads; chunks of 64 queries, of 16 in the tail, or of one query and 512
  // keys.
  auto chunksOf = [&](int64_t queries) {
    std::vector<int64_t> chunks;
    for (const KernelPhase &phase : phases)
      chunks.push_back(phase.chunks.evaluate({queries, 600, 600}));
    return chunks;
  };
  EXPECT_EQ(chunksOf(0), (std::vector<int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(chunksOf(4), (std::vector<int64_t>{0, 0, 16, 8}));
  EXPECT_EQ(chunksOf(5), (std::vector<int64_t>{0, 2, 0, 0}));
  EXPECT_EQ(chunksOf(32), (std::vector<int64_t>{0, 4, 0, 0}));
  EXPECT_EQ(chunksOf(33), (std::vector<int64_t>{2, 0, 0, 0}));
  EXPECT_EQ(chunksOf(64), (std::vector<int64_t>{2, 0, 0, 0}));
  EXPECT_EQ(chunksOf(65), (std::vector<int64_t>{2, 2, 0, 0}));
  EXPECT_EQ(chunksOf(97), (std::vector<int64_t>{4, 0, 0, 0}));
  EXPECT_GT(runner.code().sharedBytes.evaluate({4, 600, 600}), 0);
  EXPECT_EQ(runner.code().sharedBytes.evaluate({5, 600, 600}), 0);
  EXPECT_FALSE(runner.code().sharedBytes.hasProductOf(0, 1));
}

TEST(AttendFewQueries, NoKeysYieldZeros) {
  AttendKernel kernel;
  kernel.hasStaticQueries = true;
  kernel.queries = 1;
  kernel.keys = 0;
  kernel.yields = "\"value\", \"lse\"";
  EXPECT_EQ(compareWithOracle(kernel, kernel.operands()), "");
}

} // namespace
} // namespace attnc
