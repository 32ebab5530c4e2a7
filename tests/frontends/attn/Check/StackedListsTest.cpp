// Tests lists of equal modules that data subscripts.

#include "tests/frontends/attn/Check/Checked.h"

#include <gtest/gtest.h>

using namespace attnc;

namespace {

const std::string scale = R"(module Scale(dim) {
  gain: f32[dim] = ones
  by:   f32 = 2.0 as "by.factor"
  fn (x: f32[.., dim]) -> f32[.., dim] { x * gain * by }
}
)";

/// The first line of the messages about a model with these members.
std::string message(const std::string &members) { return check(scale + "model M() {\n" + members + "}\n").firstLine(); }

/// A subscript is from data, an index, a number, or the counter of a loop.
TEST(StackedLists, ParametersAreOneTensor) {
  Checked checked = check(scale + R"(model M() {
  parts: [Scale(4); 3] as "h"
  fn chosen(x: f32[n, 4], at: i32[n]) -> f32[n, 4] { [t] => parts[at[t]](x[t]) }
  fn each(x: f32[4]) -> f32[4] { sum e => parts[e](x) }
  fn all(x: f32[4]) -> f32[4] {
    var y = parts[2](x)
    for part in parts { y = part(y) }
    y
  }
}
)");
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_EQ(checked.typed, R"(model M
parameter parts.gain: f32[3, 4] = ones(0, 0) as "h.[].gain"
parameter parts.by: f32[3] = constant(2, 0) as "h.[].by.factor"
entry chosen(x: f32[n, 4], at: i32[n]) n {
  return chosen: f32[n, 4] = [t < n, d < 4] => mul(mul(x[t, d], @parts.gain[index(at[t])?, d]), @parts.by[index(at[t])?])
}
entry each(x: f32[4]) {
  return each: f32[4] = [d < 4] => add e < 3 => mul(mul(x[d], @parts.gain[e, d]), @parts.by[e])
}
entry all(x: f32[4]) {
  let y: f32[4] = mul(mul(x, reshape(slice(@parts.gain, from [2, 0], [1, 4]), [4])), reshape(slice(@parts.by, from [2], [1]), []))
  for part < 3 carry (y.1: f32[4] = y) {
    let y.2: f32[4] = mul(mul(y.1, [dim < 4] => @parts.gain[part, dim]), [] => @parts.by[part])
    next y.1 = y.2
  } -> y.3
  return all: f32[4] = y.3
}
)");
}

/// Lists around a stacked list, and lists in its modules, stay lists.
TEST(StackedLists, WithinOtherLists) {
  Checked checked = check(R"(module Inner() {
  w: f32[2] = ones
  fn (x: f32[2]) -> f32[2] { x * w }
}
module Expert() {
  inner: [Inner(); 2]
  fn (x: f32[2]) -> f32[2] { inner[1](inner[0](x)) }
}
module Layer() {
  experts: [Expert(); 3] as "moe.{1}"
  fn (x: f32[n, 2], at: i32[n]) -> f32[n, 2] { [t] => experts[at[t]](x[t]) }
}
model M() {
  layers: [Layer(); 5]
  fn f(x: f32[n, 2], at: i32[n]) -> f32[n, 2] {
    var y = x
    for layer in layers { y = layer(y, at) }
    y
  }
}
)");
  EXPECT_EQ(checked.diagnostics, "");
  std::string parameter =
      R"(parameter layers.experts.inner.w[5][2]: f32[3, 2] = ones(0, 0) as "layers.{0}.moe.[].inner.{1}.w")";
  EXPECT_NE(checked.typed.find(parameter), std::string::npos) << checked.typed;
}

