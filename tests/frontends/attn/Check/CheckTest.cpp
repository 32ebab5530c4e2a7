// Tests the typed AST of programs, construct by construct.

#include "tests/frontends/attn/Check/Checked.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace attnc;

namespace {

/// Returns the statements of the first entry point without the enclosing lines.
std::string body(const std::string &program) {
  Checked checked = check(program);
  EXPECT_EQ(checked.diagnostics, "");
  size_t begin = checked.typed.find(" {\n") + 3, end = checked.typed.find("\n}\n", begin) + 1;
  return checked.typed.empty() ? "" : checked.typed.substr(begin, end - begin);
}

//===- Index notation ---------------------------------------------------------------------------------------------===//

TEST(Elements, RowsBecomeElements) {
  EXPECT_EQ(body("fn f(x: f32[n, d], w: f32[d]) -> f32[n, d] { [i] => 2 * x[i] + w }"),
            "  return f: f32[n, d] = [i < n, d < d] => add(mul(2.0, x[i, d]), w[d])\n");
}

TEST(Elements, ADotProductIsASum) {
  EXPECT_EQ(body("fn f(x: f32[n, d], y: f32[m, d]) -> f32[n, m] { [i, j] => dot(x[i], y[j]) }"),
            "  return f: f32[n, m] = [i < n, j < m] => add k < d => mul(x[i, k], y[j, k])\n");
}

TEST(Elements, NestedReductionsAreTensorsOfTheirOwn) {
  EXPECT_EQ(body("fn f(x: f32[n, d]) -> f32[n, d] { [i, k] => x[i, k] / sum c => x[i, c] }"),
            "  let t: f32[n] = [i < n] => add c < d => x[i, c]\n"
            "  return f: f32[n, d] = [i.1 < n, k < d] => div(x[i.1, k], t[i.1])\n");
}

TEST(Elements, AttendKeepsOnlyWhatMixesQueriesWithKeys) {
  EXPECT_EQ(body("fn f(q: f32[n, d], k: f32[m, d], s: f32[n]) -> f32[n, m] {\n"
                 "  [i] => attend j { score: exp(s[i]) * dot(q[i], k[j]) / norm(k[j]) }\n}"),
            "  let t: f32[n] = [i < n] => exp(s[i])\n"
            "  let t.1: f32[m] = [j < m] => add k.1 < d => mul(k[j, k.1], k[j, k.1])\n"
            "  let t.2: f32[m] = [j.1 < m] => sqrt(t.1[j.1])\n"
            "  let weights: f32[n, m] = [i.1 < n] => attend j.2 < m { score: div(mul(t[i.1], add k.2 < d => "
            "mul(q[i.1, k.2], k[j.2, k.2])), t.2[j.2]) }\n"
            "  return f: f32[n, m] = weights\n");
}

TEST(Elements, AComprehensionInsideABodyIsOpened) {
  EXPECT_EQ(body("fn f(x: f32[n, m]) -> f32[n, m] { [i, j] => ([k] => x[i, k] * k)[j] }"),
            "  return f: f32[n, m] = [i < n, j < m] => mul(x[i, j], f32(j))\n");
}

TEST(Elements, TransposesAndReshapesOfRowsBecomeIndexArithmetic) {
  EXPECT_EQ(body("fn f(x: f32[n, 6]) -> f32[n, 2] { [i, j] => reshape(x[i], [2, 3])'[1, j] + x[i, 4:6][j] }"),
            "  let t: f32[n, 2] = slice(x, from [0, 4], [n, 2])\n"
            "  return f: f32[n, 2] = [i < n, j < 2] => add(x[i, add(mul(j, 3), 1)], t[i, j])\n");
}

TEST(Elements, AFilterCounts) {
  EXPECT_EQ(body("fn f(x: f32[b, n], length: i32[b]) -> f32[b] { [r] => mean t where t < length[r] => x[r, t] }"),
            "  let t: f32[b] = [r < b] => add t.1 < n where lt(t.1, index(length[r])) => x[r, t.1]\n"
            "  let t.2: f32[b] = [r.1 < b] => add t.3 < n where lt(t.3, index(length[r.1])) => 1.0\n"
            "  return f: f32[b] = [r.2 < b] => div(t[r.2], t.2[r.2])\n");
}

TEST(Attend, SeveralResultsComeFromOne) {
  EXPECT_EQ(
      body("fn f(q: f32[n, d]) -> (y: f32[n, d], l: f32[n]) {\n"
           "  [i] => attend j { score: dot(q[i], q[j]), value: q[j] } yields (value, lse)\n}"),
      "  let value: f32[n, d], lse: f32[n] = [i < n] => attend j < n { score: add k < d => mul(q[i, k], q[j, k]), "
      "value: [d < d] => q[j, d] }\n"
      "  return y: f32[n, d] = value\n"
      "  return l: f32[n] = lse\n");
}

TEST(Attend, InsideALargerBodyIsBoundFirst) {
  EXPECT_EQ(body("fn f(q: f32[n], v: f32[n]) -> f32[n] { [i] => 2.0 * attend j { score: q[i] * q[j], value: v[j] } }"),
            "  let value: f32[n] = [i < n] => attend j < n { score: mul(q[i], q[j]), value: [] => v[j] }\n"
            "  return f: f32[n] = [i < n] => mul(2.0, value[i])\n");
}

//===- Subscripts -------------------------------------------------------------------------------------------------===//

TEST(RangeProofs, AGuardedSubscriptIsClamped) {
  EXPECT_EQ(body("fn f(a: f32[n]) -> f32[n] { [s < n] => if s >= 1 then a[s - 1] else -inf }"),
            "  return f: f32[n] = [s < n] => select(ge(s, 1), a[max(sub(s, 1), 0)], -inf)\n");
}

/// Expects an error for the subscripts of a in the elements of a result.
static void expectUnproved(const std::string &type, const std::string &element) {
  std::string text = "fn f(a: f32[n]) -> " + type + "[n] { [s < n] => " + element + " }\nexport f\n";
  EXPECT_NE(check(text).diagnostics.find("[out-of-range]"), std::string::npos) << element;
}

/// The right operand of `and` counts only if the left one is true, and that of `or` only if it is false.
TEST(RangeProofs, ALogicalOperatorGuardsItsRightOperand) {
  EXPECT_EQ(body("fn f(a: f32[n]) -> bool[n] { [s < n] => s >= 1 and s < 9 and a[s - 1] > 0.0 }"),
            "  return f: bool[n] = [s < n] => and(and(ge(s, 1), lt(s, 9)), gt(a[max(sub(s, 1), 0)], 0.0))\n");
  EXPECT_EQ(body("fn f(a: f32[n]) -> bool[n] { [s < n] => s == 0 or a[s - 1] > 0.0 }"),
            "  return f: bool[n] = [s < n] => or(eq(s, 0), gt(a[max(sub(s, 1), 0)], 0.0))\n");
  for (const char *unguarded : {"a[s - 1] > 0.0 and s >= 1", "s >= 1 or a[s - 1] > 0.0", "(s >= 1) == (a[s - 1] > 0.0)",
                                "(s >= 1 and s < 9) == (a[s - 1] > 0.0)"})
    expectUnproved("bool", unguarded);
}

/// An index that differs from 0 or from its last value is above or below it.
TEST(RangeProofs, UnequalIndicesAreGuards) {
  EXPECT_EQ(body("fn f(a: f32[n]) -> f32[n] { [s < n] => if s == 0 then 0.0 else a[s - 1] }"),
            "  return f: f32[n] = [s < n] => select(eq(s, 0), 0.0, a[max(sub(s, 1), 0)])\n");
  EXPECT_EQ(body("fn f(a: f32[n]) -> f32[n] { [s < n] => if s != n - 1 then a[s + 1] else 0.0 }"),
            "  return f: f32[n] = [s < n] => select(ne(s, n - 1), a[min(add(s, 1), n - 1)], 0.0)\n");
  for (const char *unguarded : {"if s == 1 then 0.0 else a[s - 1]", "if s == 0 then a[s - 1] else 0.0",
                                "if s != n then a[s + 1] else 0.0", "if s == 0 then 0.0 else a[s - 2]"})
    expectUnproved("f32", unguarded);
}

TEST(RangeProofs, DataIsCheckedAtRunTime) {
  EXPECT_EQ(body("fn f(table: f32[v, d], t: i32[n]) -> f32[n, d] { table[t] }"),
            "  return f: f32[n, d] = [n < n, d < d] => table[index(t[n])?, d]\n");
}

TEST(RangeProofs, DataIsClampedOnTheSideThatAGuardDecides) {
  EXPECT_EQ(body("fn f(x: f32[n, c], t: i32[n]) -> f32[n] { [i] => if t[i] >= 0 then x[i, t[i]] else 0.0 }"),
            "  return f: f32[n] = [i < n] => select(ge(t[i], 0), x[i, max(index(t[i]), 0)?], 0.0)\n");
}

TEST(RangeProofs, WhatIsProvedIsLeftAlone) {
  EXPECT_EQ(
      body("fn f(x: f32[12], y: f32[r * 4], z: f32[r]) -> f32[r, 4] {\n"
           "  [i < r, j < 4] => x[(11 - 2 * j) / 3] + y[4 * i + j] + x[(i + j) % 12] + x[min(i, 11)]\n}"),
      "  return f: f32[r, 4] = [i < r, j < 4] => add(add(add(x[div(sub(11, mul(2, j)), 3)], y[add(mul(4, i), j)]), "
      "x[rem(add(i, j), 12)]), x[min(i, 11)])\n");
}

/// The tuple is checked before `z[i]` determines the range of i.
TEST(RangeProofs, AnIndexProvesNothingBeforeItsRangeIsKnown) {
  EXPECT_NE(check("fn pair(x: f32[n], i, y: f32[m]) -> f32[m] {\n"
                  "  let (a, b) = [j] => (x[2 * i], y[j])\n"
                  "  a + b\n"
                  "}\n"
                  "fn f(x: f32[n], y: f32[m], z: f32[m]) -> f32[m, m] { [i] => pair(x, i, y) + z[i] }\n"
                  "export f\n")
                .diagnostics.find("[out-of-range]"),
            std::string::npos);
}

/// f32 represents only some integers above 2^24.
TEST(RangeProofs, AnIndexThatWasRoundedToF32IsAnotherNumber) {
  EXPECT_EQ(body("fn f(x: f32[n]) -> f32[n] { [i < n] => x[i32(f32(i))] }"),
            "  return f: f32[n] = [i < n] => x[index(i32(f32(i)))?]\n");
}

TEST(RangeProofs, TheLeastSizeOfADimensionIsPartOfTheContract) {
  auto entry = [](const std::string &text) {
    std::string typed = check(text).typed;
    return typed.substr(0, typed.find(" {"));
  };
  EXPECT_EQ(entry("fn f(x: f32[b, n <= 8, d]) -> f32[b, d] { x[:, n - 1, :] }"),
            "entry f(x: f32[b, n, d]) b 1 <= n <= 8 d");
  EXPECT_EQ(entry("fn f(x: f32[n], y: f32[m]) -> f32[m] { [i] => x[n - 1] * y[i] }"),
            "entry f(x: f32[n], y: f32[m]) 1 <= n m");
  EXPECT_EQ(entry("fn f(x: f32[n]) -> f32[n - 1] { x[1:] }"), "entry f(x: f32[n]) 1 <= n");
  EXPECT_EQ(entry("fn f(x: f32[n]) -> f32[n] { [i < n] => x[max(i - 1, 0)] }"), "entry f(x: f32[n]) n");
  EXPECT_EQ(entry("fn f(x: f32[n], y: f32[m]) -> f32[m] { [i < m] => if n >= 1 then x[n - 1] else y[i] }"),
            "entry f(x: f32[n], y: f32[m]) 1 <= n m"); // a slice is evaluated under every condition
  EXPECT_EQ(entry("fn f(x: f32[n], y: f32[m]) -> f32[m] { [i < m] => if i < n then x[n - 1 - i] else y[i] }"),
            "entry f(x: f32[n], y: f32[m]) n m");
  EXPECT_EQ(entry("fn f(x: f32[n], y: f32[m]) -> f32[n] { [i] => x[i] + y[min(i, m - 1)] }"),
            "entry f(x: f32[n], y: f32[m]) n 1 <= m");
}

/// Each choice doubles the paths through the subscript, few of which differ.
TEST(RangeProofs, ChoicesWithinChoicesAreProved) {
  std::string subscript = "0";
  for (int level = 0; level < 30; ++level)
    subscript = fmt::format("min(if j > i + {0} then {0} + (i + j) / {1} else {2}, 63)", level, level + 2, subscript);
  Checked checked =
      check("fn f(x: f32[n], bias: f32[64]) -> f32[n, n] { [i, j] => x[i] * x[j] + bias[" + subscript + "] }");
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_EQ(checked.typed.find('?'), std::string::npos) << checked.typed;
}

TEST(IndexNotation, ArgmaxOverSeveralIndicesIsATuple) {
  EXPECT_EQ(
      check("fn f(x: f32[b, n, m]) -> (i32[b], i32[b]) { [s] => argmax (i, j) => x[s, i, j] }\nexport f\n").diagnostics,
      "");
  EXPECT_EQ(
      check("fn f(x: f32[n, m, 3]) -> i32 {\n  let (i, j, k) = argmax (i, j, k) where i > j => x[i, j, k]\n  k }\n"
            "export f\n")
          .diagnostics,
      "");
  EXPECT_NE(check("fn f(x: f32[n, m, 3]) { argmax (i, j) => x[i, j] }\nexport f\n")
                .firstLine()
                .find("`argmax` of rows over several indices"),
            std::string::npos);
}

/// A remainder is what its quotient leaves: an odd s below 2n + 1 is at most 2n - 1.
TEST(RangeProofs, ARemainderIsAFactAboutItsQuotient) {
  auto proves = [](const std::string &condition, const std::string &subscript) {
    Checked checked = check("fn f(x: f32[n]) -> f32[2*n + 1] {\n  [s < 2*n + 1] => if " + condition + " then x[" +
                            subscript + "] else 0.0\n}\nexport f\n");
    EXPECT_EQ(checked.typed.find('?'), std::string::npos) << checked.typed;
    return checked.diagnostics.empty();
  };
  EXPECT_TRUE(proves("s % 2 == 1", "s / 2"));
  EXPECT_TRUE(proves("s % 2 != 0", "s / 2"));
  EXPECT_TRUE(proves("not (s % 2 == 0)", "s / 2"));
  EXPECT_TRUE(proves("s % 2 == 0 and s >= 1", "s / 2 - 1"));
  EXPECT_TRUE(proves("s % 3 != 2 and s / 3 < n", "s / 3"));
  EXPECT_TRUE(proves("(s + 1) % 2 == 0", "(s - 1) / 2"));
  EXPECT_FALSE(proves("s % 2 == 0", "s / 2"));
  EXPECT_FALSE(proves("s % 2 != 1", "s / 2"));
  EXPECT_FALSE(proves("s % 3 == 1", "s / 2"));
}

TEST(RangeProofs, AMaskProtectsTheValue) {
  EXPECT_EQ(body("fn f(q: f32[n], v: f32[n]) -> f32[n] {\n"
                 "  [i] => attend (j < n) { score: q[i], mask: j >= 1, value: v[j - 1] }\n}"),
            "  let value: f32[n] = [i < n] => attend j < n { score: q[i], mask: ge(j, 1), value: [] => "
            "v[max(sub(j, 1), 0)] }\n"
            "  return f: f32[n] = value\n");
}

//===- Where a wrong dimension comes from
//-----------------------------------------------------------------------------===//

/// The program of the design's example: queries and keys have different widths.
TEST(Origins, AModuleThatWasCalled) {
  Checked checked = check(R"(
use nn
model M(dim = 384) {
  const head_dim = 64
  wq: nn.Linear(dim, 6 * head_dim)
  wk: nn.Linear(dim, 480)
  fn f(x: f32[batch, seq, dim]) -> f32[batch, 6, seq, seq] {
    let (q,) = split_heads(wq(x), 1, 6)
    let (k,) = split_heads(wk(x), 1, 6)
    [b, h, i] => attend j { score: dot(q[b, h, i], k[b, h, j]) / sqrt(head_dim) }
  }
}
)");
  EXPECT_EQ(checked.diagnostics,
            R"(a.attn:10:40: error: contracted dimensions differ: `head_dim` is 64 and 80 [dim-mismatch]
   10 |     [b, h, i] => attend j { score: dot(q[b, h, i], k[b, h, j]) / sqrt(head_dim) }
      |                                        ^~~~~~~~~~  ~~~~~~~~~~ f32[80]
      |                                        f32[64]
  note: `q` is made by `wq`, declared at a.attn:5:3
  note: `k` is made by `wk`, declared at a.attn:6:3
)");
}

TEST(Origins, AnElementOfAListOfModules) {
  Checked checked = check(R"(
use nn
model M(dim = 8) {
  layers: [nn.Linear(dim, dim + 1); 4]
  fn f(x: f32[n, dim]) -> f32[n, dim] {
    var y = x
    for layer in layers { y = x + layer(y) }
    y
  }
}
)");
  EXPECT_EQ(checked.diagnostics,
            R"(a.attn:7:33: error: dimensions of `+` differ: `dim` is 8 and `outputs` is 9 [dim-mismatch]
    7 |     for layer in layers { y = x + layer(y) }
      |                               ~ ^ ~~~~~~~~ f32[n, 9]
      |                               f32[n, 8]
  note: `x` is declared at a.attn:5:8
  note: `layer` is declared at a.attn:4:3
  hint: trailing dimensions are aligned, and must be the same or the literal 1
)");
}

TEST(Origins, AFunctionThatMadeItOfNothing) {
  Checked checked = check(R"(
use nn
fn f(x: f32[n, 8]) -> f32[n, 8] {
  let places = sinusoidal(n, 10)
  x + places
}
)");
  EXPECT_EQ(checked.diagnostics, R"(a.attn:5:5: error: dimensions of `+` differ: 8 and 10 [dim-mismatch]
    5 |   x + places
      |   ~ ^ ~~~~~~ f32[n, 10]
      |   f32[n, 8]
  note: `x` is declared at a.attn:3:6
  note: `places` is made by `sinusoidal`, declared at nn.attn:144:1
  hint: trailing dimensions are aligned, and must be the same or the literal 1
)");
}

TEST(Origins, TheArgumentBehindAFunctionThatKeepsShapes) {
  Checked checked = check(R"(
use nn
fn f(
  x: f32[n, 8],
  y: f32[m, 8],
) -> f32[n, 8] {
  let p = softmax(y)
  x * p
}
)");
  EXPECT_EQ(checked.diagnostics, R"(a.attn:8:5: error: dimensions of `*` differ: n and m [dim-mismatch]
    8 |   x * p
      |   ~ ^ ~ f32[m, 8]
      |   f32[n, 8]
  note: `x` is declared at a.attn:4:3
  note: `y` is declared at a.attn:5:3
  hint: trailing dimensions are aligned, and must be the same or the literal 1
)");
}

//===- Errors -----------------------------------------------------------------------------------------------------===//

size_t count(const std::string &text, const std::string &words) {
  size_t result = 0;
  for (size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
    ++result;
  return result;
}

TEST(Errors, AllAreReportedInOneRunAndNoneTwice) {
  std::string text = check(R"(
fn f(x: f32[n, 8], y: f32[n, 9], w: f32[7, 3]) -> f32[n, 3] {
  let a = x + y
  let b = a * 2.0
  let c = x @ w
  let d = [i] => unknown[i] + b[i, 0]
  c + d
}
fn g(x: f32[n]) -> i32[n] { x }
)")
                         .diagnostics;
  EXPECT_EQ(count(text, "error:"), 4u) << text;
  EXPECT_EQ(count(text, "[dim-mismatch]"), 2u) << text;
  EXPECT_EQ(count(text, "[unknown-name]"), 1u) << text;
  EXPECT_EQ(count(text, "[element-mismatch]"), 1u) << text;
}

TEST(Errors, AnInlinedFunctionIsReportedOnceAndSaysWhereItWasCalled) {
  std::string text = check(R"(
fn twice(x: f32[n]) -> f32[n] { x + zeros(3) }
fn f(a: f32[4]) -> f32[4] { twice(a) + twice(a) }
export f
)")
                         .diagnostics;
  EXPECT_EQ(count(text, "error:"), 1u) << text;
  EXPECT_EQ(count(text, "note: in the call at a.attn:3:29"), 1u) << text;
}

TEST(Errors, AModelNeedsAllItsHyperparameters) {
  const std::string program = "model M(dim) {\n  fn f(x: f32[n, dim]) -> f32[n, dim] { x }\n}\n";
  EXPECT_EQ(check(program).diagnostics,
            "a.attn:1:9: error: the hyperparameter `dim` of the model has no value [argument-count]\n"
            "    1 | model M(dim) {\n"
            "      |         ^~~\n"
            "  hint: give it a default, or `--set dim=...`\n");
  EXPECT_EQ(check(program, {{"dim", "4"}}).diagnostics, "");
}

TEST(Errors, ModulesThatNobodyMakesAreCheckedWithTheirDefaults) {
  Checked checked = check("fn f(x: f32[n]) -> f32[n] { x }\nmodule A(dim = 4) {\n  w: f32[dim]\n"
                          "  fn (x: f32[.., dim]) -> f32[.., dim] { x * w }\n}\n");
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_EQ(checked.typed.find("parameter"), std::string::npos);
  EXPECT_EQ(count(check("fn f(x: f32[n]) -> f32[n] { x }\nmodule A(dim = 4) {\n"
                        "  fn (x: f32[.., dim]) -> f32[.., dim] { x * nothing }\n}\n")
                      .diagnostics,
                  "`nothing` is not known here"),
            1u);
}

TEST(Errors, DeepChainsEndInAMessage) {
  std::string text = check("fn grow(x) {\n  var y = x\n  for i < 5000 { y = y * x }\n  y\n}\n"
                           "fn f(x: f32[n]) -> f32[n] { [i] => grow(x[i]) }\n")
                         .diagnostics;
  EXPECT_EQ(count(text, "calls and expressions are nested too deeply here [too-large]"), 1u) << text;
  EXPECT_EQ(count(text, "hint: bind intermediate tensors with `let`, outside of `=>`"), 1u) << text;
  std::string calls = "fn g0(x) { x }\n";
  for (int i = 1; i < 2000; ++i)
    calls += "fn g" + std::to_string(i) + "(x) { g" + std::to_string(i - 1) + "(x) + 1.0 }\n";
  text = check(calls + "fn f(x: f32[n]) -> f32[n] { g1999(x) }\nexport f\n").diagnostics;
  EXPECT_EQ(count(text, "error:"), 1u) << text;
  EXPECT_EQ(count(text, "[too-large]"), 1u) << text;
}

TEST(Errors, FunctionsThatNobodyCallsAreCheckedToo) {
  std::string text =
      check("fn f(x: f32[n]) -> f32[n] { x }\nfn g(x: f32[..]) -> f32[..] { x + y }\nexport f\n").diagnostics;
  EXPECT_EQ(count(text, "`y` is not known here"), 1u) << text;
}

//===- Entry points -----------------------------------------------------------------------------------------------===//

TEST(EntryNames, ThoseOfTheHeaderAreRefused) {
  auto diagnosticsOf = [](const std::string &names) {
    std::string program;
    for (std::string_view name : {"f", "f_run", "f_arena_bytes", "model", "prepare", "f_runs", "g"})
      if ((" " + names + " ").find(" " + std::string(name) + " ") != std::string::npos)
        program += "fn " + std::string(name) + "(x: f32[n]) -> f32[n] { 2.0 * x }\n";
    return check(program).diagnostics;
  };
  EXPECT_EQ(diagnosticsOf("f f_runs g"), "");
  EXPECT_EQ(diagnosticsOf("f_run g"), "");
  for (const char *names : {"model", "f prepare", "f f_run", "f f_arena_bytes"})
    EXPECT_NE(diagnosticsOf(names).find("error: no entry point can have the name"), std::string::npos) << names;
  EXPECT_EQ(
      check("fn f(x: f32[n]) -> f32[n] { f_run(x) }\nfn f_run(x: f32[n]) -> f32[n] { x }\nexport f\n").diagnostics, "");
}

TEST(Uncalled, AFunctionOfAnyRankIsCheckedWhereItIsCalled) {
  std::string module = "module M(d) {\n  w: f32[d, d]\n  fn (x: f32[n, d]) -> f32[n, d] { x @ w }\n"
                       "  fn rows(x: f32[.., d]) -> f32[.., d] { [i, j, k] => x[i, j, k] }\n}\n";
  std::string model = "model N(d = 4) {\n  m: M(d)\n  fn f(x: f32[n, d]) -> f32[n, d] { m(x) }\n";
  EXPECT_EQ(check(module + model + "}\n").diagnostics, "");
  EXPECT_NE(check(module + model + "  fn g(x: f32[n, d]) -> f32[n, d] { m.rows(x) }\n}\n").diagnostics, "");
}

TEST(Chains, MayHaveHundredsOfTerms) {
  std::string sum = "x";
  for (int term = 0; term < 400; ++term)
    sum += " + x";
  EXPECT_EQ(check("fn f(x: f32[n]) -> f32[n] { " + sum + " }").diagnostics, "");
}

TEST(Check, AnArgMaxInAttendIsOfATermThatIsComputedForAllPairs) {
  std::string parameters =
      "fn f(w: f32[n, m, k], x: i32[n, m], v: f32[m]) -> f32[n] {\n  [i] => attend j { value: v[j], ";
  auto firstLine = [&](const std::string &formulas) { return check(parameters + formulas + " }\n}").firstLine(); };
  std::string mayFail = "`argmax` inside `attend` with a subscript that may be out of range in a masked pair";
  EXPECT_EQ(firstLine("mask: j <= i, score: f32(argmax l => w[x[i, j], j, l])"),
            "a.attn:2:59: error: " + mayFail + " is not supported yet [not-supported]");
  // A score of -inf masks a pair, too.
  EXPECT_EQ(firstLine("score: w[i, j, 0], weight: p => p * f32(argmax l => w[x[i, j], j, l])"),
            "a.attn:2:74: error: " + mayFail + " is not supported yet [not-supported]");
  EXPECT_EQ(firstLine("score: w[i, j, 0], weight: p => f32(argmax l => p * w[i, j, l])"),
            "a.attn:2:70: error: `argmax` of a weight inside `attend` is not supported yet [not-supported]");
  EXPECT_EQ(firstLine("score: f32(argmax l => w[x[i, j], j, l])"), "");
}

TEST(Check, AListHasAtMost10000Values) {
  auto firstLine = [](const std::string &list) {
    return check("fn f(x: f32[n]) -> f32[n] {\n  let list = " + list + "\n  x\n}\nexport f").firstLine();
  };
  EXPECT_EQ(firstLine("[1.0; 10001]"), "a.attn:2:20: error: a list of 10001 values, expected 0 to 10000 [bad-size]");
  EXPECT_EQ(firstLine("[1.0 for l < 10001]"),
            "a.attn:2:27: error: a list of 10001 values, expected 0 to 10000 [bad-size]");
  EXPECT_EQ(firstLine("[1.0 for l < 10000]"), "");
}

TEST(Check, ADerivationTakesTheNameOfAFunction) {
  EXPECT_EQ(check("fn f(x: f32[n]) -> f32 { sum(x) }\nexport g = gradient(3, f)").firstLine(),
            "a.attn:2:12: error: `gradient` takes the name of a function [argument-count]");
}

} // namespace
