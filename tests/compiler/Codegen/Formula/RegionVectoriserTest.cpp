// Compares each kind of load and op in a formula, compiled by a minimal emitter, with plain C++.
#include "tests/compiler/Codegen/Formula/FlatEmitter.h"
#include "tests/support/KernelRunner.h"
#include <climits>
#include <cmath>
#include <gtest/gtest.h>

using namespace attnc;

/// Returns a kernel over 0..n-1 whose body computes %v : `type`; %t is [?, ?] f32, %u is [?] i32.
static std::string kernelWithBody(const std::string &body, const std::string &type = "f32") {
  return R"(#id = affine_map<(i) -> (i)>
    func.func private @k(%t: tensor<?x?xf32>, %u: tensor<?xi32>, %n: index) -> tensor<?x)" +
         type + R"(>
        attributes {attn.kernel = "loops"} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %e = tensor.empty(%n) : tensor<?x)" +
         type + R"(>
      %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<?x)" +
         type + R"(>) {
      ^bb0(%o: )" +
         type + R"():
        %i = linalg.index 0 : index
)" + body +
         R"(
        linalg.yield %v : )" +
         type + R"(
      } -> tensor<?x)" +
         type + R"(>
      return %r : tensor<?x)" +
         type + R"(>
    })";
}

class RegionVectoriserTest : public testing::Test {
protected:
  int64_t rows = 37, columns = 41, n = 37;
  HostArray table = HostArray::random({rows, columns}, 1);
  HostArray subscripts = HostArray({rows}, ElementKind::I32);
  int32_t status = 0;

  RegionVectoriserTest() {
    for (int64_t i = 0; i < rows; ++i)
      subscripts.i32()[i] = static_cast<int32_t>((i * 17) % rows);
  }
  float at(int64_t i, int64_t j) const { return table.f32()[i * columns + j]; }

  HostArray run(const std::string &body, const std::string &type = "f32") {
    HostArray result({n});
    for (Placement placement : everyPlacement) {
      KernelRunner runner(kernelWithBody(body, type), FlatEmitter());
      EXPECT_TRUE(runner) << runner.message();
      if (!runner)
        return result;
      result = runner.run({table, subscripts}, {{n}}, {.indexOperands = {n}, .placement = placement})[0];
      status = runner.status();
    }
    return result;
  }
  template <typename Reference> void expect(const std::string &body, Reference reference) {
    HostArray found = run(body);
    for (int64_t i = 0; i < n; ++i)
      EXPECT_FLOAT_EQ(found.f32()[i], reference(i)) << "at " << i << body;
    EXPECT_EQ(status, 0);
  }
};

TEST_F(RegionVectoriserTest, ContiguousLoad) {
  expect("%v = tensor.extract %t[%c3, %i] : tensor<?x?xf32>", [&](int64_t i) { return at(3, i); });
}

TEST_F(RegionVectoriserTest, UniformLoad) {
  expect("%v = tensor.extract %t[%c3, %c1] : tensor<?x?xf32>", [&](int64_t) { return at(3, 1); });
}

TEST_F(RegionVectoriserTest, StridedGather) {
  expect("%v = tensor.extract %t[%i, %c4] : tensor<?x?xf32>", [&](int64_t i) { return at(i, 4); });
}

TEST_F(RegionVectoriserTest, Diagonal) {
  expect("%v = tensor.extract %t[%i, %i] : tensor<?x?xf32>", [&](int64_t i) { return at(i, i); });
}

TEST_F(RegionVectoriserTest, AffineSubscripts) {
  expect(R"(%x = arith.subi %n, %i : index
            %y = arith.subi %x, %c1 : index
            %v = tensor.extract %t[%y, %c0] : tensor<?x?xf32>)",
         [&](int64_t i) { return at(n - 1 - i, 0); });
}

