// Tests how the checker types modules, lists of modules and loops over them, and hyperparameters.

#include "tests/frontends/attn/Check/Checked.h"

#include <filesystem>
#include <gtest/gtest.h>

using namespace attnc;

namespace {

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

TEST(Modules, HaveOneFunctionWithoutAName) {
  EXPECT_EQ(check("module S(d) {\n  fn (x: f32[d]) -> f32[d] { x }\n  fn (x: f32[d]) -> f32[d] { x + x }\n}\n"
                  "fn f(x: f32[2]) -> f32[2] { x }\n")
                .firstLine(),
            "a.attn:3:3: error: a module has one function without a name, but this is another one [already-defined]");
}

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

/// A period of two layers of one kind and one of another, and two layers at the end.
static const char periodic[] = R"(
module Layer() {
  gain: f32[4] = ones
  fn (x: f32[4]) -> f32[4] { x * gain }
}
module Group(period) {
  local: [Layer(); 2] as "{period * {0} + {1}}"
  full: Layer() as "{ 3*{0}+2 }"
}
model M(groups = 2) {
  parts: [Group(3); groups] as "layers{}"
  tail: [Layer(); 2] as "layers.{6 + {0}}"
  fn f(x: f32[4]) -> f32[4] {
    var y = x
    for group in parts {
      for layer in group.local { y = layer(y) }
      y = group.full(y)
    }
    for layer in tail { y = layer(y) }
    y
  }
}
)";

TEST(Modules, NamesInCheckpointsCountAcrossLists) {
  Checked checked = check(periodic, {});
  EXPECT_EQ(checked.diagnostics, "");
  for (const char *name : {"as \"layers.{0*3+1}.gain\"", "as \"layers.{0*3+#2}.gain\"", "as \"layers.{0+#6}.gain\""})
    EXPECT_NE(checked.typed.find(name), std::string::npos) << name << "\n" << checked.typed;
}

static std::string periodicWith(const std::string &from, const std::string &to) {
  std::string program = periodic;
  return program.replace(program.find(from), from.size(), to);
}

TEST(Modules, NamesThatMeetAcrossListsAreErrors) {
  EXPECT_EQ(check(periodicWith("{6 + {0}}", "{5 + {0}}")).firstLine(),
            "a.attn:3:3: error: two parameters have the name `layers.5.gain` in checkpoints [duplicate-checkpoint]");
  EXPECT_EQ(check(periodicWith("\"layers.{6 + {0}}\"", "\"layers\"")).firstLine(),
            "a.attn:3:3: error: two parameters have the name `layers.0.gain` in checkpoints [duplicate-checkpoint]");
  EXPECT_EQ(check(periodicWith("{period * {0} + {1}}", "{period * {0}}{}")).firstLine(),
            "a.attn:3:3: error: two parameters have the name `layers.0.gain` in checkpoints [duplicate-checkpoint]");
}

TEST(Modules, IndicesInNamesAreSumsOfProducts) {
  const std::string begin = "a.attn:8:3: error: the name \"", end = " [bad-checkpoint-name]";
  EXPECT_EQ(check(periodicWith("{ 3*{0}+2 }", "{2 * {0} * {0}}")).firstLine(),
            begin + "{2 * {0} * {0}}\" in checkpoints has a wrong index: `2 * {0} * {0}` is a product of two indices" +
                end);
  for (std::string factor : {"{1}", "x", "sum", "-1", "1234567", ""})
    EXPECT_EQ(check(periodicWith("{ 3*{0}+2 }", "{{0} + " + factor + "}")).firstLine(),
              begin + "{{0} + " + factor + "}\" in checkpoints has a wrong index: `" + factor +
                  "` is neither a number nor one of the lists around the field, {0} to {0}" + end);
}

