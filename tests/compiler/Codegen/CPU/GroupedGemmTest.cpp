// Tests grouped products: GEMM kernels in which data selects the right matrix of each row.
#include "attn/status.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/CPU/Gemm/GemmSchedule.h"
#include "tests/support/OracleCheck.h"
#include "gtest/gtest.h"
#include <fmt/format.h>

namespace attnc {
namespace {

/// y[t, r, o] = sum k => x[t, k] w[s[t, r], o, k] for s and y with `picks` matrices for each row of x.
struct GroupedCase {
  int64_t matrices = 5, rows = 1, picks = 1, columns = 1, depth = 1;
  bool isTransposed = true;   ///< w is [s, o, k], not [s, k, o]
  bool hasLeftRow = false;    ///< x is [t, r, k]
  bool isColumnMajor = false; ///< k is the first dimension of x
  bool isShared = false;      ///< s is [t]; requires hasLeftRow
  bool hasEpilogue = false;   ///< y is the positive part of the product, times z[o]
  std::string sizes = "?";    ///< of the rows; "?" or their number
  std::string stored = "f32"; ///< type of x and w
  int64_t nr = 0;             ///< columns of the panels that w is packed in; 0 if it is not packed

  std::string left(const std::string &element) const {
    std::string all = fmt::format("{}x{}", sizes, hasLeftRow ? fmt::format("{}x", picks) : "");
    return isColumnMajor ? fmt::format("tensor<{}x{}{}>", depth, all, element)
                         : fmt::format("tensor<{}{}x{}>", all, depth, element);
  }
  std::string right(const std::string &element) const {
    return fmt::format("tensor<{}x{}x{}x{}>", matrices, isTransposed ? columns : depth, isTransposed ? depth : columns,
                       element);
  }
  std::string selector() const {
    return isShared ? fmt::format("tensor<{}xi32>", sizes) : fmt::format("tensor<{}x{}xi32>", sizes, picks);
  }
  std::string result() const { return fmt::format("tensor<{}x{}x{}xf32>", sizes, picks, columns); }

  std::string epilogue() const {
    return fmt::format(R"(
      %e = linalg.generic {{indexing_maps = [affine_map<(t, r, o) -> (t, r, o)>, affine_map<(t, r, o) -> (o)>,
          affine_map<(t, r, o) -> (t, r, o)>], iterator_types = ["parallel", "parallel", "parallel"]}}
          ins(%y, %z : {0}, tensor<{1}xf32>) outs(%empty : {0}) {{
        ^bb0(%a: f32, %b: f32, %out: f32):
          %p = arith.maximumf %a, %zero : f32
          %m = arith.mulf %p, %b : f32
          linalg.yield %m : f32
      }} -> {0})",
                       result(), columns);
  }

  std::string text() const {
    bool isNarrow = stored != "f32";
    std::string widened, packed, rows = hasLeftRow ? "t, r" : "t";
    if (isNarrow)
      widened = fmt::format("%x = arith.extf %nx : {} to {}\n%w = arith.extf %nw : {} to {}", left(stored), left("f32"),
                            right(stored), right("f32"));
    if (nr)
      packed = fmt::format("{{attn.packed = {{layout = \"panels\", nr = {} : i64, transposed = {}, batch_dims = 1 : "
                           "i64}}}}",
                           nr, isTransposed);
    return fmt::format(
        R"(func.func private @k(%{n}x: {left}, %s: {selector}, %{n}w: {right} {packed}, %z: tensor<{columns}xf32>)
          -> {result} attributes {{attn.kernel = "gemm"}} {{
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      {widened}
      {size}
      %empty = tensor.empty({dynamic}) : {result}
      %fill = linalg.fill ins(%zero : f32) outs(%empty : {result}) -> {result}
      %y = linalg.generic {{indexing_maps = [affine_map<(t, r, o, k) -> ({read})>,
          affine_map<(t, r, o, k) -> ({selecting})>, affine_map<(t, r, o, k) -> (t, r, o)>],
          iterator_types = ["parallel", "parallel", "parallel", "reduction"]}}
          ins(%x, %s : {wide}, {selector}) outs(%fill : {result}) {{
        ^bb0(%a: f32, %n: i32, %out: f32):
          %o = linalg.index 2 : index
          %k = linalg.index 3 : index
          %at = arith.index_cast %n : i32 to index
          %b = tensor.extract %w[%at, {element}] : {matrices}
          %p = arith.mulf %b, %a : f32
          %sum = arith.addf %out, %p : f32
          linalg.yield %sum : f32
      }} -> {result}
      {epilogue}
      return {returned} : {result}
    }})",
        fmt::arg("n", isNarrow ? "n" : ""), fmt::arg("left", left(stored)), fmt::arg("wide", left("f32")),
        fmt::arg("selector", selector()), fmt::arg("right", right(stored)), fmt::arg("matrices", right("f32")),
        fmt::arg("packed", packed), fmt::arg("columns", columns), fmt::arg("result", result()),
        fmt::arg("widened", widened),
        fmt::arg("size", sizes == "?" ? fmt::format("%n0 = tensor.dim %s, %c0 : {}", selector()) : ""),
        fmt::arg("dynamic", sizes == "?" ? "%n0" : ""), fmt::arg("read", isColumnMajor ? "k, " + rows : rows + ", k"),
        fmt::arg("selecting", isShared ? "t" : "t, r"), fmt::arg("element", isTransposed ? "%o, %k" : "%k, %o"),
        fmt::arg("epilogue", hasEpilogue ? epilogue() : ""), fmt::arg("returned", hasEpilogue ? "%e" : "%y"));
  }

