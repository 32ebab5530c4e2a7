// Tests grouped products: GEMM kernels in which data selects the right matrix of each row.
#include "attn/status.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "tests/support/OracleCheck.h"
#include "gtest/gtest.h"
#include <fmt/format.h>

namespace attnc {
namespace {

/// y[t, r, o] = sum k => x[t, k] w[s[t, r], o, k] for s and y with `picks` matrices for each row of x.
struct GroupedCase {
  int64_t matrices = 5, rows = 1, picks = 1, columns = 1, depth = 1;
  bool isTransposed = true; ///< w is [s, o, k], not [s, k, o]
  bool hasLeftRow = false;  ///< x is [t, r, k]
  bool hasEpilogue = false; ///< y is the positive part of the product, times z[o]
  std::string sizes = "?";  ///< of the rows; "?" or their number

  std::string text() const {
    std::string left = hasLeftRow ? fmt::format("tensor<{}x{}x{}xf32>", sizes, picks, depth)
                                  : fmt::format("tensor<{}x{}xf32>", sizes, depth);
    std::string right = isTransposed ? fmt::format("tensor<{}x{}x{}xf32>", matrices, columns, depth)
                                     : fmt::format("tensor<{}x{}x{}xf32>", matrices, depth, columns);
    std::string result = fmt::format("tensor<{}x{}x{}xf32>", sizes, picks, columns);
    std::string epilogue = fmt::format(R"(
      %e = linalg.generic {{indexing_maps = [affine_map<(t, r, o) -> (t, r, o)>, affine_map<(t, r, o) -> (o)>,
          affine_map<(t, r, o) -> (t, r, o)>], iterator_types = ["parallel", "parallel", "parallel"]}}
          ins(%y, %z : {0}, tensor<{1}xf32>) outs(%empty : {0}) {{
        ^bb0(%a: f32, %b: f32, %out: f32):
          %p = arith.maximumf %a, %zero : f32
          %m = arith.mulf %p, %b : f32
          linalg.yield %m : f32
      }} -> {0})",
                                       result, columns);
    return fmt::format(
        R"(func.func private @k(%x: {0}, %s: tensor<{1}x{2}xi32>, %w: {3}, %z: tensor<{4}xf32>) -> {5}
          attributes {{attn.kernel = "gemm"}} {{
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      {6}
      %empty = tensor.empty({7}) : {5}
      %fill = linalg.fill ins(%zero : f32) outs(%empty : {5}) -> {5}
      %y = linalg.generic {{indexing_maps = [affine_map<(t, r, o, k) -> (t, {8}k)>, affine_map<(t, r, o, k) -> (t, r)>,
          affine_map<(t, r, o, k) -> (t, r, o)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}}
          ins(%x, %s : {0}, tensor<{1}x{2}xi32>) outs(%fill : {5}) {{
        ^bb0(%a: f32, %n: i32, %out: f32):
          %o = linalg.index 2 : index
          %k = linalg.index 3 : index
          %at = arith.index_cast %n : i32 to index
          %b = tensor.extract %w[%at, {9}] : {3}
          %p = arith.mulf %b, %a : f32
          %sum = arith.addf %out, %p : f32
          linalg.yield %sum : f32
      }} -> {5}
      {10}
      return {11} : {5}
    }})",
        left, sizes, picks, right, columns, result,
        sizes == "?" ? fmt::format("%n0 = tensor.dim %s, %c0 : tensor<?x{}xi32>", picks) : "",
        sizes == "?" ? "%n0" : "", hasLeftRow ? "r, " : "", isTransposed ? "%o, %k" : "%k, %o",
        hasEpilogue ? epilogue : "", hasEpilogue ? "%e" : "%y");
  }

