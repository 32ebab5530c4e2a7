// Tests recurrences: forward and backward steps, lengths, stacks along any dimension, several carried values.

#include "tests/frontends/attn/Import/Imported.h"

#include "dialects/Model/Model.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace attnc;

namespace {

TEST(Scan, SumsSoFar) {
  EXPECT_THAT(valuesOf("fn f(x: f32[n]) -> f32[n] { scan t over n carry (s = 0.0) { s = s + x[t] } -> s[t] }",
                       {floats({4}, {1, 2, 3, 4})}),
              are({1, 3, 6, 10}));
}

TEST(Scan, Backward) {
  EXPECT_THAT(valuesOf("fn f(x: f32[n]) -> f32[n] { scan t over n backward carry (s = 0.0) { s = s + x[t] } -> s[t] }",
                       {floats({4}, {1, 2, 3, 4})}),
              are({10, 9, 7, 4}));
}

TEST(Scan, TheDimensionOfTheStackIsWhereTheStepStands) {
  const char *first =
      "fn f(x: f32[b, n]) -> f32[n, b] { scan t over n carry (s = x[:, 0]) { s = s + x[:, t] } -> s[t] }";
  const char *last =
      "fn f(x: f32[b, n]) -> f32[b, n] { scan t over n carry (s = x[:, 0]) { s = s + x[:, t] } -> s[.., t] }";
  EXPECT_THAT(valuesOf(first, {floats({2, 2}, {1, 2, 3, 4})}), are({2, 6, 4, 10}));
  EXPECT_THAT(valuesOf(last, {floats({2, 2}, {1, 2, 3, 4})}), are({2, 4, 6, 10}));
}

const char *const lengths = R"(
fn f(x: f32[b, n], length: i32[b]) -> (y: f32[b, n], last: f32[b], back: f32[b, n]) {
  let (y, last) = scan t over n until length carry (s = [r < b] => 100.0) { s = s + x[:, t] } -> (s[:, t], s)
  let back = scan t over n backward until length carry (s = [r < b] => 100.0) { s = s + x[:, t] } -> s[:, t]
  (y, last, back)
}
)";

TEST(Scan, RowsThatHaveEndedKeepTheirStateAndGiveZeros) {
  auto results = run(lengths, {floats({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), integers({3}, {2, 0, 5})});
  EXPECT_THAT(results[0].values, are({101, 103, 0, 0, 0, 0, 107, 115, 124}));
  EXPECT_THAT(results[1].values, are({103, 100, 124}));
  EXPECT_THAT(results[2].values, are({103, 102, 0, 0, 0, 0, 124, 117, 109}));
}

TEST(Scan, NoSteps) {
  auto results = run(lengths, {floats({2, 0}, {}), integers({2}, {0, 3})});
  EXPECT_TRUE(results[0].values.empty());
  EXPECT_THAT(results[1].values, are({100, 100}));
}

TEST(Scan, SeveralCarriedValuesAreThoseBeforeUntilTheyAreAssigned) {
  auto results = run("fn f(n0: f32) -> (a: f32, b: f32, all: f32[6]) {\n"
                     "  scan t over 6 carry (a = n0, b = 1.0) {\n    let next = a + b\n    a = b\n    b = next\n  }"
                     " -> (a, b, next[t])\n}",
                     {floats({}, {0})});
  EXPECT_THAT(results[0].values, are({8}));
  EXPECT_THAT(results[1].values, are({13}));
  EXPECT_THAT(results[2].values, are({1, 2, 3, 5, 8, 13}));
}

TEST(Scan, EarlierStepsAreReadUnderACondition) {
  EXPECT_THAT(valuesOf("fn f(x: f32[b, n]) -> f32[n, b] {\n"
                       "  scan t over n carry (c = 0) {\n"
                       "    let y = if t >= 1 then x[:, t] - x[:, t - 1] else x[:, t]\n    c = c + 1\n  } -> y[t]\n}",
                       {floats({1, 4}, {1, 3, 6, 10})}),
              are({1, 2, 3, 4}));
}

TEST(Scan, IndexNotationReadsAStepToo) {
  EXPECT_THAT(
      valuesOf("fn f(x: f32[b, n, d], w: f32[d]) -> f32[b, n] {\n"
               "  scan t over n carry (s = 1.0) {\n"
               "    let y = [r] => s * (t + 1) * sum k => w[k] * x[r, t, k]\n    s = s + 1.0\n  } -> y[:, t]\n}",
               {floats({1, 2, 2}, {1, 2, 3, 4}), floats({2}, {1, 10})}),
      are({21, 172}));
}

TEST(Scan, ReadsElementsOfLists) {
  Imported imported("fn f(x: f32[b, n, d]) -> f32[b, n, d] {\n"
                    "  scan t over n carry (s = zeros(b, d)) { s = [r, k] => s[r, k] + x[r, t, k] } -> s[:, t]\n}");
  int elements = 0, slices = 0;
  imported.module->walk([&](mlir::model::ElementOp) { ++elements; });
  imported.module->walk([&](mlir::tensor::ExtractOp) { ++slices; });
  EXPECT_EQ(elements, 1);
  EXPECT_EQ(slices, 0);
}

} // namespace