TEST(Modules, IndicesInNamesAreInBracesAndSmall) {
  const std::string begin = "a.attn:8:3: error: the name \"", end = " [bad-checkpoint-name]";
  for (std::string text : {"{#5}", "{0*6}", "{0*}", "{0+1}"})
    EXPECT_EQ(check(periodicWith("{ 3*{0}+2 }", text)).firstLine(),
              begin + text + "\" in checkpoints has a wrong index: `" + text + "` has no index in braces" + end);
  EXPECT_EQ(check(periodicWith("{ 3*{0}+2 }", "{50000 * 100000 * {0}}")).firstLine(),
            begin +
                "{50000 * 100000 * {0}}\" in checkpoints has a wrong index: `50000 * 100000 * {0}` exceeds 2147483647" +
                end);
}

TEST(Modules, NamesOfPartsAreThoseOfAllElements) {
  auto named = [](const std::string &other) {
    return check("model M() {\n  a: f32[2, 3] = ones as \"e.[].w\"\n  b: " + other +
                 "\n  fn f(x: f32[3]) -> f32[3] { x * a[0] }\n}\n")
        .firstLine();
  };
  EXPECT_EQ(named("f32[3] = ones as \"e.2.w\""), "");
  EXPECT_EQ(named("f32[3] = ones as \"e.1.w\""),
            "a.attn:3:3: error: two parameters have the name `e.1.w` in checkpoints [duplicate-checkpoint]");
  EXPECT_EQ(named("f32[4] = ones as \"e.[].w\""),
            "a.attn:3:3: error: two parameters have the name `e.[].w` in checkpoints [duplicate-checkpoint]");
  EXPECT_EQ(named("f32 = 1 as \"b[]\""),
            "a.attn:3:3: error: the name \"b[]\" in checkpoints has `[]`, which stands for the indices of the first "
            "dimension, but the parameter has no dimension [bad-checkpoint-name]");
}

TEST(Modules, EmptyListsTakeNoNames) {
  std::string program = periodic;
  program.replace(program.find("{6 + {0}}"), 9, "{0 + {0}}");
  EXPECT_NE(check(program).diagnostics, "");
  EXPECT_EQ(check(program, {{"groups", "0"}}).diagnostics, "");
}

TEST(Modules, NamesWithoutTheIndexOfAListAreErrors) {
  EXPECT_EQ(check(R"(module Layer() { gain: f32[4] = ones }
model M() {
  layers: [Layer(); 2] as "h{}"
  fn f(x: f32[4]) -> f32[4] { x * layers[0].gain }
}
)")
                .firstLine(),
            "a.attn:1:18: error: two parameters have the name `h.gain` in checkpoints [duplicate-checkpoint]");
}

TEST(Modules, OtherTextInBracesStandsForItself) {
  Checked checked = check(periodicWith("{ 3*{0}+2 }", "{0}x.{9}.{x}.{"));
  EXPECT_NE(checked.typed.find("as \"layers.{0}x.{9}.{x}.{.gain\""), std::string::npos) << checked.typed;
}

TEST(Modules, NamesInListsOfDifferentModulesHaveTheirIndices) {
  Checked checked = check(R"(
module Part(n) {
  gain: f32[n] = ones as "{10 * {0} + 1}"
}
model M() {
  parts: [Part(l + 1) for l < 3] as "p{}"
  fn f(x: f32[m]) -> f32 { sum(x) + sum(parts[0].gain) + sum(parts[2].gain) }
}
)");
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_NE(checked.typed.find("as \"p.21\""), std::string::npos) << checked.typed;
}

TEST(Modules, SettingsNameFunctionsAndModules) {
  const std::string program = R"(use nn
fn double(x: f32[..]) -> f32[..] { 2.0 * x }
module Scale(dim) {
  gain: f32[dim] = ones
  fn (x: f32[.., dim]) -> f32[.., dim] { x * gain }
}
model M(layer = nn.RmsNorm, act = tanh) {
  first: layer(4)
  fn f(x: f32[n, 4]) -> f32[n, 4] { act(first(x)) }
}
)";
  Checked checked = check(program, {{"layer", "Scale"}, {"act", "double"}});
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_NE(checked.typed.find("set layer = Scale\nset act = double\nparameter first.gain"), std::string::npos)
      << checked.typed;
  EXPECT_NE(checked.typed.find("mul(2.0, "), std::string::npos) << checked.typed;
  checked = check(program, {{"layer", "nn.LayerNorm"}, {"act", "exp"}});
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_NE(checked.typed.find("set layer = LayerNorm\nset act = exp\nparameter first.gain"), std::string::npos)
      << checked.typed;
  for (const char *unknown : {"Scales", "nn", "nn.Linearity", "Scale.gain", "nn.nn.Linear", "."})
    EXPECT_NE(check(program, {{"layer", unknown}}).diagnostics.find("which is not a number, true or false"),
              std::string::npos)
        << unknown;
}

