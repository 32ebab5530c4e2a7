// Tests whole-tensor expressions.

#include "tests/frontends/attn/Import/Imported.h"

using namespace attnc;

namespace {

TEST(Pointwise, Broadcasts) {
  Array x = floats({2, 3}, {1, 2, 3, 4, 5, 6}), row = floats({3}, {10, 20, 30}), scalar = number(100);
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m], r: f32[m], s: f32) -> f32[n, m] { x * 2.0 + r - s }", {x, row, scalar}),
              are({-88, -76, -64, -82, -70, -58}));
  Array column = floats({2, 1}, {10, 20});
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m], c: f32[n, 1]) -> f32[n, m] { x + c }", {x, column}),
              are({11, 12, 13, 24, 25, 26}));
  Array one = floats({1, 1}, {7});
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m], c: f32[1, 1]) -> f32[n, m] { x + c }", {x, one}),
              are({8, 9, 10, 11, 12, 13}));
}

TEST(Pointwise, Functions) {
  Array x = floats({3}, {0.25, 1, 4});
  EXPECT_THAT(valuesOf("fn f(x: f32[n]) -> f32[n] { sqrt(x) + rsqrt(x) + sq(x) + abs(-x) + floor(x) }", {x}),
              are({0.5 + 2 + 0.0625 + 0.25, 5, 2 + 0.5 + 16 + 4 + 4}));
  EXPECT_THAT(
      valuesOf("fn f(x: f32[n]) -> f32[n] { exp(log(x)) + sigmoid(0.0 * x) + erf(0.0 * x) + tanh(0.0 * x) }", {x}),
      are({0.75, 1.5, 4.5}));
  EXPECT_THAT(
      valuesOf("fn f(x: f32[n]) -> f32[n] { sin(x) ** 2.0 + cos(x) ** 2 + pow(x, 3.0) + x ** 0.5 + x ** 1.5 }", {x}),
      are({1 + 0.015625 + 0.5 + 0.125, 4, 1 + 64 + 2 + 8}));
}

TEST(Pointwise, ComparisonsAndChoices) {
  Array x = floats({4}, {-1, 0, 2, notANumber}), y = floats({4}, {0, 0, 1, 1});
  EXPECT_THAT(
      valuesOf("fn f(x: f32[n], y: f32[n]) -> f32[n] { if x < y then 1.0 else if x == y then 2.0 else 3.0 }", {x, y}),
      are({1, 2, 3, 3}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n], y: f32[n]) -> bool[n] { x != y and not (x >= y) or x > 1.0 }", {x, y}),
              are({1, 0, 1, 1}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n], y: f32[n]) -> f32[n] { max(x, y) + min(x, y) }", {x, y}),
              are({-1, 0, 3, notANumber}));
}

TEST(Pointwise, Integers) {
  Array a = integers({4}, {7, -7, 7, -7}), b = integers({4}, {3, 3, -3, -3});
  EXPECT_THAT(valuesOf("fn f(a: i32[n], b: i32[n]) -> i32[n] { a / b }", {a, b}), are({2, -3, -3, 2}));
  EXPECT_THAT(valuesOf("fn f(a: i32[n], b: i32[n]) -> i32[n] { a % b }", {a, b}), are({1, 2, -2, -1}));
  EXPECT_THAT(valuesOf("fn f(a: i32[n], b: i32[n]) -> i32[n] { abs(a) - max(a, b) * 2 + -b }", {a, b}),
              are({7 - 14 - 3, 7 - 6 - 3, 7 - 14 + 3, 7 + 6 + 3}));
}

TEST(Pointwise, Conversions) {
  Array x = floats({4}, {-1.5, 0, 1.5, 2}), i = integers({4}, {-2, 0, 1, 3});
  EXPECT_THAT(valuesOf("fn f(x: f32[n]) -> i32[n] { i32(x) }", {x}), are({-1, 0, 1, 2}));
  EXPECT_THAT(valuesOf("fn f(i: i32[n]) -> f32[n] { f32(i) * 0.5 + f32(i > 0) }", {i}), are({-1, 0, 1.5, 2.5}));
  EXPECT_THAT(valuesOf("fn f(i: i32[n]) -> i32[n] { i32(i > 0) }", {i}), are({0, 0, 1, 1}));
}

