// Constant folding of index arithmetic: over numbers, and over symbolic sizes.
#include "compiler/Sizes/IntegerFold.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

using namespace mlir;

class IntegerFold : public testing::Test {
protected:
  IntegerFold() : builder(&context) {
    context.loadDialect<arith::ArithDialect>();
    builder.setInsertionPointToStart(&block);
    for (int number = 0; number < 2; ++number)
      block.addArgument(builder.getIndexType(), location());
  }
  Location location() { return builder.getUnknownLoc(); }
  Value constant(int64_t number) { return arith::ConstantIndexOp::create(builder, location(), number); }
  template <typename Op> Value apply(Value a, Value b) { return Op::create(builder, location(), a, b); }

  /// Argument n of the block is symbol n.
  static std::optional<SizeExpr> sizeOf(Value index) {
    if (auto number = getConstantIntValue(index))
      return SizeExpr(*number);
    if (auto argument = dyn_cast<BlockArgument>(index))
      return SizeExpr::symbol(argument.getArgNumber());
    return foldSize(index.getDefiningOp(), sizeOf, [](Value, int64_t) { return std::nullopt; });
  }
  std::string text(Value index) {
    std::optional<SizeExpr> size = sizeOf(index);
    return size ? size->text({"n", "m"}) : "unknown";
  }

  MLIRContext context;
  OpBuilder builder;
  Block block;
};

TEST_F(IntegerFold, ComputesOnNumbers) {
  EXPECT_EQ(foldIntegers(IntegerOp::FloorDiv, 7, 2), 3);
  EXPECT_EQ(foldIntegers(IntegerOp::CeilDiv, 7, 2), 4);
  EXPECT_EQ(foldIntegers(IntegerOp::Rem, 7, 4), 3);
  EXPECT_EQ(foldIntegers(IntegerOp::ShiftLeft, 3, 2), 12);
  EXPECT_EQ(foldIntegers(IntegerOp::Rem, 7, 0), std::nullopt);
  EXPECT_TRUE(foldComparison(arith::CmpIPredicate::ult, 2, 3));
  EXPECT_FALSE(foldComparison(arith::CmpIPredicate::sge, 2, 3));
}

TEST_F(IntegerFold, ComputesOnSizes) {
  Value n = block.getArgument(0), m = block.getArgument(1), four = constant(4);
  EXPECT_EQ(text(apply<arith::AddIOp>(apply<arith::MulIOp>(n, four), m)), "4*n + m");
  EXPECT_EQ(text(apply<arith::CeilDivUIOp>(apply<arith::MulIOp>(n, constant(8)), four)), "2*n");
  EXPECT_EQ(text(apply<arith::MaxUIOp>(apply<arith::AddIOp>(n, four), n)), "n + 4");
  EXPECT_EQ(text(apply<arith::FloorDivSIOp>(constant(9), apply<arith::SubIOp>(four, constant(2)))), "4");
}

TEST_F(IntegerFold, LeavesOtherArithmeticUnknown) {
  Value n = block.getArgument(0), m = block.getArgument(1);
  EXPECT_EQ(text(apply<arith::FloorDivSIOp>(n, m)), "unknown");
  EXPECT_EQ(text(apply<arith::FloorDivSIOp>(n, constant(0))), "unknown");
  EXPECT_EQ(text(apply<arith::RemSIOp>(n, constant(4))), "unknown");
  EXPECT_EQ(text(apply<arith::AddIOp>(apply<arith::XOrIOp>(n, m), n)), "unknown");
}

TEST_F(IntegerFold, LeavesLongProductsUnknown) {
  Value power = apply<arith::AddIOp>(block.getArgument(0), block.getArgument(1));
  for (int square = 0; square < 20; ++square)
    power = apply<arith::MulIOp>(power, power);
  EXPECT_EQ(text(power), "unknown");
}

} // namespace
} // namespace attnc