TEST(Modules, FunctionsOfUsedFilesAreExported) {
  Checked checked = check("use metrics\nexport f1_score\nexport r = correlation\n");
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_NE(checked.typed.find("entry f1_score(both: f32, found: f32, wanted: f32)"), std::string::npos);
  EXPECT_NE(checked.typed.find("entry r(count: f32, x: f32"), std::string::npos);
  EXPECT_NE(check("use metrics\nexport f2_score\n").diagnostics.find("did you mean `f1_score`?"), std::string::npos);
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

TEST(Modules, AnUnusedModuleTakesNoNameInCheckpoints) {
  std::string parameter = " { w: f32[d] = ones\n fn(x: f32[.., d]) -> f32[.., d] { x * w } }\n";
  EXPECT_EQ(check("module B(d)" + parameter + "module A(d = 4)" + parameter +
                  "model M() { A: B(4)\n fn f(x: f32[n, 4]) -> f32[n, 4] { A(x) } }\n")
                .firstLine(),
            "");
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
  std::string model = "use optim\nmodel M() {\n  w: f32[2] = ones\n  fn loss(x: f32[2]) -> f32 { dot(x, w) }\n}\n";
  EXPECT_NE(check(model + "export train = minimize(loss, with: optim.sgd(lr: 0.1), accumulate: 65537)")
                .diagnostics.find("of 65537 batches, expected 1 to 65536"),
            std::string::npos);
  EXPECT_EQ(check(model + "export train = minimize(loss, with: optim.sgd(lr: 0.1), accumulate: 0)").diagnostics,
            R"(a.attn:6:69: error: a step accumulates the gradients of 0 batches, expected 1 to 65536 [bad-size]
    6 | export train = minimize(loss, with: optim.sgd(lr: 0.1), accumulate: 0)
      |                                                                     ^
)");
}

TEST(Training, HasMetricsBesideTheLoss) {
  std::string model =
      "use optim\nmodel M() {\n  w: f32[2] = ones\n  fn loss(x: f32[2]) -> (loss: f32, reward: TYPE) {\n"
      "    (dot(x, w), VALUE)\n  }\n}\nexport train = minimize(loss, with: optim.sgd(lr: 0.1))";
  auto with = [&](const std::string &type, const std::string &value) {
    std::string text = model;
    text.replace(text.find("TYPE"), 4, type);
    text.replace(text.find("VALUE"), 5, value);
    return check(text).diagnostics;
  };
  EXPECT_EQ(with("f32", "sum(x)"), "");
  EXPECT_NE(with("f32[2]", "x").find("`minimize` needs one f32, but this function returns `reward: f32[2]`"),
            std::string::npos);
  EXPECT_NE(with("i32", "3").find("`minimize` needs one f32, but this function returns `reward: i32`"),
            std::string::npos);
}

TEST(Training, AStopLetsAPlaceBe) {
  const char *text = "use optim\nmodel M() {\n  w: f32[4] = ones\n  frozen v: f32[4] = ones\n"
                     "  fn loss(x: f32[n, 4]) -> f32 {\n"
                     "    let a = [i] => argmax c => x[i, c] * v[c]\n"
                     "    sum(w[argmax(WHAT)] * f32(a)) + sum(if w > 0.0 then w else f32(i32(x[0])))\n  }\n}\n"
                     "export train = minimize(loss, with: optim.sgd(lr: 0.1))";
  auto with = [&](const std::string &what) { return diagnosticsWith(text, "WHAT", what); };
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

TEST(RangeProofs, ThePlaceInIotaIsAnIndexItself) {
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

} // namespace