  /// The operands, with `selected(n)` as matrix of row number n; w is not packed.
  std::vector<HostArray> operands(llvm::function_ref<int64_t(int64_t)> selected) const {
    std::vector<int64_t> left = {rows}, right = {matrices, columns, depth};
    if (hasLeftRow)
      left.push_back(picks);
    left.insert(isColumnMajor ? left.begin() : left.end(), depth);
    if (!isTransposed)
      std::swap(right[1], right[2]);
    HostArray selector(isShared ? std::vector<int64_t>{rows} : std::vector<int64_t>{rows, picks}, ElementKind::I32);
    for (int64_t n = 0; n < selector.size(); ++n)
      selector.i32()[n] = static_cast<int32_t>(selected(n));
    HostArray x = HostArray::random(left, 1), w = HostArray::random(right, 2);
    if (stored == "bf16")
      x = x.storedAs(ElementKind::BF16), w = w.storedAs(ElementKind::BF16);
    return {x, selector, w, HostArray::random({columns}, 3)};
  }

  /// w in panels: [matrix][panel][k][nr].
  HostArray packed(const HostArray &w) const {
    int64_t panels = (columns + nr - 1) / nr;
    HostArray result({matrices, panels, depth, nr});
    for (int64_t e = 0; e < matrices; ++e)
      for (int64_t o = 0; o < columns; ++o)
        for (int64_t k = 0; k < depth; ++k)
          result.f32()[((e * panels + o / nr) * depth + k) * nr + o % nr] =
              w.f32()[e * columns * depth + (isTransposed ? o * depth + k : k * columns + o)];
    return result;
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

/// Rows that are not contiguous along k, that are stored in 16 bits, or of which several have one matrix.
TEST(GroupedGemm, LeftOperands) {
  for (bool isColumnMajor : {false, true})
    for (bool isShared : {false, true})
      for (std::string stored : {"f32", "bf16"}) {
        GroupedCase c{.rows = 21, .picks = 3, .columns = 70, .depth = 40, .hasLeftRow = true};
        c.isColumnMajor = isColumnMajor, c.isShared = isShared, c.stored = stored;
        EXPECT_EQ(difference(c, [](int64_t n) { return n * n % 5; }), "") << isColumnMajor << isShared << stored;
      }
}

/// Packed matrices have the same results as others, bit by bit.
TEST(GroupedGemm, PackedMatrices) {
  for (bool isTransposed : {false, true})
    for (int64_t rows : {1, 60}) {
      GroupedCase plain{.rows = rows, .picks = 2, .columns = 100, .depth = 40, .isTransposed = isTransposed};
      GroupedCase packed = plain;
      packed.nr = choosePanelColumns(plain.columns, llvm::cantFail(Target::resolve("native")));
      KernelRunner one(plain.text(), *createCpuEmitter()), other(packed.text(), *createCpuEmitter());
      ASSERT_TRUE(one && other) << one.message() << other.message();
      std::vector<HostArray> operands = plain.operands([](int64_t n) { return n * 3 % 5; });
      HostArray expected = one.run(operands, {{rows, 2, 100}})[0];
      operands[2] = packed.packed(operands[2]);
      EXPECT_EQ(other.run(operands, {{rows, 2, 100}})[0].bytes, expected.bytes) << isTransposed << rows;
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
