// Tests condition numbers of sums with terms that amplify rounding, of scattered terms, of ops that move elements, and
// of ops without a rule.
#include "compiler/Narrow/KernelCondition.h"
#include "mlir/IR/Builders.h"
#include "tests/support/ParsedModule.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

constexpr double kernelExtent = 5000;
const TensorFacts tensorFacts{{}, {kernelExtent}};
const TensorFacts positionFacts{{{0, kernelExtent - 1}, true, true}, {kernelExtent}};

/// Returns how the rounding of argument `number` of a kernel of three tensors affects its result.
Influence influenceOf(const std::string &kernel, llvm::ArrayRef<TensorFacts> arguments, unsigned number) {
  ParsedModule module("func.func private @k(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>) -> tensor<?xf32>\n"
                      "    attributes {attn.kernel = \"loops\"} {\n"
                      "  %c0 = arith.constant 0 : index\n  %n = tensor.dim %b, %c0 : tensor<?xf32>\n" +
                      kernel + "  return %y : tensor<?xf32>\n}");
  EXPECT_TRUE(module) << module.diagnostics();
  if (!module)
    return {};
  StorageFormat format = StorageFormat::of(mlir::Builder(module.get().getContext()).getBF16Type());
  KernelConditions conditions(module.function(), arguments, format);
  return conditions.influenceOf(number)[0];
}

/// Scatters the term `%t` of the elements %x of b and %p of c into a at `%place`.
Influence scatterInfluence(const std::string &formula, llvm::ArrayRef<TensorFacts> arguments, unsigned number) {
  return influenceOf("  %y = attn.scatter_add (%i) in (%n) into(%a : tensor<?xf32>) {\n"
                     "    %x = tensor.extract %b[%i] : tensor<?xf32>\n"
                     "    %p = tensor.extract %c[%i] : tensor<?xf32>\n" +
                         formula + "    attn.term %t at[%place] : f32\n  }\n",
                     arguments, number);
}

const char *const placed = "    %whole = arith.fptosi %p : f32 to i32\n"
                           "    %place = arith.index_cast %whole : i32 to index\n";

TEST(ScatterCondition, OfASubscriptHasNoBound) {
  std::string formula = std::string(placed) + "    %t = arith.mulf %x, %x : f32\n";
  Influence subscript = scatterInfluence(formula, {tensorFacts, tensorFacts, tensorFacts}, 2);
  EXPECT_TRUE(subscript.direct.isUndecided());
  EXPECT_EQ(subscript.direct.cause, "a conversion to an integer");
  Influence term = scatterInfluence(formula, {tensorFacts, tensorFacts, tensorFacts}, 1);
  EXPECT_EQ(term.direct.factor, 0);
  EXPECT_TRUE(term.isBehindSum);
  Influence sum = scatterInfluence(formula, {tensorFacts, tensorFacts, tensorFacts}, 0);
  EXPECT_EQ(sum.direct.factor, 1);
}

TEST(ScatterCondition, OfATermCountsBeyondTheLimit) {
  std::string formula =
      std::string(placed) + "    %turned = math.cos %x : f32\n    %t = arith.addf %turned, %p : f32\n";
  EXPECT_GT(scatterInfluence(formula, {tensorFacts, positionFacts, tensorFacts}, 1).direct.factor, 2000);
}

/// Sums `%t` of each element %x of b over all elements %e of c.
Influence sumInfluence(const std::string &term, llvm::ArrayRef<TensorFacts> arguments, unsigned number,
                       const std::string &finish = "%r = arith.negf %s : f32") {
  return influenceOf(fmt::format(R"(
  %empty = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]}} ins(%b : tensor<?xf32>) outs(%empty : tensor<?xf32>) {{
  ^bb0(%x: f32, %out: f32):
    %s = attn.reduce add (%k) in (%n) {{
      %e = tensor.extract %c[%k] : tensor<?xf32>
      {}
      attn.yield %t : f32
    }} : f32
    {}
    linalg.yield %r : f32
  }} -> tensor<?xf32>
)",
                                 term, finish),
                     arguments, number);
}

