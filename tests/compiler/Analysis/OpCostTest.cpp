// Tests the table of OpCost.h.
#include "compiler/Analysis/OpCost.h"
#include "tests/support/ParsedModule.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

/// Returns the cost of a function of %x, %y : f32, %i : i32 and %t : tensor<8xf32> without its return.
OpCost costOfBody(const std::string &body) {
  ParsedModule module("func.func @f(%x: f32, %y: f32, %i: i32, %t: tensor<8xf32>) {\n" + body + "\nreturn }");
  EXPECT_TRUE(module) << module.diagnostics();
  OpCost cost = costOf(module.function().getBody());
  return {cost.flops, cost.instructions - costOf(module.function().getBody().front().getTerminator()).instructions};
}

void expectCost(const std::string &body, int64_t flops, int64_t instructions) {
  OpCost cost = costOfBody(body);
  EXPECT_EQ(cost.flops, flops) << body;
  EXPECT_EQ(cost.instructions, instructions) << body;
}

TEST(OpCost, table) {
  expectCost("%0 = arith.addf %x, %y : f32", 1, 1);
  expectCost("%0 = arith.maximumf %x, %y : f32", 1, 1);
  expectCost("%0 = math.fma %x, %y, %x : f32", 2, 1);
  expectCost("%0 = arith.divf %x, %y : f32", 1, 8);
  expectCost("%0 = math.rsqrt %x : f32", 1, 8);
  expectCost("%0 = math.exp %x : f32", 1, 20);
  expectCost("%0 = math.powf %x, %y : f32", 1, 20);
  expectCost("%0 = math.floor %x : f32", 0, 1);
  expectCost("%0 = arith.negf %x : f32", 0, 1);
  expectCost("%0 = arith.addi %i, %i : i32", 0, 1);
  expectCost("%0 = arith.cmpf olt, %x, %y : f32", 0, 1);
  expectCost("%c = arith.constant 3 : index\n%0 = tensor.extract %t[%c] : tensor<8xf32>", 0, 1);
}

} // namespace
} // namespace attnc