TEST_F(RegionVectoriserTest, DividedAndWrappedSubscripts) {
  expect(R"(%x = arith.floordivsi %i, %c3 : index
            %y = arith.remsi %i, %c4 : index
            %v = tensor.extract %t[%x, %y] : tensor<?x?xf32>)",
         [&](int64_t i) { return at(i / 3, i % 4); });
}

TEST_F(RegionVectoriserTest, AffineApply) {
  expect(R"(%x = affine.apply affine_map<(d)[s] -> ((d * 2 + s) mod 7 + d floordiv 5 + d ceildiv 6)>(%i)[%c3]
            %v = tensor.extract %t[%c0, %x] : tensor<?x?xf32>)",
         [&](int64_t i) { return at(0, (i * 2 + 3) % 7 + i / 5 + (i + 5) / 6); });
}

TEST_F(RegionVectoriserTest, SubscriptFromData) {
  expect(R"(%s = tensor.extract %u[%i] : tensor<?xi32>
            %x = arith.index_cast %s : i32 to index
            %v = tensor.extract %t[%x, %c1] : tensor<?x?xf32>)",
         [&](int64_t i) { return at((i * 17) % rows, 1); });
}

TEST_F(RegionVectoriserTest, SubscriptFromDataOutOfRange) {
  std::string body = R"(%s = tensor.extract %u[%i] : tensor<?xi32>
            %x = arith.index_cast %s : i32 to index
            %v = tensor.extract %t[%x, %c1] : tensor<?x?xf32>)";
  for (int32_t bad : {-1, 37, 2000000000, -2000000000}) {
    subscripts.i32()[n - 1] = bad;
    run(body);
    EXPECT_EQ(status, ATTN_OUT_OF_RANGE) << bad;
  }
  std::string uniform = R"(%s = tensor.extract %u[%c3] : tensor<?xi32>
            %x = arith.index_cast %s : i32 to index
            %v = tensor.extract %t[%x, %i] : tensor<?x?xf32>)";
  subscripts.i32()[n - 1] = 0;
  run(uniform);
  EXPECT_EQ(status, 0);
  subscripts.i32()[3] = -5;
  run(uniform);
  EXPECT_EQ(status, ATTN_OUT_OF_RANGE);
}

TEST_F(RegionVectoriserTest, CompareAndSelect) {
  expect(R"(%c = arith.cmpi sge, %i, %c4 : index
            %a = tensor.extract %t[%c0, %i] : tensor<?x?xf32>
            %b = tensor.extract %t[%c1, %i] : tensor<?x?xf32>
            %v = arith.select %c, %a, %b : f32)",
         [&](int64_t i) { return i >= 4 ? at(0, i) : at(1, i); });
}

TEST_F(RegionVectoriserTest, UniformCondition) {
  expect(R"(%j = arith.addi %i, %c1 : index
            %c = arith.cmpi slt, %i, %j : index
            %a = tensor.extract %t[%c0, %i] : tensor<?x?xf32>
            %b = tensor.extract %t[%c1, %c3] : tensor<?x?xf32>
            %v = arith.select %c, %a, %b : f32)",
         [&](int64_t i) { return at(0, i); });
}

TEST_F(RegionVectoriserTest, ClampedIndexIsChecked) {
  expect(R"(%x = arith.minsi %i, %c4 : index
            %y = arith.maxsi %x, %c1 : index
            %v = tensor.extract %t[%y, %c1] : tensor<?x?xf32>)",
         [&](int64_t i) { return at(std::clamp<int64_t>(i, 1, 4), 1); });
}

