// Tests grouped outer products: GEMM kernels in which data selects the matrix that each outer product is added to.
#include "attn/status.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "tests/support/OracleCheck.h"
#include "gtest/gtest.h"
#include <fmt/format.h>

namespace attnc {
namespace {

/// y[e, m, n] = z[e, m, n] + sum t, r where s[t, r] = e => a[t, r, m] b[t, n] for t < tokens, r < picks.
struct OuterCase {
  int64_t matrices = 5, tokens = 1, picks = 1, rows = 1, columns = 1;
  bool hasInitial = false;    ///< z is an operand; otherwise zeros
  bool isSwapped = false;     ///< the term is b * a instead of a * b, and a has the columns
  std::string stored = "f32"; ///< type of a and b

  std::string text() const {
    std::string a = fmt::format("tensor<?x{}x{}x", picks, isSwapped ? columns : rows);
    std::string b = fmt::format("tensor<?x{}x", isSwapped ? rows : columns);
    std::string result = fmt::format("tensor<{}x{}x{}xf32>", matrices, rows, columns);
    std::string widened;
    if (stored != "f32")
      widened = fmt::format("%a = arith.extf %sa : {0}{2}> to {0}f32>\n%b = arith.extf %sb : {1}{2}> to {1}f32>", a, b,
                            stored);
    return fmt::format(
        R"(func.func private @k(%{8}a: {0}{7}>, %{8}b: {1}{7}>, %s: tensor<?x{2}xi32>, %z: {3}) -> {3}
          attributes {{attn.kernel = "gemm"}} {{
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %picks = arith.constant {2} : index
      %rows = arith.constant {4} : index
      %columns = arith.constant {5} : index
      {9}
      %tokens = tensor.dim %s, %c0 : tensor<?x{2}xi32>
      %empty = tensor.empty() : {3}
      %zeros = linalg.fill ins(%zero : f32) outs(%empty : {3}) -> {3}
      %y = attn.scatter_add (%t, %r, %m, %n) in (%tokens, %picks, %rows, %columns) into(%{6} : {3}) {{
        %number = tensor.extract %s[%t, %r] : tensor<?x{2}xi32>
        %e = arith.index_cast %number : i32 to index
        %f = tensor.extract %a[%t, %r, %{10}] : {0}f32>
        %g = tensor.extract %b[%t, %{11}] : {1}f32>
        %term = arith.mulf %{12} : f32
        attn.term %term at[%e, %m, %n] : f32
      }}
      return %y : {3}
    }})",
        a, b, picks, result, rows, columns, hasInitial ? "z" : "zeros", stored, stored == "f32" ? "" : "s", widened,
        isSwapped ? "n" : "m", isSwapped ? "m" : "n", isSwapped ? "g, %f" : "f, %g");
  }

