// Tests the typed AST of programs, construct by construct.

#include "tests/frontends/attn/Check/Checked.h"

#include <filesystem>
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

TEST(Ranges, AGuardedSubscriptIsClamped) {
  EXPECT_EQ(body("fn f(a: f32[n]) -> f32[n] { [s < n] => if s >= 1 then a[s - 1] else -inf }"),
            "  return f: f32[n] = [s < n] => select(ge(s, 1), a[max(sub(s, 1), 0)], -inf)\n");
}

TEST(Ranges, DataIsCheckedAtRunTime) {
  EXPECT_EQ(body("fn f(table: f32[v, d], t: i32[n]) -> f32[n, d] { table[t] }"),
            "  return f: f32[n, d] = [n < n, d < d] => table[index(t[n])?, d]\n");
}

TEST(Ranges, DataIsClampedOnTheSideThatAGuardDecides) {
  EXPECT_EQ(body("fn f(x: f32[n, c], t: i32[n]) -> f32[n] { [i] => if t[i] >= 0 then x[i, t[i]] else 0.0 }"),
            "  return f: f32[n] = [i < n] => select(ge(t[i], 0), x[i, max(index(t[i]), 0)?], 0.0)\n");
}

TEST(Ranges, WhatIsProvedIsLeftAlone) {
  EXPECT_EQ(
      body("fn f(x: f32[12], y: f32[r * 4], z: f32[r]) -> f32[r, 4] {\n"
           "  [i < r, j < 4] => x[(11 - 2 * j) / 3] + y[4 * i + j] + x[(i + j) % 12] + x[min(i, 11)]\n}"),
      "  return f: f32[r, 4] = [i < r, j < 4] => add(add(add(x[div(sub(11, mul(2, j)), 3)], y[add(mul(4, i), j)]), "
      "x[rem(add(i, j), 12)]), x[min(i, 11)])\n");
}