/// Adjacent elements between limits are loaded without a gather.
TEST_F(RegionVectoriserTest, RunsBetweenLimits) {
  auto load = [](const std::string &subscript) {
    return "%c9 = arith.constant 9 : index\n%c30 = arith.constant 30 : index\n%below = arith.subi %i, %c4 : index\n"
           "%above = arith.addi %i, %c4 : index\n" +
           subscript + "%v = tensor.extract %t[%c3, %y] : tensor<?x?xf32>";
  };
  expect(load("%y = arith.maxsi %below, %c0 : index\n"), [&](int64_t i) { return at(3, std::max<int64_t>(i - 4, 0)); });
  expect(load("%y = arith.maxsi %c9, %below : index\n"), [&](int64_t i) { return at(3, std::max<int64_t>(i - 4, 9)); });
  expect(load("%y = arith.minsi %above, %c30 : index\n"),
         [&](int64_t i) { return at(3, std::min<int64_t>(i + 4, 30)); });
  expect(load("%x = arith.minsi %above, %c30 : index\n%y = arith.maxsi %x, %c9 : index\n"),
         [&](int64_t i) { return at(3, std::clamp<int64_t>(i + 4, 9, 30)); });
  expect(load("%x = arith.maxsi %below, %c9 : index\n%y = arith.minsi %x, %c30 : index\n"),
         [&](int64_t i) { return at(3, std::clamp<int64_t>(i - 4, 9, 30)); });
  // The last limit wins.
  expect(load("%x = arith.minsi %above, %c9 : index\n%y = arith.maxsi %x, %c30 : index\n"),
         [&](int64_t) { return at(3, 30); });
  // No element outside of the table is read, even if its value would not be used.
  expect(R"(%c9 = arith.constant 9 : index
            %c30 = arith.constant 30 : index
            %x = arith.subi %i, %c30 : index
            %y = arith.minsi %x, %c9 : index
            %a = tensor.extract %t[%c0, %y] : tensor<?x?xf32>
            %b = tensor.extract %t[%c3, %i] : tensor<?x?xf32>
            %isLate = arith.cmpi sge, %i, %c30 : index
            %v = arith.select %isLate, %a, %b : f32)",
         [&](int64_t i) { return i >= 30 ? at(0, std::min<int64_t>(i - 30, 9)) : at(3, i); });
}

/// A table without rows has no elements, although its rows would have.
TEST_F(RegionVectoriserTest, RunsOfATableWithoutRows) {
  rows = 0;
  table = HostArray({0, columns});
  subscripts = HostArray({37}, ElementKind::I32);
  HostArray found = run(R"(%s = tensor.extract %u[%c3] : tensor<?xi32>
            %x = arith.index_cast %s : i32 to index
            %b = arith.subi %i, %c4 : index
            %y = arith.maxsi %b, %c0 : index
            %v = tensor.extract %t[%x, %y] : tensor<?x?xf32>)");
  for (int64_t i = 0; i < n; ++i)
    EXPECT_EQ(found.f32()[i], 0);
}

/// The distance of the run is more than 32 bits.
TEST_F(RegionVectoriserTest, RunsFarOutsideOfTheTable) {
  expect(R"(%far = arith.constant 4294967296 : index
            %x = arith.addi %i, %far : index
            %y = arith.minsi %x, %c4 : index
            %v = tensor.extract %t[%c3, %y] : tensor<?x?xf32>)",
         [&](int64_t) { return at(3, 4); });
}

TEST_F(RegionVectoriserTest, ReduceOverFeatures) {
  expect(R"(%m = tensor.dim %t, %c1 : tensor<?x?xf32>
            %v = attn.reduce add (%d) in (%m) {
              %a = tensor.extract %t[%i, %d] : tensor<?x?xf32>
              %b = tensor.extract %t[%c3, %d] : tensor<?x?xf32>
              %p = arith.mulf %a, %b : f32
              attn.yield %p : f32
            } : f32)",
         [&](int64_t i) {
           float sum = 0;
           for (int64_t d = 0; d < columns; ++d)
             sum = std::fma(at(i, d), at(3, d), sum);
           return sum;
         });
}