/// A formula that a matrix multiplies is a tensor of its own; the features of a row are its last dimension.
TEST(StackedLists, RowsOfProductsAreComputedOnce) {
  Checked checked = check(R"(module Expert() {
  up: f32[3, 2] = ones
  down: f32[2, 3] = ones
  fn (x: f32[2]) -> f32[2] { down @ tanh(up @ x) }
}
model M() {
  experts: [Expert(); 4]
  fn f(x: f32[n, 2], at: i32[n, m]) -> f32[n, 2] { [t] => sum r => experts[at[t, r]](x[t]) }
}
)");
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_EQ(checked.typed, R"(model M
parameter experts.up: f32[4, 3, 2] = ones(0, 0) as "experts.[].up"
parameter experts.down: f32[4, 2, 3] = ones(0, 0) as "experts.[].down"
entry f(x: f32[n, 2], at: i32[n, m]) n m {
  let t: f32[n, m, 3] = [t.1 < n, r < m, k < 3] => add k.1 < 2 => mul(@experts.up[index(at[t.1, r])?, k, k.1], x[t.1, k.1])
  let t.2: f32[n, m, 3] = [t.3 < n, r.1 < m, k.2 < 3] => tanh(t[t.3, r.1, k.2])
  let t.4: f32[n, m, 2] = [t.5 < n, r.2 < m, d < 2] => add k.3 < 3 => mul(@experts.down[index(at[t.5, r.2])?, d, k.3], t.2[t.5, r.2, k.3])
  return f: f32[n, 2] = [t.6 < n, d.1 < 2] => add r.3 < m => t.4[t.6, r.3, d.1]
}
)");
}

TEST(StackedLists, Messages) {
  EXPECT_EQ(message("  parts: [Scale(4); 3]\n"
                    "  fn f(x: f32[n, 4], at: bool[n]) -> f32[n, 4] { [t] => parts[at[t]](x[t]) }\n"),
            "a.attn:8:63: error: the subscript of a list is an integer, but this is bool [bad-subscript]");
  EXPECT_EQ(message("  parts: [Scale(4); 3]\n"
                    "  fn f(x: f32[n, 4], at: i32[n]) -> f32[n, 4] { parts[at](x) }\n"),
            "a.attn:8:55: error: the subscript of a list is an integer, but this is i32[n] [bad-subscript]");
  EXPECT_EQ(message("  parts: [Scale(4); 3]\n"
                    "  fn f(x: f32[4]) -> f32[4] { sum e < 4 => parts[e](x) }\n"),
            "a.attn:8:35: error: this subscript may reach the end: the dimension's size is 3 [out-of-range]");
  EXPECT_EQ(message("  parts: [Scale(4); 3] as \"h.{2 * {0}}\"\n"
                    "  fn f(x: f32[4], at: i32) -> f32[4] { parts[at](x) }\n"),
            "a.attn:7:3: error: the name \"h.{2 * {0}}\" in checkpoints has a wrong index: `{2 * {0}}` is a sum with "
            "the index of a list that data subscripts [bad-checkpoint-name]");
  EXPECT_EQ(message("  parts: [Scale(d + 1) for d < 3]\n"
                    "  fn f(x: f32[1], at: i32) -> f32[1] { parts[at](x) }\n"),
            "a.attn:8:46: error: the subscript of a list must be an integer that is known when the model is compiled, "
            "but is i32 [not-constant]");
}

TEST(StackedLists, Limits) {
  std::string group = "module Group() {\n  parts: [Scale(4); 3]\n"
                      "  fn (x: f32[4], at: i32) -> f32[4] { parts[at](x) }\n}\n";
  EXPECT_EQ(check(scale + group +
                  "model M() {\n  groups: [Group(); 2]\n"
                  "  fn f(x: f32[4], at: i32, of: i32) -> f32[4] { groups[of](x, at) }\n}\n")
                .firstLine(),
            "a.attn:7:10: error: a list that data subscripts in another one is not supported yet [not-supported]");
  EXPECT_EQ(check("module S() {\n  state m: f32[4] = zeros\n  fn (x: f32[4]) -> f32[4] { x + m }\n}\n"
                  "model M() {\n  parts: [S(); 3]\n  fn f(x: f32[4], at: i32) -> f32[4] { parts[at](x) }\n}\n")
                .firstLine(),
            "a.attn:2:9: error: a state in a list that data subscripts is not supported yet [not-supported]");
  EXPECT_EQ(check("module S() {\n  w: f32[3, 4] = ones as \"w.[]\"\n  fn (x: f32[4]) -> f32[3] { w @ x }\n}\n"
                  "model M() {\n  parts: [S(); 3]\n  fn f(x: f32[4], at: i32) -> f32[3] { parts[at](x) }\n}\n")
                .firstLine(),
            "a.attn:2:3: error: the name \"parts.[].w.[]\" in checkpoints has `[]` twice, which stands for the indices "
            "of the first dimension or of a list that data subscripts [bad-checkpoint-name]");
}

} // namespace