TEST(SumCondition, OfTermsCountsBeyondTheLimit) {
  const char *turned = "%u = math.cos %e : f32\n      %t = arith.mulf %u, %x : f32";
  TensorFacts bounded{{{0, kernelExtent}, false, false}, {kernelExtent}}; // such as 5000 sigmoid(x)
  Influence amplified = sumInfluence(turned, {tensorFacts, tensorFacts, bounded}, 2);
  EXPECT_NEAR(amplified.direct.factor, kernelExtent, 200);
  EXPECT_EQ(amplified.direct.cause, "`cos`");
  Influence chosen =
      sumInfluence("%z = arith.cmpf ogt, %e, %x : f32\n      %one = arith.constant 1.0 : f32\n"
                   "      %zero = arith.constant 0.0 : f32\n      %t = arith.select %z, %one, %zero : f32",
                   {tensorFacts, tensorFacts, tensorFacts}, 2);
  EXPECT_NEAR(chosen.direct.factor, 256, 1);
}

/// A formula of the sum does not count, because the other operand of the sum is stored in 16 bits too.
TEST(SumCondition, OfAFunctionOfASumIsThatOfItsTerms) {
  const char *product = "%t = arith.mulf %e, %x : f32", *exponential = "%r = math.exp %s : f32";
  Influence behind = sumInfluence(product, {tensorFacts, tensorFacts, tensorFacts}, 2, exponential);
  EXPECT_EQ(behind.direct.factor, 0);
  EXPECT_TRUE(behind.isBehindSum);
}

/// Rounded positions are less exact than any data.
TEST(SumCondition, OfExactElementsIsPassedOn) {
  const char *cosine = "%r = math.cos %s : f32";
  EXPECT_GT(
      sumInfluence("%t = arith.addf %e, %e : f32", {tensorFacts, tensorFacts, positionFacts}, 2, cosine).direct.factor,
      kernelExtent);
  EXPECT_GT(
      sumInfluence("%t = arith.mulf %e, %x : f32", {tensorFacts, tensorFacts, positionFacts}, 2, cosine).direct.factor,
      0.3 * kernelExtent);
  EXPECT_EQ(
      sumInfluence("%t = arith.mulf %e, %x : f32", {tensorFacts, tensorFacts, tensorFacts}, 2, cosine).direct.factor,
      0);
}

TEST(OpCondition, OfMovedElementsIsOne) {
  for (const char *moves : {"  %y = tensor.concat dim(0) %b, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>\n",
                            "  %y = tensor.extract_slice %c[0] [%n] [2] : tensor<?xf32> to tensor<?xf32>\n"}) {
    EXPECT_EQ(influenceOf(moves, {tensorFacts, tensorFacts, tensorFacts}, 2).direct.factor, 1) << moves;
    EXPECT_EQ(influenceOf(moves, {tensorFacts, tensorFacts, tensorFacts}, 0).direct.factor, 0) << moves;
  }
}

TEST(OpCondition, OfWhatIsNotKnownHasNoBound) {
  for (const char *unknown : {"  %y = math.absf %c : tensor<?xf32>\n",
                              "  %y = tensor.generate %n {\n  ^bb0(%i: index):\n"
                              "    %e = tensor.extract %c[%i] : tensor<?xf32>\n    tensor.yield %e : f32\n"
                              "  } : tensor<?xf32>\n"}) {
    EXPECT_TRUE(influenceOf(unknown, {tensorFacts, tensorFacts, tensorFacts}, 2).direct.isUndecided()) << unknown;
    EXPECT_EQ(influenceOf(unknown, {tensorFacts, tensorFacts, tensorFacts}, 1).direct.factor, 0)
        << unknown; // only its size is read
  }
}

} // namespace
} // namespace attnc