  /// The operands, with `selected(n)` as matrix of row number n.
  std::vector<HostArray> operands(llvm::function_ref<int64_t(int64_t)> selected) const {
    std::vector<int64_t> left = {rows, depth}, right = {matrices, columns, depth};
    if (hasLeftRow)
      left = {rows, picks, depth};
    if (!isTransposed)
      std::swap(right[1], right[2]);
    HostArray selector({rows, picks}, ElementKind::I32);
    for (int64_t n = 0; n < selector.size(); ++n)
      selector.i32()[n] = static_cast<int32_t>(selected(n));
    return {HostArray::random(left, 1), selector, HostArray::random(right, 2), HostArray::random({columns}, 3)};
  }
};

std::string difference(const GroupedCase &c, llvm::function_ref<int64_t(int64_t)> selected) {
  OracleCheck check{c.text(), c.operands(selected), {{c.rows, c.picks, c.columns}}};
  check.tolerance = reference::tolerance(8, c.depth);
  check.emitter = createCpuEmitter;
  return differenceFromOracle(check);
}

/// Numbers of rows of a matrix: none, one tile, a tile and a part, several blocks of tiles.
TEST(GroupedGemm, NumbersOfRows) {
  for (auto [columns, depth] : {std::pair<int64_t, int64_t>{2, 1}, {17, 5}, {50, 67}, {66, 400}})
    for (int64_t rows : {0, 1, 3, 9, 40, 90}) {
      GroupedCase c{.rows = rows, .picks = 2, .columns = columns, .depth = depth};
      EXPECT_EQ(difference(c, [](int64_t n) { return n * 7 % 5; }), "") << rows << " " << columns;
      EXPECT_EQ(difference(c, [](int64_t) { return 3; }), "") << rows << " of one matrix, " << columns;
      EXPECT_EQ(difference(c, [](int64_t n) { return n % 9 == 0 ? 4 : 0; }), "") << rows << " of two, " << columns;
    }
}

TEST(GroupedGemm, Layouts) {
  for (bool isTransposed : {false, true})
    for (bool hasLeftRow : {false, true})
      for (bool hasEpilogue : {false, true})
        for (std::string sizes : {"?", "21"}) {
          GroupedCase c{.rows = 21, .picks = 3, .columns = 70, .depth = 40};
          c.isTransposed = isTransposed, c.hasLeftRow = hasLeftRow, c.hasEpilogue = hasEpilogue, c.sizes = sizes;
          EXPECT_EQ(difference(c, [](int64_t n) { return n * n % 5; }), "")
              << isTransposed << hasLeftRow << hasEpilogue << sizes;
        }
}

TEST(GroupedGemm, OneMatrix) {
  GroupedCase c{.matrices = 1, .rows = 19, .columns = 33, .depth = 20};
  EXPECT_EQ(difference(c, [](int64_t) { return 0; }), "");
}

TEST(GroupedGemm, MatrixOutOfRange) {
  GroupedCase c{.rows = 30, .columns = 33, .depth = 20};
  KernelRunner runner(c.text(), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  for (auto [number, status] : {std::pair<int64_t, int32_t>{4, ATTN_OK},
                                {5, ATTN_OUT_OF_RANGE},
                                {-1, ATTN_OUT_OF_RANGE},
                                {INT32_MIN, ATTN_OUT_OF_RANGE}}) {
    runner.run(c.operands([&](int64_t n) { return n == 17 ? number : n % 5; }), {{30, 1, 33}});
    EXPECT_EQ(runner.status(), status) << number;
  }
}

/// Most matrices have no rows; no chunk is launched for them.
TEST(GroupedGemm, MoreMatricesThanRows) {
  GroupedCase c{.matrices = 200, .rows = 3, .picks = 2, .columns = 33, .depth = 20};
  EXPECT_EQ(difference(c, [](int64_t n) { return n * 39; }), "");
  EXPECT_EQ(difference(c, [](int64_t n) { return 199 - n / 2 * 90; }), "");
}

/// Each panel of a matrix is packed if the matrix has rows; there is no copy of the matrices.
TEST(GroupedGemm, MemoryIsIndependentOfTheNumberOfMatrices) {
  GroupedCase few{.matrices = 2, .rows = 30, .columns = 96, .depth = 64}, many = few;
  many.matrices = 1000;
  KernelRunner one(few.text(), *createCpuEmitter()), other(many.text(), *createCpuEmitter());
  ASSERT_TRUE(one && other) << one.message() << other.message();
  EXPECT_EQ(one.code().workerBytes, other.code().workerBytes);
  EXPECT_EQ(one.code().phases.size(), 2u);
}

} // namespace
} // namespace attnc
