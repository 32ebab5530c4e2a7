// Tests `with` and `frozen at` of fields, which select the modules in a field by their names in checkpoints.
#include "tests/frontends/attn/Check/Checked.h"

#include <gtest/gtest.h>

using namespace attnc;

namespace {

const std::string network = R"(use nn
use optim
module Layer(dim) {
  q: nn.Linear(dim, dim, false) as "attention.q_proj"
  o: nn.Linear(dim, dim, false) as "attention.o_proj"
  fn (x: f32[.., dim]) -> f32[.., dim] { x + o(q(x)) }
}
module Net(dim, layers) {
  stack: [Layer(dim); layers] as "layers"
  head: [nn.Linear(dim, 2) for l < 1] as "heads"
  fn (x: f32[.., dim]) -> f32[.., 2] {
    var y = x
    for layer in stack { y = layer(y) }
    head[0](y)
  }
}
module Scaled(base, by = 2.0) {
  gain: f32 = constant(by) as "scales.{..}.gain"
  sum: nn.Linear(base.inputs, base.outputs, false) as "q_proj"
  fn (x: f32[.., base.inputs]) -> f32[.., base.outputs] { gain * base(x) + sum(x) }
}
)";

/// The parameters of the network as a field, with their names in checkpoints, and the errors.
std::string parametersOf(const std::string &field) {
  Checked checked = check(network + "model M() {\n  " + field +
                          "\n  fn loss(x: f32[n, 4]) -> f32 { mean(net(x)) }\n}\n"
                          "export loss\nexport train = minimize(loss, with: optim.sgd(lr: 0.1))\n");
  std::string text = checked.diagnostics;
  std::istringstream lines(checked.typed);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("parameter ") && !line.starts_with("parameter train."))
      text += line.substr(10) + "\n";
  return text;
}

TEST(PartRules, AModuleAroundOthersTakesTheirPlace) {
  EXPECT_EQ(
      parametersOf(R"(frozen net: Net(4, 3) as "model" with Scaled(by: 0.5) at "q_proj", "heads.*")"),
      R"(net.stack.q.base.weight[3]: f32[4, 4] = normal(0, 0.02) as "model.layers.{0}.attention.q_proj.weight" frozen
net.stack.q.gain[3]: f32 = constant(0.5, 0) as "scales.model.layers.{0}.attention.q_proj.gain"
net.stack.q.sum.weight[3]: f32[4, 4] = normal(0, 0.02) as "model.layers.{0}.attention.q_proj.q_proj.weight"
net.stack.o.weight[3]: f32[4, 4] = normal(0, 0.02) as "model.layers.{0}.attention.o_proj.weight" frozen
net.head.0.base.weight: f32[2, 4] = normal(0, 0.02) as "model.heads.0.weight" frozen
net.head.0.base.bias: f32[2] = zeros(0, 0) as "model.heads.0.bias" frozen
net.head.0.gain: f32 = constant(0.5, 0) as "scales.model.heads.0.gain"
net.head.0.sum.weight: f32[2, 4] = normal(0, 0.02) as "model.heads.0.q_proj.weight"
)");
}

TEST(PartRules, FrozenPartsAreModulesAndParameters) {
  EXPECT_EQ(parametersOf(R"(net: Net(4, 3) as "" frozen at "attention.o_proj", "bias")"),
            R"(net.stack.q.weight[3]: f32[4, 4] = normal(0, 0.02) as "layers.{0}.attention.q_proj.weight"
net.stack.o.weight[3]: f32[4, 4] = normal(0, 0.02) as "layers.{0}.attention.o_proj.weight" frozen
net.head.0.weight: f32[2, 4] = normal(0, 0.02) as "heads.0.weight"
net.head.0.bias: f32[2] = zeros(0, 0) as "heads.0.bias" frozen
)");
}

TEST(PartRules, TheInnermostModuleIsPutAroundAPart) {
  std::string typed = check(network + R"(module Outer() {
  net: Net(4, 3) with Scaled() at "q_proj" frozen at "o_proj"
  fn (x: f32[.., 4]) -> f32[.., 2] { net(x) }
}
model M() {
  outer: Outer() with Scaled(by: 3.0) at "q_proj", "heads.*" frozen at "heads.*"
  fn f(x: f32[n, 4]) -> f32[n, 2] { outer(x) }
}
export f
)")
                          .typed;
  EXPECT_EQ(typed.substr(0, typed.find("entry")), R"(model M
parameter outer.net.stack.q.base.weight[3]: f32[4, 4] = normal(0, 0.02) as "outer.net.layers.{0}.attention.q_proj.weight"
parameter outer.net.stack.q.gain[3]: f32 = constant(2, 0) as "scales.outer.net.layers.{0}.attention.q_proj.gain"
parameter outer.net.stack.q.sum.weight[3]: f32[4, 4] = normal(0, 0.02) as "outer.net.layers.{0}.attention.q_proj.q_proj.weight"
parameter outer.net.stack.o.weight[3]: f32[4, 4] = normal(0, 0.02) as "outer.net.layers.{0}.attention.o_proj.weight" frozen
parameter outer.net.head.0.base.weight: f32[2, 4] = normal(0, 0.02) as "outer.net.heads.0.weight" frozen
parameter outer.net.head.0.base.bias: f32[2] = zeros(0, 0) as "outer.net.heads.0.bias" frozen
parameter outer.net.head.0.gain: f32 = constant(3, 0) as "scales.outer.net.heads.0.gain"
parameter outer.net.head.0.sum.weight: f32[2, 4] = normal(0, 0.02) as "outer.net.heads.0.q_proj.weight"
)");
}