/// The tuple is checked before `z[i]` determines the range of i.
TEST(Ranges, AnIndexProvesNothingBeforeItsRangeIsKnown) {
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
TEST(Ranges, AnIndexThatWasRoundedToF32IsAnotherNumber) {
  EXPECT_EQ(body("fn f(x: f32[n]) -> f32[n] { [i < n] => x[i32(f32(i))] }"),
            "  return f: f32[n] = [i < n] => x[index(i32(f32(i)))?]\n");
}

TEST(Ranges, TheLeastSizeOfADimensionIsPartOfTheContract) {
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
TEST(Ranges, ChoicesWithinChoicesAreProved) {
  std::string subscript = "0";
  for (int level = 0; level < 30; ++level)
    subscript = fmt::format("min(if j > i + {0} then {0} + (i + j) / {1} else {2}, 63)", level, level + 2, subscript);
  Checked checked = check("fn f(x: f32[n], bias: f32[64]) -> f32[n, n] { [i, j] => x[i] * x[j] + bias[" + subscript +
                          "] }");
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_EQ(checked.typed.find('?'), std::string::npos) << checked.typed;
}

TEST(Ranges, AMaskProtectsTheValue) {
  EXPECT_EQ(body("fn f(q: f32[n], v: f32[n]) -> f32[n] {\n"
                 "  [i] => attend (j < n) { score: q[i], mask: j >= 1, value: v[j - 1] }\n}"),
            "  let value: f32[n] = [i < n] => attend j < n { score: q[i], mask: ge(j, 1), value: [] => "
            "v[max(sub(j, 1), 0)] }\n"
            "  return f: f32[n] = value\n");
}

//===- Modules and loops ------------------------------------------------------------------------------------------===//

const char *const layered = R"(
module Scale(dim) {
  gain: f32[dim] = ones
  fn (x: f32[.., dim]) -> f32[.., dim] { x * gain }
}
module Pair(dim) {
  parts: [Scale(dim); 2]
  fn (x: f32[.., dim]) -> f32[.., dim] { parts[1](parts[0](x)) }
}
model M(layers = 3, dim = 8) {
  pairs: [Pair(dim); layers]
  fn f(x: f32[n, dim]) -> f32[n, dim] {
    var y = x
    for pair in pairs { y = pair(y) }
    y
  }
}
)";

TEST(Modules, EqualModulesAreALoop) {
  Checked checked = check(layered, {{"layers", "5"}, {"dim", "4"}});
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_EQ(checked.typed, R"(model M
set layers = 5
set dim = 4
parameter pairs.parts.gain[5][2]: f32[4] = ones(0, 0) as "pairs.{0}.parts.{1}.gain"
entry f(x: f32[n, 4]) n {
  for pair < 5 carry (y: f32[n, 4] = x) {
    let x.1: f32[n, 4] = mul(y, @pairs.parts.gain[pair][0])
    let y.1: f32[n, 4] = mul(x.1, @pairs.parts.gain[pair][1])
    next y = y.1
  } -> y.2
  return f: f32[n, 4] = y.2
}
)");
}

TEST(Modules, DifferentModulesAreWrittenOut) {
  Checked checked = check(R"(
module Grow(n) {
  w: f32[n, 2 * n] = normal(0.02)
  fn (x: f32[.., n]) -> f32[.., 2 * n] { x @ w }
}
model M() {
  steps: [Grow(2 ** l) for l < 2] as "s{0}"
  fn f(x: f32[b, 1]) -> f32[b, 4] {
    var y = x
    for step in steps { y = step(y) }
    y
  }
}
)");
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_EQ(checked.typed, R"(model M
parameter steps.0.w: f32[1, 2] = normal(0, 0.02) as "s0.w"
parameter steps.1.w: f32[2, 4] = normal(0, 0.02) as "s1.w"
entry f(x: f32[b, 1]) b {
  let y: f32[b, 2] = matmul(x, @steps.0.w)
  let y.1: f32[b, 4] = matmul(y, @steps.1.w)
  return f: f32[b, 4] = y.1
}
)");
}

TEST(Modules, AParameterOfSizeZeroIsNone) {
  Checked checked = check("use nn\nmodel M(d = 4) {\n  l: nn.Linear(d, d, false)\n"
                          "  fn f(x: f32[n, d]) -> f32[n, d] { l(x) }\n}\n");
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_EQ(checked.typed.find("bias"), std::string::npos);
}

TEST(Random, DrawsForWhatItsArgumentSpeaksOf) {
  std::string text = check("fn f(x: f32[n, 3], k: f32[m, 3]) -> f32[n, 3] {\n"
                           "  [i] => attend j { score: dot(x[i], k[j]), weight: w => w * random(w), value: k[j] }\n"
                           "}\n"
                           "fn g(x: f32[n, 3]) -> f32[n, 4] { [i, j < 4] => random(x[i])[1] + random(f32(j)) }\n")
                         .typed;
  EXPECT_NE(text.find("weight: w => mul(w, draw 0[i, j])"), std::string::npos) << text;
  EXPECT_NE(text.find("draw 0[i, 1]"), std::string::npos) << text;
  EXPECT_NE(text.find("draw 1[j]"), std::string::npos) << text;
}

TEST(Random, EntryPointsThatDrawTakeTheKey) {
  EXPECT_EQ(check("fn f(x: f32[n], seed: i32) -> f32[n] { x * random(x) }").diagnostics,
            R"(a.attn:1:17: error: an entry point that draws has an argument `seed` of its own [already-defined]
    1 | fn f(x: f32[n], seed: i32) -> f32[n] { x * random(x) }
      |                 ^~~~
  note: the random draw is at a.attn:1:44
  hint: give this parameter another name
)");
}

TEST(Random, WhatIsComputedPositionByPositionCannotDraw) {
  EXPECT_EQ(check("fn f(x: f32[batch, seq]) -> f32[batch, seq] { x * random(x) }\n"
                  "export s = incremental(f, along: seq)")
                .diagnostics,
            R"(a.attn:1:51: error: `random` in incremental inference is not supported yet [not-supported]
    1 | fn f(x: f32[batch, seq]) -> f32[batch, seq] { x * random(x) }
      |                                                   ^~~~~~~~~
  hint: `if training { ... }` around it restricts it to training steps
)");
}

TEST(Training, AFrozenModuleHasNoParametersToTrain) {
  Checked checked = check("use nn\nuse optim\n"
                          "module Pair(n) { a: nn.Linear(n, n, false)\n b: [nn.Linear(n, n, false); 2] }\n"
                          "model M(n = 2) {\n  frozen left: Pair(n)\n  right: Pair(n)\n"
                          "  fn loss(x: f32[n]) -> f32 {\n"
                          "    sum(left.a(x)) + sum(right.a(x))\n  }\n}\n"
                          "export train = minimize(loss, with: optim.sgd(lr: 0.1))");
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_NE(checked.typed.find("train.m.right.a.weight"), std::string::npos) << checked.typed;
  EXPECT_EQ(checked.typed.find("train.m.left"), std::string::npos) << checked.typed;
}

TEST(Training, AListOfNoModulesHasNoParametersToTrain) {
  const std::string model = "use nn\nuse optim\n"
                            "model M(layers = 0) {\n  a: nn.Linear(2, 2, false)\n"
                            "  b: [nn.Linear(2, 2, false); layers]\n"
                            "  fn loss(x: f32[n, 2]) -> f32 { sum(a(x)) }\n}\n"
                            "export train = minimize(loss, with: optim.sgd(lr: 0.1)";
  Checked checked = check(model + ")");
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_NE(checked.typed.find("train.m.a.weight"), std::string::npos) << checked.typed;
  EXPECT_EQ(checked.typed.find("train.m.b"), std::string::npos) << checked.typed;
  EXPECT_NE(check(model + ", over: b)").diagnostics.find("there is no parameter to train"), std::string::npos);
}

TEST(Training, AModuleIsFrozenAndNamedWhereItIsMade) {
  EXPECT_EQ(check("use nn\nmodel M() {\n  layer: nn.Linear(2, 2)\n  frozen kept: nn.Linear(2, 2)\n"
                  "  frozen tied: [nn.Linear(2, 2), layer]\n  frozen again: kept\n  other: layer as \"head\"\n"
                  "  fn f(x: f32[n, 2]) -> f32[n, 2] { again(other(x)) }\n}\nexport f")
                .diagnostics,
            R"(a.attn:5:10: error: the field `tied` is frozen, and its module `layer` is created elsewhere [misplaced]
    5 |   frozen tied: [nn.Linear(2, 2), layer]
      |          ^~~~
  note: it is created at a.attn:3:3
  hint: write `frozen` there

a.attn:7:19: error: the field `other` is named for checkpoints, and its module `layer` is created elsewhere [misplaced]
    7 |   other: layer as "head"
      |                   ^~~~~~
  note: it is created at a.attn:3:3
  hint: write `as` there
)");
}

TEST(Training, AccumulatesOneBatchAtLeast) {
  EXPECT_EQ(check("use optim\nmodel M() {\n  w: f32[2] = ones\n  fn loss(x: f32[2]) -> f32 { dot(x, w) }\n}\n"
                  "export train = minimize(loss, with: optim.sgd(lr: 0.1), accumulate: 0)")
                .diagnostics,
            R"(a.attn:6:69: error: a step accumulates the gradients of 0 batches, expected at least 1 [bad-size]
    6 | export train = minimize(loss, with: optim.sgd(lr: 0.1), accumulate: 0)
      |                                                                     ^
)");
}

TEST(Training, AStopLetsAPlaceBe) {
  const char *text = "use optim\nmodel M() {\n  w: f32[4] = ones\n  frozen v: f32[4] = ones\n"
                     "  fn loss(x: f32[n, 4]) -> f32 {\n"
                     "    let a = [i] => argmax c => x[i, c] * v[c]\n"
                     "    sum(w[argmax(WHAT)] * f32(a)) + sum(if w > 0.0 then w else f32(i32(x[0])))\n  }\n}\n"
                     "export train = minimize(loss, with: optim.sgd(lr: 0.1))";
  auto with = [&](const std::string &what) {
    std::string program = text;
    return check(program.replace(program.find("WHAT"), 4, what)).diagnostics;
  };
  EXPECT_EQ(with("x * stop(w), axis: 1"), "");
  EXPECT_NE(with("x * w, axis: 1")
                .find("no gradient passes through `argmax`, and its argument depends on parameters "
                      "that are trained [no-gradient]"),
            std::string::npos);
}

TEST(Prelude, ACopyUnderAnotherNameIsTheSame) {
  std::string program = "\nmodel M(d = 8) {\n  a: nn.MultiHeadAttention(d, 2)\n"
                        "  fn f(x: f32[b, n, d]) -> f32[b, n, d] { gelu(a(x)) }\n}\n";
  std::string copied = program;
  for (size_t at; (at = copied.find("nn.M")) != std::string::npos;)
    copied.replace(at, 3, "copy.");
  std::string folder = testing::TempDir();
  std::ofstream(folder + "/copy.attn") << *preludeText("nn");
  Checked original = check("use nn" + program), copy = check("use copy" + copied, {}, folder + "/a.attn");
  EXPECT_EQ(copy.diagnostics, "");
  EXPECT_NE(original.typed, "");
  EXPECT_EQ(original.typed, copy.typed);
}

TEST(Prelude, IsWhatAFileOfItsNameUses) {
  std::string program = "use vision\nfn f(x: f32[b, 4, 4, 1]) -> f32 { sum(vision.max_pool(x)) }\n";
  std::string name = testing::TempDir() + "/vision.attn";
  std::ofstream(name) << program;
  EXPECT_EQ(check(program, {}, name).diagnostics, "");
  EXPECT_EQ(check(program, {}, "vision.attn").diagnostics, "");
  EXPECT_NE(check("use mine\nfn f(x: f32) -> f32 { x }\n", {}, "mine.attn").diagnostics.find("there is no file"),
            std::string::npos);
}

TEST(Prelude, APathNamesAFileInAFolderAndNoFileOfThePrelude) {
  std::string folder = testing::TempDir() + "/library";
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/twice.attn") << "fn doubled(x: f32[n]) -> f32[n] { 2.0 * x }\n";
  std::string name = testing::TempDir() + "/a.attn";
  EXPECT_EQ(check("use library.twice\nfn f(x: f32[n]) -> f32[n] { twice.doubled(doubled(x)) }\n", {}, name).diagnostics,
            "");
  EXPECT_NE(check("use library.nn\nfn f(x: f32) -> f32 { x }\n", {}, name).diagnostics.find("there is no file"),
            std::string::npos);
}

TEST(Ranges, ThePlaceInIotaIsAnIndexItself) {
  auto rows = [](const std::string &bound) {
    return check("model M(context = 16) {\n  table: f32[context, 4] = normal(0.02)\n"
                 "  fn f(x: f32[seq" +
                 bound + ", 4]) -> f32[seq, 4] { x + table[iota(seq)] }\n}\n");
  };
  Checked bounded = rows(" <= context"), unbounded = rows("");
  EXPECT_EQ(bounded.diagnostics, "");
  EXPECT_EQ(bounded.typed.find('?'), std::string::npos) << bounded.typed;
  EXPECT_NE(unbounded.diagnostics.find("[out-of-range]"), std::string::npos) << unbounded.diagnostics;
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

} // namespace
