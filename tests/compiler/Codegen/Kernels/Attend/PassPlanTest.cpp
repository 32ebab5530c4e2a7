// The passes over the keys that kernels of attention make, by normaliser, weight formula and results.
#include "compiler/Codegen/Kernels/Attend/AttendProblem.h"
#include "tests/support/ParsedModule.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

constexpr const char *plannedAttention = R"(
func.func private @k(%q: tensor<5xf32>, %k: tensor<7xf32>, %v: tensor<7x16xf32>) -> ({2}) attributes {{attn.kernel = "attend"}} {{
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c16 = arith.constant 16 : index
  %one = arith.constant 1.0 : f32
  {5} = attn.attend {0} outer(%c5) keys(%c7) values(%c16) yields [{1}]
    score(%i, %j) {{
      %a = tensor.extract %q[%i] : tensor<5xf32>
      %b = tensor.extract %k[%j] : tensor<7xf32>
      %s = arith.mulf %a, %b : f32
      attn.yield %s : f32
    }}
    weight(%p: f32, %i, %j) {{
      %w = {3}
      attn.yield %w : f32
    }}
    value(%i, %j, %f) {{
      %x = tensor.extract %v[%j, %f] : tensor<7x16xf32>
      attn.yield %x : f32
    }} : {2}
  return {4} : {2}
}})";

constexpr const char *linear = "arith.addf %p, %p : f32", *constant = "arith.addf %p, %one : f32";

/// The plan of a kernel that yields the value and, if it is named, one result of type `type`.
PassPlan plan(const char *normaliser, const char *weight = linear, std::string result = "", std::string type = "") {
  bool isAlone = result.empty();
  ParsedModule module(fmt::format(fmt::runtime(plannedAttention), normaliser, "value" + (isAlone ? "" : ", " + result),
                                  "tensor<5x16xf32>" + (isAlone ? "" : ", " + type), weight,
                                  isAlone ? "%r" : "%r#0, %r#1", isAlone ? "%r" : "%r:2"));
  EXPECT_TRUE(module) << module.diagnostics();
  AttendProblem problem;
  Verdict verdict = readAttendProblem(module.function(), problem);
  EXPECT_TRUE(verdict) << verdict.reason;
  return problem.passes;
}

TEST(PassPlan, IsOnlineWhereWeightsAreScaledAtTheEnd) {
  PassPlan passes = plan("softmax");
  EXPECT_TRUE(passes.isOnline());
  EXPECT_EQ(passes.first, std::nullopt);
  EXPECT_TRUE(passes.isFirst(KeyPass::Online));
  EXPECT_FALSE(passes.scalesWeights(KeyPass::Online));
}

TEST(PassPlan, HasAPassForStatisticsBeforeFinalWeights) {
  for (const PassPlan &passes : {plan("softmax", constant), plan("ratio", linear, "weights", "tensor<5x7xf32>")}) {
    EXPECT_EQ(passes.first, KeyPass::Statistics);
    EXPECT_EQ(passes.last, KeyPass::Apply);
    EXPECT_TRUE(passes.needsFinalWeights);
    EXPECT_TRUE(passes.computesScores(KeyPass::Apply));
    EXPECT_TRUE(passes.scalesWeights(KeyPass::Apply));
  }
}

TEST(PassPlan, MaterialisesTheScoresOfWholeRows) {
  PassPlan passes = plan("entmax(1.5)");
  EXPECT_TRUE(passes.materialisesScores());
  EXPECT_EQ(passes.last, KeyPass::Apply);
  EXPECT_TRUE(passes.isFirst(KeyPass::Materialise));
  EXPECT_FALSE(passes.computesScores(KeyPass::Apply));
}

TEST(PassPlan, AppliesWeightsThatAreFinalAtOnce) {
  PassPlan passes = plan("stick_breaking", constant);
  EXPECT_EQ(passes.first, std::nullopt);
  EXPECT_EQ(passes.last, KeyPass::Apply);
  EXPECT_FALSE(passes.scalesWeights(KeyPass::Apply));
  EXPECT_TRUE(passes.restartsSums);
  EXPECT_FALSE(plan("hard").restartsSums);
}

TEST(PassPlan, SumsTheEntropyInOnePass) {
  auto pass = [](const char *normaliser, const char *weight) {
    return plan(normaliser, weight, "entropy", "tensor<5xf32>").entropyPass;
  };
  EXPECT_EQ(pass("softmax", linear), KeyPass::Online);
  EXPECT_EQ(pass("softmax", constant), KeyPass::Statistics);
  EXPECT_EQ(pass("entmax(1.5)", linear), KeyPass::Apply);
  EXPECT_EQ(pass("stick_breaking", linear), KeyPass::Apply);
  EXPECT_EQ(plan("softmax").entropyPass, std::nullopt);
}

} // namespace
} // namespace attnc