TEST_F(RegionVectoriserTest, NestedUniformReduction) {
  expect(R"(%v = attn.reduce max (%d, %f) in (%c3, %c4) {
              %a = tensor.extract %t[%d, %f] : tensor<?x?xf32>
              attn.yield %a : f32
            } : f32)",
         [&](int64_t) {
           float most = -INFINITY;
           for (int64_t d = 0; d < 3; ++d)
             for (int64_t f = 0; f < 4; ++f)
               most = std::max(most, at(d, f));
           return most;
         });
}

TEST_F(RegionVectoriserTest, ReductionInsideReduction) {
  expect(R"(%v = attn.reduce add (%d) in (%c4) {
              %s = attn.reduce mul (%f) in (%c3) {
                %a = tensor.extract %t[%d, %f] : tensor<?x?xf32>
                attn.yield %a : f32
              } : f32
              %b = tensor.extract %t[%d, %i] : tensor<?x?xf32>
              %p = arith.mulf %s, %b : f32
              attn.yield %p : f32
            } : f32)",
         [&](int64_t i) {
           float sum = 0;
           for (int64_t d = 0; d < 4; ++d)
             sum = std::fma(at(d, 0) * at(d, 1) * at(d, 2), at(d, i), sum);
           return sum;
         });
}

TEST_F(RegionVectoriserTest, IntegerDivisionByZeroDoesNotTrap) {
  HostArray found = run(R"(%s = tensor.extract %u[%i] : tensor<?xi32>
            %z = arith.constant 0 : i32
            %q = arith.subi %s, %s : i32
            %v = arith.divsi %s, %q : i32)",
                        "i32");
  for (int64_t i = 0; i < n; ++i)
    EXPECT_EQ(found.i32()[i], subscripts.i32()[i]);
}

TEST_F(RegionVectoriserTest, CastsToIntegersSaturate) {
  const std::vector<std::pair<float, int32_t>> casts = {{2.75f, 2},
                                                        {-2.75f, -2},
                                                        {-0.0f, 0},
                                                        {NAN, 0},
                                                        {INFINITY, INT_MAX},
                                                        {-INFINITY, INT_MIN},
                                                        {3e9f, INT_MAX},
                                                        {-3e9f, INT_MIN},
                                                        {0x1p31f, INT_MAX},
                                                        {-0x1p31f, INT_MIN},
                                                        {2147483520.0f, 2147483520}};
  std::string lanes = R"(%a = tensor.extract %t[%c0, %i] : tensor<?x?xf32>
            %v = arith.fptosi %a : f32 to i32)";
  std::string uniform = R"(%a = tensor.extract %t[%c0, %c0] : tensor<?x?xf32>
            %v = arith.fptosi %a : f32 to i32)";
  for (size_t i = 0; i < casts.size(); ++i)
    table.f32()[i] = casts[i].first;
  HostArray found = run(lanes, "i32");
  for (size_t i = 0; i < casts.size(); ++i) {
    EXPECT_EQ(found.i32()[i], casts[i].second) << casts[i].first;
    table.f32()[0] = casts[i].first;
    EXPECT_EQ(run(uniform, "i32").i32()[n - 1], casts[i].second) << casts[i].first;
  }
}

TEST_F(RegionVectoriserTest, TruthIsAByte) {
  n = 19;
  KernelRunner runner(kernelWithBody("%v = arith.cmpi sgt, %i, %c3 : index", "i1"), FlatEmitter());
  ASSERT_TRUE(runner) << runner.message();
  HostArray found = runner.run({table, subscripts}, {{n}}, {.indexOperands = {n}})[0];
  for (int64_t i = 0; i < n; ++i)
    EXPECT_EQ(found.i1()[i], i > 3 ? 1 : 0);
}

TEST_F(RegionVectoriserTest, RefusesWhatItCannotEvaluate) {
  KernelRunner runner(kernelWithBody(R"(%a = tensor.extract %t[%c0, %i] : tensor<?x?xf32>
            %v = math.atan %a : f32)"),
                      FlatEmitter());
  EXPECT_EQ(runner.message(), "flat does not take this kernel: its formula contains math.atan");
}
