// Tests gradients of loads by subscripts: subscripts with an inverse give a gather over the elements, the others a
// scatter.
#include "dialects/Attn/Attn.h"
#include "tests/compiler/Derive/Derived.h"

using namespace attnc;

namespace {

enum class Form { Gathered, Scattered };

void expectForm(Form form, const std::string &arguments, const std::string &body, std::vector<Array> inputs) {
  Derived derived("fn f(" + arguments + ") -> f32 { " + body + " }", std::move(inputs));
  derived.expectDifferences();
  EXPECT_EQ(derived.count<mlir::attn::ScatterAddOp>(), form == Form::Scattered ? 1u : 0u);
}

void expectImage(Form form, const std::string &body) {
  expectForm(form, "x: f32[batch, 8, 7, 2], w: f32[3, 3, 2, 4]", body, {draw({2, 8, 7, 2}), draw({3, 3, 2, 4}, 2)});
}
void expectSequence(Form form, const std::string &body) {
  expectForm(form, "x: f32[n, 3], w: f32[4, 3]", body, {draw({9, 3}), draw({4, 3}, 2)});
}

TEST(LoadGradient, OfAConvolution) {
  expectImage(Form::Gathered,
              "sum(sq([b, i < 6, j < 5, o] => sum (di, dj, c) => x[b, i + di, j + dj, c] * w[di, dj, c, o]))");
}
TEST(LoadGradient, OfAConvolutionWithAPaddedBorder) {
  expectImage(Form::Gathered,
              "sum(sq([b, i < 8, j < 7, o] => sum (di, dj, c) => (if i + di >= 1 and i + di <= 8 and j + dj >= 1 and "
              "j + dj <= 7 then x[b, i + di - 1, j + dj - 1, c] else 0.0) * w[di, dj, c, o]))");
}
TEST(LoadGradient, OfAConvolutionWithStrides) {
  expectImage(Form::Gathered,
              "sum(sq([b, i < 3, j < 3, o] => sum (di, dj, c) => x[b, 2 * i + di, 2 * j + dj, c] * w[di, dj, c, o]))");
}
/// The sum is long enough that elements of each residue have a sum of their own.
TEST(LoadGradient, ByResidue) {
  auto expectStrided = [](const std::string &sizes, std::initializer_list<int64_t> kernel, const std::string &loops,
                          const std::string &read) {
    expectForm(Form::Gathered, "x: f32[batch, 8, 7, 2], w: f32[" + sizes + "]",
               "sum(sq([b, " + loops + ", o] => sum (di, dj, c) => " + read + " * w[di, dj, c, o]))",
               {draw({2, 8, 7, 2}), draw(kernel, 2)});
  };
  expectStrided("3, 3, 2, 8", {3, 3, 2, 8}, "i < 3, j < 3", "x[b, 2 * i + di, 2 * j + dj, c]");
  expectStrided("3, 3, 2, 8", {3, 3, 2, 8}, "i < 4, j < 4",
                "(if 2 * i + di >= 1 and 2 * i + di <= 8 and 2 * j + dj >= 1 and 2 * j + dj <= 7 then "
                "x[b, 2 * i + di - 1, 2 * j + dj - 1, c] else 0.0)");
  expectStrided("4, 2, 2, 9", {4, 2, 2, 9}, "i < 2, j < 2", "x[b, 3 * i + di, 4 * j + 2 * dj, c]"); // also by residue
  expectStrided("2, 3, 2, 11", {2, 3, 2, 11}, "i < 2, j < 5",
                "x[b, 4 * i + di, j + dj, c]"); // two residues are never read
  expectStrided("1, 1, 2, 64", {1, 1, 2, 64}, "i < 4, j < 4", "x[b, 2 * i + di, 2 * j + dj, c]");
  expectStrided("1, 1, 2, 64", {1, 1, 2, 64}, "i < 4, j < 3", "x[b, 7 - 2 * i - di, 2 * j + dj + 1, c]");
}
TEST(LoadGradient, OfADilatedConvolution) {
  expectImage(Form::Gathered,
              "sum(sq([b, i < 4, j < 3, o] => sum (di, dj, c) => x[b, i + 2 * di, j + 2 * dj, c] * w[di, dj, c, o]))");
}
TEST(LoadGradient, OfOneChannel) {
  expectForm(Form::Gathered, "x: f32[batch, 8, 7, 1], w: f32[3, 3, 1, 4]",
             "sum(sq([b, i < 6, j < 5, o] => sum (di, dj, c) => x[b, i + di, j + dj, c] * w[di, dj, c, o]))",
             {draw({2, 8, 7, 1}), draw({3, 3, 1, 4}, 2)});
}
TEST(LoadGradient, OfEachChannelAlone) {
  expectForm(Form::Gathered, "x: f32[batch, 8, 7, 2], w: f32[3, 3, 2]",
             "sum(sq([b, i < 6, j < 5, c] => sum (di, dj) => x[b, i + di, j + dj, c] * w[di, dj, c]))",
             {draw({2, 8, 7, 2}), draw({3, 3, 2}, 2)});
}
/// The condition encloses the product.
TEST(LoadGradient, OfAProductThatIsGuarded) {
  expectSequence(Form::Gathered, "sum(sq([s < n] => sum (t, c) => if s >= t then x[s - t, c] * w[t, c] else 0.0))");
}
TEST(LoadGradient, OfACausalDilatedConvolution) {
  expectSequence(Form::Gathered,
                 "sum(sq([s < n, o < 3] => sum (t, c) => (if s >= 2 * t then x[s - 2 * t, c] else 0.0) * w[t, c]))");
}
TEST(LoadGradient, OfChunks) {
  expectSequence(Form::Gathered,
                 "sum(sq([k < (n + 3) / 4, i < 4, c] => if 4 * k + i < n then x[4 * k + i, c] else 0.0))");
  expectSequence(Form::Gathered, "sum(sq([k < (n + 7) / 8, j < 2, i < 4, c] => if 8 * k + 4 * j + i < n then "
                                 "x[8 * k + 4 * j + i, c] else 0.0))");
}
/// Rows are read several times, or never. Without whole chunks, there is no element to gather from.
TEST(LoadGradient, OfPartsOfChunks) {
  expectSequence(Form::Scattered, "sum(sq([k < n / 8, i < 8, c] => x[8 * k + i, c]))");
  expectForm(Form::Gathered, "x: f32[12, 3]", "sum(sq([k < 3, i < 3, c] => x[4 * k + i, c]))", {draw({12, 3})});
  expectForm(Form::Gathered, "x: f32[13, 3]", "sum(sq([k < 3, i < 5, c] => x[4 * k + i, c]))", {draw({13, 3})});
}
TEST(LoadGradient, OfWindowsThatDoNotOverlap) {
  expectForm(Form::Gathered, "x: f32[batch, 8, 6, 2]",
             "sum(sq([b, i < 4, j < 3, c] => max (di < 2, dj < 2) => x[b, 2 * i + di, 2 * j + dj, c]))",
             {draw({2, 8, 6, 2})});
}
TEST(LoadGradient, OfWindowsBetweenWhichElementsAreLeftOut) {
  expectForm(Form::Gathered, "x: f32[batch, 8, 4, 2]",
             "sum(sq([b, i < 2, j < 2, c] => mean (di < 2, dj < 2) => x[b, 3 * i + di, 2 * j + dj, c]))",
             {draw({2, 8, 4, 2})});
}
/// The guarded quotient divides by zero in iterations that read no element; the gradient must not contain it.
TEST(LoadGradient, OfQuotientsThatAreNotRead) {
  Array x = draw({9, 3}), w = draw({4, 3}, 2);
  for (double &element : x.values)
    element = 2 + std::abs(element);
  Derived derived("fn f(x: f32[n, 3], w: f32[4, 3]) -> f32 {\n"
                  "  let z = [s < n, c < 3] => if s < n - 1 then 1.0 else 0.0\n"
                  "  sum([s < n, c] => if s < n - 1 then x[s + 1, c] / z[s, c] else 0.0) + sum(w) }",
                  {x, w});
  derived.expectDifferences();
  EXPECT_EQ(derived.count<mlir::attn::ScatterAddOp>(), 0u);
}
TEST(LoadGradient, OfAMirroredSubscript) {
  expectSequence(Form::Gathered, "sum([s < n, t, c] => x[n - 1 - s, c] * w[t, c] * x[s, c])");
}
TEST(LoadGradient, OfADiagonalBand) {
  expectForm(Form::Gathered, "x: f32[5, 9]", "sum(exp([i < 5, k < 5] => x[i, i + k]))", {draw({5, 9})});
}
TEST(LoadGradient, OfATransposedConvolution) {
  expectSequence(Form::Gathered,
                 "sum(sq([s < 2 * n] => sum (t, c) => (if s >= t and (s - t) % 2 == 0 and s - t < 2 * n "
                 "then x[(s - t) / 2, c] else 0.0) * w[t, c]))");
}
/// The quotients of the loop d are beside s, for which the subscript is solved.
TEST(LoadGradient, OfQuotientsBesideALoop) {
  expectSequence(Form::Gathered,
                 "sum(sq([s < n, d < 3, o < 2] => sum (t, c) => (if s + (d + 1) / 2 >= t and s + (d + 1) "
                 "/ 2 - t < n then x[s + (d + 1) / 2 - t, c] else 0.0) * w[t, c]))");
  expectSequence(Form::Scattered,
                 "sum(sq([s < 4, d < 2, o < 2] => sum (t, c) => (if 2 * s + (d + 1) / 2 >= t and 2 * s "
                 "+ (d + 1) / 2 - t < n then x[2 * s + (d + 1) / 2 - t, c] else 0.0) * w[t, c]))");
  expectSequence(Form::Scattered,
                 "sum(sq([s < n, d < 3, o < 2] => sum (t, c) => (if s + d % 2 >= t and s + d % 2 - t < n "
                 "then x[s + d % 2 - t, c] else 0.0) * w[t, c]))");
}
/// Many iterations read the elements at the border, so that the subscript has no inverse.
TEST(LoadGradient, OfASubscriptThatIsKeptInRange) {
  expectSequence(Form::Scattered, "sum(sq([s < n, t, c] => x[max(s - t, 0), c] * w[t, c]))");
}
TEST(LoadGradient, OfASubscriptFromData) {
  expectForm(Form::Scattered, "x: f32[n, 3], at: i32[m]", "sum(sq([j, c] => x[at[j], c] * f32(j)))",
             {draw({9, 3}), drawBelow(9, {7})});
}
TEST(LoadGradient, OfARepeatedSubscript) {
  expectSequence(Form::Scattered, "sum(sq([s < n, t, c] => x[s / 2, c] * w[t, c]))");
}

/// A loop may be longer than the dimension that it reads.
TEST(LoadGradient, OfALongerLoopThanItsDimension) {
  expectForm(Form::Gathered, "x: f32[batch, 6], w: f32[batch, 8]",
             "sum(sq([b, s < 8] => (if s < 6 then x[b, s] else 0.0) * w[b, s]))", {draw({3, 6}), draw({3, 8}, 2)});
  expectForm(Form::Gathered, "x: f32[6, 2], w: f32[8, 2]",
             "let padded = [s < 8, c < 2] => if s < 6 then x[s, c] else 1.5\n mean(sq(padded * w))",
             {draw({6, 2}), draw({8, 2}, 2)});
}
TEST(LoadGradient, OfAShorterLoopThanItsDimension) {
  expectForm(Form::Scattered, "x: f32[9, 9], w: f32[3]", "sum([i < 3] => sq(x[i, i + 3]) * w[i])",
             {draw({9, 9}), draw({3}, 2)});
}
TEST(LoadGradient, OfAGuardAroundOneElement) {
  expectForm(Form::Gathered, "x: f32[1], w: f32[4]",
             "sum(sq([i < 5] => sum t => (if i >= t and i < t + 1 then x[i - t] else 0.0) * w[t]))",
             {draw({1}), draw({4}, 2)});
  expectForm(
      Form::Gathered, "x: f32[1], w: f32[4], v: f32[3]",
      "sum(sq([i < 4] => sum t => (if (i + t) % 2 == 0 and i + t < 2 then x[(i + t) / 2] else 1.5) * w[i] * v[t]))",
      {draw({1}), draw({4}, 2), draw({3}, 3)});
}
TEST(LoadGradient, OfAPaddedConvolutionOfOneRow) {
  expectForm(Form::Gathered, "x: f32[batch, 1, 7, 2], w: f32[3, 3, 2, 4]",
             "sum(sq([b, i < 1, j < 7, o] => sum (di, dj, c) => (if i + di >= 1 and i + di <= 1 and j + dj >= 1 and "
             "j + dj <= 7 then x[b, i + di - 1, j + dj - 1, c] else 0.0) * w[di, dj, c, o]))",
             {draw({2, 1, 7, 2}), draw({3, 3, 2, 4}, 2)});
}
/// A factor that the condition excludes may be infinite: here 1 / 0.
TEST(LoadGradient, OfAProductWhoseOtherFactorIsInfinite) {
  Array z(Element::F32, {4});
  z.values = {1, 2, 0, 0};
  Derived derived("fn f(x: f32[n], z: f32[4]) -> f32 {\n"
                  "  sum(sq([s < n] => sum t => if s >= t then x[s - t] * (1.0 / z[t]) else 0.0)) }",
                  {draw({2}), z});
  std::vector<Array> found = derived.gradients();
  for (double element : found[1].values)
    EXPECT_TRUE(std::isfinite(element));
  EXPECT_EQ(derived.count<mlir::attn::ScatterAddOp>(), 0u);
}
/// A condition from data is inside of the one that keeps the subscript in range, or around it.
TEST(LoadGradient, OfNestedGuards) {
  for (const char *guarded :
       {"if s >= 2 then (if z[s] > 0.0 then x[s - 2] else 1.0) else 0.0",
        "if z[s] > 0.0 then (if s >= 2 then x[s - 2] else 1.0) else 0.0",
        "if s >= 2 then (if s < 5 then (if z[s] > 0.0 then x[s - 2] else 1.0) else 2.0) else 0.0"})
    expectForm(Form::Gathered, "x: f32[6], z: f32[6]", std::string("sum(sq([s < 6] => (") + guarded + ") * sq(z[s])))",
               {draw({6}), draw({6}, 2)});
}
/// The condition keeps the subscript in range if it is false, or if it excludes an end.
TEST(LoadGradient, OfGuardsThatAreFalse) {
  for (const char *guarded : {"if s == 0 then 0.5 else x[s - 1]", "if s != 5 then x[s + 1] else 0.5",
                              "if s < 2 or z[s] > 0.0 then 0.5 else x[s - 2]",
                              "if z[s] > 0.0 then 0.5 else (if s >= 2 then x[s - 2] else 1.0)"})
    expectForm(Form::Gathered, "x: f32[6], z: f32[6]", std::string("sum(sq([s < 6] => (") + guarded + ") * sq(z[s])))",
               {draw({6}), draw({6}, 2)});
}
/// The outer condition excludes a factor that may be infinite: here 1 / 0.
TEST(LoadGradient, OfNestedGuardsOfAnInfiniteFactor) {
  Array z(Element::F32, {4}), w = draw({4}, 2);
  z.values = {0, 0, 2, 4};
  Derived derived("fn f(x: f32[4], z: f32[4], w: f32[4]) -> f32 {\n"
                  "  sum(sq([s < 4] => if s >= 2 then (if w[s] > -9.0 then x[s - 2] else 0.0) / z[s] else 0.0)) }",
                  {draw({4}), z, w});
  for (const Array &gradient : derived.gradients())
    for (double element : gradient.values)
      EXPECT_TRUE(std::isfinite(element));
  EXPECT_EQ(derived.count<mlir::attn::ScatterAddOp>(), 0u);
}
/// An empty loop reads nothing, although the dimension is not empty.
TEST(LoadGradient, OfALoopThatMayNotRun) {
  Derived derived("fn f(x: f32[n, 2], y: f32[m, 2]) -> f32 {\n"
                  "  sum([i < m, c < 2] => (if i + 1 < n then x[i + 1, c] else 0.0) * y[i, c]) }",
                  {draw({4, 2}), draw({0, 2})});
  EXPECT_EQ(derived.gradients()[1].values, std::vector<double>(8, 0.0));
  EXPECT_EQ(derived.count<mlir::attn::ScatterAddOp>(), 1u);
}
/// Few of many elements are read: a gather over all elements would take longer.
TEST(LoadGradient, OfAFewElements) {
  expectForm(Form::Scattered, "x: f32[batch, 40, 3], w: f32[4, 3]",
             "sum(sq([b, i < 4, c] => x[b, 9 + i, c] * w[i, c]))", {draw({2, 40, 3}), draw({4, 3}, 2)});
  expectSequence(Form::Scattered, "sum(sq([t, c] => (if t < n then x[n - 1 - t, c] else 0.0) * w[t, c]))");
}

} // namespace
