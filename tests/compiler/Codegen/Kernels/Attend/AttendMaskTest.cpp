// Which masks have ends of keys that differ from row to row. The tests of kernels compare masked attention with the
// oracle.
#include "compiler/Codegen/Kernels/Attend/AttendMask.h"
#include "tests/support/ParsedModule.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

constexpr const char *maskedAttention = R"(
func.func private @k(%q: tensor<3x5xf32>, %k: tensor<3x7xf32>, %v: tensor<3x7x16xf32>, %length: tensor<3xi32>)
    -> tensor<3x5x16xf32> attributes {{attn.kernel = "attend"}} {{
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c16 = arith.constant 16 : index
  %r = attn.attend softmax outer(%c3, %c5) keys(%c7) values(%c16) yields [value]
    score(%b, %i, %j) {{
      %x = tensor.extract %q[%b, %i] : tensor<3x5xf32>
      %y = tensor.extract %k[%b, %j] : tensor<3x7xf32>
      %s = arith.mulf %x, %y : f32
      attn.yield %s : f32
    }}
    mask(%b, %i, %j) {{
      {}
      attn.yield %m : i1
    }}
    value(%b, %i, %j, %f) {{
      %x = tensor.extract %v[%b, %j, %f] : tensor<3x7x16xf32>
      attn.yield %x : f32
    }} : tensor<3x5x16xf32>
  return %r : tensor<3x5x16xf32>
}})";

bool endsDependOnRows(const char *mask) {
  ParsedModule module(fmt::format(fmt::runtime(maskedAttention), mask));
  EXPECT_TRUE(module) << module.diagnostics();
  AttendProblem problem;
  Verdict verdict = readAttendProblem(module.function(), problem);
  EXPECT_TRUE(verdict) << verdict.reason;
  return AttendMask(problem).keyEndDependsOnRows();
}

constexpr const char *causal = "%m = arith.cmpi sle, %j, %i : index",
                     *padding = R"(%l = tensor.extract %length[%b] : tensor<3xi32>
      %n = arith.index_cast %l : i32 to index
      %m = arith.cmpi slt, %j, %n : index)",
                     *both = R"(%l = tensor.extract %length[%b] : tensor<3xi32>
      %n = arith.index_cast %l : i32 to index
      %c = arith.cmpi sle, %j, %i : index
      %p = arith.cmpi slt, %j, %n : index
      %m = arith.andi %c, %p : i1)";

TEST(AttendMask, KeyEndsOfPaddingAreThoseOfTheBatch) { EXPECT_FALSE(endsDependOnRows(padding)); }

TEST(AttendMask, KeyEndsOfCausalMasksDependOnTheRow) {
  EXPECT_TRUE(endsDependOnRows(causal));
  EXPECT_TRUE(endsDependOnRows(both));
}

} // namespace
} // namespace attnc