TEST(PartRules, WordsThatSelectNothingAreErrors) {
  EXPECT_EQ(
      parametersOf(R"(net: Net(4, 3) with Scaled() at "q_prj", "proj" frozen at "0.q_proj")"),
      R"(a.attn:23:35: error: the field `net` has no module whose name in checkpoints ends in "q_prj" [unknown-name]
   23 |   net: Net(4, 3) with Scaled() at "q_prj", "proj" frozen at "0.q_proj"
      |                                   ^~~~~~~
  hint: did you mean "q_proj"?

a.attn:23:44: error: the field `net` has no module whose name in checkpoints ends in "proj" [unknown-name]
   23 |   net: Net(4, 3) with Scaled() at "q_prj", "proj" frozen at "0.q_proj"
      |                                            ^~~~~~

a.attn:23:61: error: the field `net` has no module or parameter whose name in checkpoints ends in "0.q_proj" [unknown-name]
   23 |   net: Net(4, 3) with Scaled() at "q_prj", "proj" frozen at "0.q_proj"
      |                                                             ^~~~~~~~~~
  hint: an index of a list is "*", because its modules are selected together
)");
}

TEST(PartRules, TheModuleAroundIsACallWithoutItsFirstHyperparameter) {
  EXPECT_NE(parametersOf(R"(net: Net(4, 3) with Scaled at "q_proj")")
                .find("error: `with` needs a module with its hyperparameters, the first of which is the module"),
            std::string::npos);
  EXPECT_NE(parametersOf(R"(net: Net(4, 3) with Scaled(1.0, 2.0) at "q_proj")").find("`Scaled` takes 2 arguments"),
            std::string::npos);
}

TEST(PartRules, TheModuleInsideHasWhatTheOneAroundReads) {
  std::string messages = parametersOf(R"(net: Net(4, 3) with Scaled() at "layers.*")");
  EXPECT_EQ(messages.substr(0, messages.find('\n')), "a.attn:19:23: error: `Layer` has no `inputs` [unknown-name]");
  // The last message; functions of modules with errors have no results, which is not a further mistake.
  EXPECT_EQ(messages.substr(messages.rfind("a.attn:23")),
            R"(a.attn:23:23: error: `Scaled` cannot be put around "net.layers.{0}", a module `Layer` [not-a-module]
   23 |   net: Net(4, 3) with Scaled() at "layers.*"
      |                       ^~~~~~~~
  note: it is declared at a.attn:17:8
)");
}

TEST(PartRules, AParameterHasNoParts) {
  EXPECT_EQ(
      check("model M() {\n  w: f32[2] = ones frozen at \"w\"\n  fn f(x: f32[2]) -> f32[2] { w * x }\n}\n").diagnostics,
      R"(a.attn:2:3: error: the field `w` is a parameter, which has no parts [misplaced]
    2 |   w: f32[2] = ones frozen at "w"
      |   ^
)");
}

TEST(PartRules, WordsAreWhole) {
  auto isFrozen = [](const std::string &words) {
    return parametersOf("net: Net(4, 3) frozen at \"" + words + "\"").find("frozen\n") != std::string::npos;
  };
  EXPECT_TRUE(isFrozen("q_proj"));
  EXPECT_TRUE(isFrozen("net.layers.*.attention.q_proj"));
  EXPECT_TRUE(isFrozen("layers.*.attention.*"));
  EXPECT_TRUE(isFrozen("heads.0"));
  EXPECT_NE(parametersOf("net: Net(4, 3) frozen at \"net\"").find("there is no parameter to train"), std::string::npos);
  EXPECT_FALSE(isFrozen("proj"));
  EXPECT_FALSE(isFrozen("layers.0.attention.q_proj"));
  EXPECT_FALSE(isFrozen("*.net"));
  EXPECT_FALSE(isFrozen(""));
}

} // namespace