TEST(Pointwise, SizesAreNumbers) {
  Array x = floats({2, 4}, {1, 1, 1, 1, 2, 2, 2, 2});
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[n, m] { let scale = 1 / sqrt(m)\n x * scale + n }", {x}),
              are({2.5, 2.5, 2.5, 2.5, 3, 3, 3, 3}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32 { 1.0 * n * m + 1 }", {x}), are({9}));
  Array i = integers({3}, {1, 2, 4});
  EXPECT_THAT(valuesOf("fn f(i: i32[n]) -> f32 { f32(sum(i) + n) + f32((max(i) - 2 * n) / 4) }", {i}), are({9}));
}

TEST(Axes, Reductions) {
  Array x = floats({2, 3}, {1, 5, 3, 4, 2, 6});
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32 { sum(x) + mean(x) }", {x}), are({24.5}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[m] { max(x, axis: 0) - min(x, axis: 0) }", {x}), are({3, 3, 3}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[n] { prod(x, axis: -1) }", {x}), are({15, 48}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> i32[n] { argmax(x, axis: 1) * 10 + argmin(x, axis: 1) }", {x}),
              are({10, 21}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> bool[n] { any(x > 5.0, axis: 1) and all(x > 1.0, axis: 1) }", {x}),
              are({0, 1}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[n] { dot(x, x) * 2.0 - norm(x) ** 2.0 }", {x}), are({35, 56}));
}

TEST(MatMul, Shapes) {
  Array a = floats({2, 3}, {1, 2, 3, 4, 5, 6}), b = floats({3, 2}, {1, 0, 0, 1, 1, 1}), v = floats({3}, {1, 10, 100});
  EXPECT_THAT(valuesOf("fn f(a: f32[n, k], b: f32[k, m]) -> f32[n, m] { a @ b }", {a, b}), are({4, 5, 10, 11}));
  EXPECT_THAT(valuesOf("fn f(a: f32[n, k], v: f32[k]) -> f32[n] { a @ v }", {a, v}), are({321, 654}));
  EXPECT_THAT(valuesOf("fn f(v: f32[k], b: f32[k, m]) -> f32[m] { v @ b }", {v, b}), are({101, 110}));
  EXPECT_THAT(valuesOf("fn f(v: f32[k], w: f32[k]) -> f32 { v @ w }", {v, v}), are({10101}));
  EXPECT_THAT(valuesOf("fn f(a: f32[n, k]) -> f32[n, n] { a @ a' }", {a}), are({14, 32, 32, 77}));
}

TEST(MatMul, LeadingDimensionsBroadcast) {
  Array a = floats({2, 1, 2}, {1, 2, 3, 4}), b = floats({2, 2}, {1, 10, 100, 1000});
  EXPECT_THAT(valuesOf("fn f(a: f32[b, n, k], w: f32[k, m]) -> f32[b, n, m] { a @ w }", {a, b}),
              are({201, 2010, 403, 4030}));
  Array c = floats({1, 2, 1}, {1, 2});
  EXPECT_THAT(valuesOf("fn f(a: f32[b, n, k], c: f32[1, k, m]) -> f32[b, n, m] { a @ c }", {a, c}), are({5, 11}));
}

TEST(Views, Move) {
  Array x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[m, n] { x' }", {x}), are({1, 4, 2, 5, 3, 6}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[n * m] { reshape(x, [n * m]) }", {x}), are({1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(valuesOf("fn f(x: f32[2, 3]) -> f32[3, 2] { reshape(x, [3, 2]) }", {x}), are({1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[1, n, 1, m] { reshape(x, [1, n, 1, m]) }", {x}),
              are({1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(valuesOf("fn f(x: f32[1, 1]) -> f32 { reshape(x, []) }", {floats({1, 1}, {3})}), are({3}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, 3]) -> f32[n, 2] { x[.., 1:3] }", {x}), are({2, 3, 5, 6}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[m] { x[n - 1, :] }", {x}), are({4, 5, 6}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[m, n, 1] { permute(reshape(x, [1, n, m]), [2, 1, 0]) }", {x}),
              are({1, 4, 2, 5, 3, 6}));
}

TEST(Views, Join) {
  Array x = floats({2, 3}, {1, 2, 3, 4, 5, 6}), y = floats({2, 1}, {7, 8});
  EXPECT_THAT(valuesOf("fn f(x: f32[n, 3], y: f32[n, 1]) -> f32[n, 4] { concat(x, y) }", {x, y}),
              are({1, 2, 3, 7, 4, 5, 6, 8}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, m]) -> f32[2 * n, m] { concat(x, -x, axis: 0) }", {x}),
              are({1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, 3]) -> f32[n, 1] { let (a, b, c) = split(x, 3)\n a * b - c }", {x}),
              are({-1, 14}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n, 3]) -> f32[n, 2] { let (a, b) = split(x, [1, 2])\n a * b }", {x}),
              are({2, 3, 20, 24}));
}

TEST(Views, Make) {
  Array x = floats({2}, {0, 0});
  EXPECT_THAT(valuesOf("fn f(x: f32[n]) -> i32[n + 1] { iota(n + 1) }", {x}), are({0, 1, 2}));
  EXPECT_THAT(valuesOf("fn f(x: f32[n]) -> f32[n, 2] { zeros(n, 2) + ones(2) + full(1.0, n, 1) }", {x}),
              are({2, 2, 2, 2}));
}

TEST(Views, Gather) {
  Array table = floats({3, 2}, {1, 2, 3, 4, 5, 6}), at = integers({2, 2}, {2, 0, 1, 1});
  EXPECT_THAT(valuesOf("fn f(t: f32[v, d], at: i32[b, n]) -> f32[b, n, d] { t[at] }", {table, at}),
              are({5, 6, 1, 2, 3, 4, 3, 4}));
}

} // namespace
