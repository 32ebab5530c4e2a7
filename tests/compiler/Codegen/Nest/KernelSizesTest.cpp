#include "compiler/Codegen/Nest/KernelSizes.h"
#include "tests/support/ParsedModule.h"
#include <gtest/gtest.h>

using namespace attnc;

namespace {

class KernelSizesTest : public testing::Test {
protected:
  ParsedModule module{
      R"(func.func private @k(%a: tensor<?x64xf32>, %n: index, %b: tensor<?x?xi1>, %m: index) -> tensor<?x8xi32> {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %d = tensor.dim %a, %c0 : tensor<?x64xf32>
    %s = arith.addi %d, %n : index
    %q = arith.ceildivsi %s, %c3 : index
    %o = arith.remsi %n, %c3 : index
    %e = tensor.empty(%q) : tensor<?x8xi32>
    return %e : tensor<?x8xi32>
  })"};
  mlir::func::FuncOp kernel = module.function();
  KernelSizes sizes{kernel};

  mlir::Value operation(unsigned number) { return std::next(kernel.getBody().front().begin(), number)->getResult(0); }
  static SizeExpr s(unsigned number) { return SizeExpr::symbol(number); }
};

TEST_F(KernelSizesTest, OperandsThenResultsThenIndices) {
  EXPECT_EQ(sizes.numSymbols(), 6u);
  EXPECT_EQ(sizes.dimension(kernel.getArgument(0), 0), s(0));
  EXPECT_EQ(sizes.dimension(kernel.getArgument(0), 1), SizeExpr(64));
  EXPECT_EQ(sizes.dimension(kernel.getArgument(2), 1), s(2));
  EXPECT_EQ(sizes.resultDimension(0, 0), s(3));
  EXPECT_EQ(sizes.valueOf(kernel.getArgument(1)), s(4));
  EXPECT_EQ(sizes.valueOf(kernel.getArgument(3)), s(5));
}

TEST_F(KernelSizesTest, ArithmeticInside) {
  EXPECT_EQ(sizes.valueOf(operation(3)), s(0) + s(4));
  EXPECT_EQ(sizes.valueOf(operation(4)), (s(0) + s(4)).ceilDiv(3));
  EXPECT_FALSE(sizes.tryValueOf(operation(5)));
  EXPECT_EQ(sizes.dimension(operation(6), 0), (s(0) + s(4)).ceilDiv(3));
}

TEST_F(KernelSizesTest, BytesOfOperandsAndResults) {
  EXPECT_EQ(sizes.bytesRead(), s(0) * SizeExpr(256) + s(1) * s(2));
  EXPECT_EQ(sizes.bytesWritten(), s(3) * SizeExpr(32));
}

/// A kernel reads at most the rows of a table that are looked up.
TEST(KernelSizesOfGathers, CountsElementsThatAreLookedUp) {
  std::string rest = R"(%ids: tensor<?xi32>, %n: index) -> tensor<?x64xf32> {
    %empty = tensor.empty(%n) : tensor<?x64xf32>
    %rows = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                            iterator_types = ["parallel", "parallel"]}
        ins(%ids : tensor<?xi32>) outs(%empty : tensor<?x64xf32>) {
    ^bb0(%id: i32, %out: f32):
      %row = arith.index_cast %id : i32 to index
      %j = linalg.index 1 : index
      %element = tensor.extract %table[%row, %j] : tensor<?x64xf32>
      linalg.yield %element : f32
    } -> tensor<?x64xf32>
    return %rows : tensor<?x64xf32>
  })";
  auto s = [](unsigned number) { return SizeExpr::symbol(number); };
  // The table has s0 rows, of which s1 are looked up.
  ParsedModule f32("func.func private @k(%table: tensor<?x64xf32>, " + rest);
  EXPECT_EQ(KernelSizes(f32.function()).bytesRead(),
            SizeExpr::min(s(0) * SizeExpr(64), s(1) * SizeExpr(64)) * SizeExpr(4) + s(1) * SizeExpr(4));
  ParsedModule f16(
      "func.func private @k(%half: tensor<?x64xf16>, " +
      rest.replace(rest.find("{") + 1, 0, "\n%table = arith.extf %half : tensor<?x64xf16> to tensor<?x64xf32>"));
  EXPECT_EQ(KernelSizes(f16.function()).bytesRead(),
            SizeExpr::min(s(0) * SizeExpr(64), s(1) * SizeExpr(64)) * SizeExpr(2) + s(1) * SizeExpr(4));
}

} // namespace
