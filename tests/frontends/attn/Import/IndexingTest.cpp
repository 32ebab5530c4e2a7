// Tests index notation and reductions over indices.

#include "tests/frontends/attn/Import/Imported.h"

using namespace attnc;

namespace {

TEST(Build, PlainAndOtherSubscripts) {
  Array x = floats({3}, {1, 2, 3}), y = floats({2}, {10, 20});
  EXPECT_THAT(valuesOf("fn f(x: f32[n], y: f32[m]) -> f32[m, n] { [j, i] => x[i] * y[j] }", {x, y}),
              are({10, 20, 30, 20, 40, 60}));
  Array square = floats({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(valuesOf("fn f(x: f32[n, n]) -> f32[n] { [i] => x[i, i] }", {square}), are({1, 4}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n]) -> f32[n] { [i < n] => x[n - 1 - i] }", {x}), are({3, 2, 1}));
  EXPECT_THAT(valuesOf("fn f(x: f32[3]) -> f32[2] { [i < 2] => x[i + 1] - x[i] }", {x}), are({1, 1}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n]) -> f32[2 * n] { [i < 2 * n] => x[i / 2] + i % 2 }", {x}),
              are({1, 2, 2, 3, 3, 4}));
}

TEST(Build, GuardedSubscript) {
  Array x = floats({3}, {1, 2, 3});
  EXPECT_THAT(valuesOf("fn f(x: f32[n]) -> f32[n] { [s < n] => if s >= 1 then x[s - 1] else -inf }", {x}),
              are({-infinity, 1, 2}));
}

TEST(Build, RowsAndLeadingDimensions) {
  Array x = floats({2, 2}, {1, 2, 3, 4}), gain = floats({2}, {1, 10});
  EXPECT_THAT(valuesOf("fn f(x: f32[n, d], g: f32[d]) -> f32[n, d] { [i] => x[i] * g }", {x, gain}),
              are({1, 20, 3, 40}));
  EXPECT_THAT(valuesOf("fn g(x: f32[.., d], g: f32[d]) -> f32[.., d] { [.., i] => x[.., i] * g[i] }\n"
                       "fn f(x: f32[n, d], h: f32[d]) -> f32[n, d] { g(x, h) }\nexport f",
                       {x, gain}),
              are({1, 20, 3, 40}));
}

TEST(Build, DependsOnNothing) {
  Array x = floats({2}, {0, 0});
  EXPECT_THAT(valuesOf("fn f(x: f32[n]) -> f32[n, 2] { [i < n, j < 2] => f32(i * 2 + j) }", {x}), are({0, 1, 2, 3}));
}

TEST(Reduce, EveryCombiner) {
  Array x = floats({2, 3}, {1, 5, 3, 4, 2, 6});
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[n] { [i] => sum j => x[i, j] }", {x}), are({9, 12}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[n] { [i] => prod j => x[i, j] }", {x}), are({15, 48}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[n] { [i] => max j => x[i, j] }", {x}), are({5, 6}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[m] { [j] => min i => x[i, j] }", {x}), are({1, 2, 3}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[n] { [i] => mean j => x[i, j] }", {x}), are({3, 4}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32 { max (i, j) => x[i, j] }", {x}), are({6}));
}

TEST(Reduce, ArgMaxTakesTheLowestOfEquals) {
  Array x = floats({3, 3}, {1, 5, 5, -infinity, -infinity, -infinity, notANumber, 2, 1});
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> i32[n] { [i] => argmax j => x[i, j] }", {x}), are({1, 0, 1}));
}

TEST(Reduce, ArgMaxOverSeveralIndices) {
  auto placesIn = [](const std::string &indices, const std::string &condition, std::vector<double> values) {
    return valuesOf("fn f(x: f32[n, 2, 3]) -> i32[n] {\n  let (y, z) = [b] => argmax (" + indices + ") " + condition +
                        " => x[b, i, j]\n  10 * y + z\n}",
                    {floats({int64_t(values.size()) / 6, 2, 3}, std::move(values))});
  };
  std::vector<double> x = {1, 2, 3, 4, 9, 6, 7, 7, 1, 0, 7, 7};
  EXPECT_THAT(placesIn("i, j", "", x), are({11, 0}));
  EXPECT_THAT(placesIn("j, i", "", x), are({11, 0})) << "in the order of the indices";
  EXPECT_THAT(placesIn("i, j", "where j > i", x), are({12, 1}));
  EXPECT_THAT(placesIn("i, j", "where j > i + 5", x), are({0, 0})) << "no term";
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m, l]) -> i32 {\n  let (i, j, k) = argmax (i, j, k) => x[i, j, k]\n"
                       "  100 * i + 10 * j + k\n}",
                       {floats({2, 2, 2}, {1, 2, 3, 4, 5, 8, 7, 6})}),
              are({101}));
  EXPECT_THAT(valuesOf("fn f(x: i32[n, m]) -> i32 {\n  let (i, j) = argmax (i, j) where i != j => x[i, j]\n"
                       "  10 * i + j\n}",
                       {integers({2, 2}, {9, -8, -7, 9})}),
              are({10}));
}

TEST(Reduce, Filtered) {
  Array x = floats({2, 3}, {1, 5, 3, 4, 2, 6}), length = integers({2}, {2, 0});
  std::string start = "fn f(x: f32[b, n], length: i32[b]) -> f32[b] { [b] => ";
  EXPECT_THAT(valuesOf(start + "sum t where t < length[b] => x[b, t] }", {x, length}), are({6, 0}));
  EXPECT_THAT(valuesOf(start + "prod t where t < length[b] => x[b, t] }", {x, length}), are({5, 1}));
  EXPECT_THAT(valuesOf(start + "max t where t < length[b] => x[b, t] }", {x, length}), are({5, -infinity}));
  EXPECT_THAT(valuesOf(start + "min t where t < length[b] => x[b, t] }", {x, length}), are({1, infinity}));
}

TEST(Reduce, NestedInLargerExpressions) {
  Array x = floats({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[n, m] { [i, j] => x[i, j] / sum k => x[i, k] }", {x}),
              are({1. / 3, 2. / 3, 3. / 7, 4. / 7}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32 { sum i => (max j => x[i, j]) * (min j => x[i, j]) }", {x}),
              are({14}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[n, n] { [i, j] => sum k => sq(x[i, k] - x[j, k]) }", {x}),
              are({0, 8, 8, 0}));
}

TEST(Reduce, OverIndicesThatNoTensorHas) {
  Array x = floats({4}, {1, 2, 3, 4});
  EXPECT_THAT(valuesOf("fn f(x: f32[4]) -> f32[2] { [i < 2] => sum k < 3 => x[i + k] }", {x}), are({6, 9}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n]) -> f32[n] { [i] => x[i] * sum k < 3 => f32(k) }", {x}), are({3, 6, 9, 12}));
}

TEST(Reduce, OfNothing) {
  Array x = floats({2, 0}, {});
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[n] { [i] => sum j => x[i, j] }", {x}), are({0, 0}));
}

} // namespace
