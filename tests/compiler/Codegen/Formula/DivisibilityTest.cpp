#include "compiler/Codegen/Formula/Divisibility.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tests/support/ParsedModule.h"
#include <gtest/gtest.h>

using namespace attnc;

/// Returns true if %x, computed by `ops` from the indices %a and %b, is provably a multiple of 8; %a is one.
static bool isMultipleOf8(const std::string &ops) {
  ParsedModule module("func.func @k(%a: index, %b: index) -> index { %c4 = arith.constant 4 : index %c8 = "
                      "arith.constant 8 : index %c24 = arith.constant 24 : index " +
                      ops + " return %x : index }");
  EXPECT_TRUE(module) << module.diagnostics();
  mlir::func::FuncOp function = module.function();
  mlir::Value known = function.getArgument(0), x = function.front().getTerminator()->getOperand(0);
  return isMultipleOf(x, 8, [&](mlir::Value value) { return value == known; });
}

TEST(Divisibility, OfProductsAndSums) {
  EXPECT_TRUE(isMultipleOf8("%x = arith.muli %b, %c24 : index"));
  EXPECT_TRUE(isMultipleOf8("%y = arith.muli %b, %c8 : index %x = arith.addi %y, %a : index"));
  EXPECT_TRUE(isMultipleOf8("%x = arith.subi %c24, %a : index"));
  EXPECT_TRUE(isMultipleOf8("%x = arith.muli %a, %b : index"));
  EXPECT_FALSE(isMultipleOf8("%x = arith.addi %a, %b : index"));
  EXPECT_FALSE(isMultipleOf8("%x = arith.addi %c8, %c4 : index"));
  EXPECT_FALSE(isMultipleOf8("%x = arith.muli %b, %c4 : index"));
  EXPECT_FALSE(isMultipleOf8("%x = arith.floordivsi %a, %c8 : index")) << "a quotient may be anything";
}

TEST(Divisibility, OfALoopsNumber) {
  auto isMultiple = [](const std::string &from, const std::string &step) {
    ParsedModule module("func.func @k(%b: index) { %c4 = arith.constant 4 : index %c8 = arith.constant 8 : index "
                        "scf.for %i = " +
                        from + " to %b step " + step + " { } return }");
    EXPECT_TRUE(module) << module.diagnostics();
    auto loops = module.function().getOps<mlir::scf::ForOp>();
    return isMultipleOf((*loops.begin()).getInductionVar(), 8);
  };
  EXPECT_TRUE(isMultiple("%c8", "%c8"));
  EXPECT_FALSE(isMultiple("%c4", "%c8"));
  EXPECT_FALSE(isMultiple("%c8", "%c4"));
}

TEST(Divisibility, OfALoopThatIsBeingBuilt) {
  ParsedModule module("func.func @k(%b: index) { return }");
  mlir::Block body; // without a parent, as in the builder of scf.for
  mlir::Value number = body.addArgument(module.function().getArgument(0).getType(), module.function().getLoc());
  EXPECT_FALSE(isMultipleOf(number, 8));
}
