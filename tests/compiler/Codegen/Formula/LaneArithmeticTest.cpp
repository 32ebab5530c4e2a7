#include "compiler/Codegen/Formula/LaneArithmetic.h"
#include "tests/support/ParsedModule.h"
#include <gtest/gtest.h>

using namespace attnc;

/// Returns true if the quotients of %x and of %y by 4, where `ops` compute both from the index %a, divide one value.
static bool haveOneQuotient(const std::string &ops) {
  ParsedModule module(
      "func.func @k(%a: index) -> (index, index) { %c1 = arith.constant 1 : index %c3 = arith.constant 3 "
      ": index %c4 = arith.constant 4 : index %c8 = arith.constant 8 : index " +
      ops + " return %x, %y : index, index }");
  EXPECT_TRUE(module) << module.diagnostics();
  mlir::Operation *end = module.function().front().getTerminator();
  mlir::OpBuilder builder(end);
  LaneArithmetic lanes = {builder, end->getLoc(), 8};
  auto dividend = [&](unsigned number) {
    LaneIndex quotient = lanes.floorDivide({end->getOperand(number)}, lanes.uniform(4));
    return quotient.base.getDefiningOp()->getOperand(0);
  };
  return dividend(0) == dividend(1);
}

TEST(LaneArithmetic, HeadsOfAGroupHaveOneQuotient) {
  EXPECT_TRUE(haveOneQuotient("%x = arith.muli %a, %c8 : index %y = arith.addi %x, %c3 : index"));
  EXPECT_FALSE(haveOneQuotient("%x = arith.muli %a, %c8 : index %y = arith.addi %x, %c4 : index"));
  EXPECT_FALSE(haveOneQuotient("%x = arith.muli %a, %c3 : index %y = arith.addi %x, %c1 : index"));
  EXPECT_FALSE(haveOneQuotient("%x = arith.muli %a, %c8 : index %n = arith.subi %c3, %c4 : index "
                               "%y = arith.addi %x, %n : index"));
}