  /// The operands, with `selected(n)` as matrix of step number n.
  std::vector<HostArray> operands(llvm::function_ref<int64_t(int64_t)> selected) const {
    HostArray selector({tokens, picks}, ElementKind::I32);
    for (int64_t n = 0; n < selector.size(); ++n)
      selector.i32()[n] = static_cast<int32_t>(selected(n));
    HostArray a = HostArray::random({tokens, picks, isSwapped ? columns : rows}, 1);
    HostArray b = HostArray::random({tokens, isSwapped ? rows : columns}, 2);
    if (stored == "bf16")
      a = a.storedAs(ElementKind::BF16), b = b.storedAs(ElementKind::BF16);
    return {a, b, selector, HostArray::random({matrices, rows, columns}, 3)};
  }
};

std::string difference(const OuterCase &c, llvm::function_ref<int64_t(int64_t)> selected,
                       std::string target = "native") {
  OracleCheck check{c.text(), c.operands(selected), {{c.matrices, c.rows, c.columns}}};
  check.tolerance = reference::tolerance(8, c.tokens * c.picks + 1);
  check.target = std::move(target);
  check.emitter = createCpuEmitter;
  return differenceFromOracle(check);
}

/// Numbers of steps of a matrix: none, one, several blocks of kc steps.
TEST(GroupedOuterProduct, NumbersOfSteps) {
  for (int64_t tokens : {0, 1, 9, 190})
    for (std::string target : {"native", "x86-64-v3"}) {
      OuterCase c{.tokens = tokens, .picks = 2, .rows = 20, .columns = 70};
      EXPECT_EQ(difference(
                    c, [](int64_t n) { return n * 7 % 5; }, target),
                "")
          << tokens;
      EXPECT_EQ(difference(
                    c, [](int64_t) { return 3; }, target),
                "")
          << tokens << " of one matrix";
      EXPECT_EQ(difference(
                    c, [](int64_t n) { return n % 9 == 0 ? 4 : 0; }, target),
                "")
          << tokens << " of two";
    }
}

/// Less than a tile, several tiles, several row blocks; less than a panel, several groups of panels.
TEST(GroupedOuterProduct, SizesOfMatrices) {
  for (int64_t rows : {1, 3, 9, 70, 150})
    for (int64_t columns : {1, 16, 50, 400}) {
      OuterCase c{.tokens = 12, .picks = 2, .rows = rows, .columns = columns};
      EXPECT_EQ(difference(c, [](int64_t n) { return n * n % 5; }), "") << rows << " x " << columns;
    }
}

TEST(GroupedOuterProduct, Operands) {
  for (bool hasInitial : {false, true})
    for (bool isSwapped : {false, true})
      for (std::string stored : {"f32", "bf16"}) {
        OuterCase c{.tokens = 21, .picks = 3, .rows = 40, .columns = 70};
        c.hasInitial = hasInitial, c.isSwapped = isSwapped, c.stored = stored;
        EXPECT_EQ(difference(c, [](int64_t n) { return n % 4; }), "") << hasInitial << isSwapped << stored;
      }
}

/// The result may have the buffer of the initial tensor.
TEST(GroupedOuterProduct, InPlace) {
  OuterCase c{.tokens = 11, .rows = 20, .columns = 35, .hasInitial = true};
  std::string text = c.text(), initial = "%z: tensor<5x20x35xf32>";
  text.insert(text.find(initial) + initial.size(), " {attn.in_place = 0}");
  KernelRunner runner(text, *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  std::vector<HostArray> operands = c.operands([](int64_t n) { return n % 3; });
  HostArray expected = runner.run(operands, {{5, 20, 35}})[0];
  HostArray found = runner.run(operands, {{5, 20, 35}}, {.inPlaceOperand = 3})[0];
  EXPECT_EQ(found.bytes, expected.bytes);
}

TEST(GroupedOuterProduct, MatrixOutOfRange) {
  OuterCase c{.tokens = 30, .rows = 20, .columns = 33};
  KernelRunner runner(c.text(), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  for (auto [number, status] :
       {std::pair<int64_t, int32_t>{4, ATTN_OK}, {5, ATTN_OUT_OF_RANGE}, {-1, ATTN_OUT_OF_RANGE}}) {
    runner.run(c.operands([&](int64_t n) { return n == 17 ? number : n % 5; }), {{5, 20, 33}});
    EXPECT_EQ(runner.status(), status) << number;
  }
}

/// Chunks copy the steps of one matrix; there is no copy of the matrices.
TEST(GroupedOuterProduct, MemoryIsIndependentOfTheNumberOfMatrices) {
  OuterCase few{.matrices = 2, .tokens = 30, .rows = 64, .columns = 96}, many = few;
  many.matrices = 1000;
  KernelRunner one(few.text(), *createCpuEmitter()), other(many.text(), *createCpuEmitter());
  ASSERT_TRUE(one && other) << one.message() << other.message();
  EXPECT_EQ(one.code().workerBytes, other.code().workerBytes);
  EXPECT_EQ(one.code().phases.size(), 2u);
}

} // namespace
} // namespace attnc
