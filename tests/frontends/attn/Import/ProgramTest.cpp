// Tests models: parameters, lists of modules, entry points, and the attributes of the IR module.

#include "tests/frontends/attn/Import/Imported.h"

#include "dialects/Model/Model.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <fmt/format.h>

using namespace attnc;

namespace {

const char *const layers = R"(
model M(layers = 3) {
  blocks: [Block(); layers]
  shift: f32[2] = ones as "s"
  fn f(x: f32[n, 2]) -> f32[n, 2] {
    var y = x
    for block in blocks { y = block(y) }
    y + shift
  }
}
module Block() {
  gain: f32[2] = normal(0.02) as "g"
  frozen bias: f32[2] = zeros
  fn (x: f32[n, 2]) -> f32[n, 2] { x * gain + bias }
}
)";

TEST(Program, EqualModulesAreALoop) {
  Parameters parameters = {{"s", floats({2}, {100, 200})}};
  for (int i = 0; i < 3; ++i) {
    parameters["blocks." + std::to_string(i) + ".g"] = floats({2}, {2, 3});
    parameters["blocks." + std::to_string(i) + ".bias"] = floats({2}, {1.0 * i, 0});
  }
  // ((1 * 2 + 0) * 2 + 1) * 2 + 2 = 12
  EXPECT_THAT(valuesOf(layers, {floats({1, 2}, {1, 1})}, parameters), are({112, 227}));
  Imported imported(layers);
  int loops = 0;
  imported.module->walk([&](mlir::scf::ForOp) { ++loops; });
  EXPECT_EQ(loops, 1);
}

TEST(Program, Parameters) {
  Imported imported(layers);
  std::vector<std::string> texts;
  for (auto parameter : imported.module->getOps<mlir::model::ParameterOp>()) {
    std::string text;
    llvm::raw_string_ostream(text) << parameter;
    texts.push_back(text);
  }
  EXPECT_THAT(
      texts,
      testing::ElementsAre(
          R"(model.parameter @blocks.gain [3] : tensor<2xf32> checkpoint "blocks.{0}.g" init <"normal", 0.000000e+00 : f64, 2.000000e-02 : f64>)",
          R"(model.parameter @blocks.bias [3] : tensor<2xf32> checkpoint "blocks.{0}.bias" init <"zeros", 0.000000e+00 : f64, 0.000000e+00 : f64> {frozen})",
          R"(model.parameter @shift : tensor<2xf32> checkpoint "s" init <"ones", 0.000000e+00 : f64, 0.000000e+00 : f64>)"));
}

TEST(Program, DifferentModulesAreWrittenOut) {
  std::string text = R"(
model M() {
  parts: [Part(2 ** l) for l < 3]
  fn f(x: f32[n]) -> f32[n] {
    var y = x
    for part in parts { y = part(y) }
    y
  }
}
module Part(width) {
  w: f32[width] = ones
  fn (x: f32[n]) -> f32[n] { x + sum(w) }
}
)";
  Parameters parameters = {{"parts.0.w", floats({1}, {1})},
                           {"parts.1.w", floats({2}, {10, 10})},
                           {"parts.2.w", floats({4}, {100, 100, 100, 100})}};
  EXPECT_THAT(valuesOf(text, {floats({2}, {0, 1})}, parameters), are({421, 422}));
  int loops = 0;
  Imported(text).module->walk([&](mlir::scf::ForOp) { ++loops; });
  EXPECT_EQ(loops, 0);
}

TEST(Program, EntryPointsSayWhatTheyAre) {
  Imported imported("/// Sums rows.\nfn f(x: f32[batch, seq <= 16]) -> (rows: f32[batch], twice: f32[2 * seq]) {\n"
                    "  (sum(x, axis: 1), zeros(2 * seq))\n}\n");
  auto function = imported.module->lookupSymbol<mlir::func::FuncOp>("f");
  auto text = [](mlir::Attribute attribute) {
    std::string result;
    llvm::raw_string_ostream(result) << attribute;
    return result;
  };
  EXPECT_TRUE(function->hasAttr("model.entry"));
  EXPECT_EQ(text(function->getAttr("model.dimensions")),
            R"([#model.dimension<"batch", -1>, #model.dimension<"seq", 16>])");
  EXPECT_EQ(text(function->getAttr("model.doc")), R"("Sums rows.")");
  Imported last("fn f(x: f32[seq <= 16]) -> f32 { x[seq - 1] }\n");
  EXPECT_EQ(text(last.module->lookupSymbol("f")->getAttr("model.dimensions")), R"([#model.dimension<"seq", 16, 1>])");
  EXPECT_EQ(text(function.getArgAttrDict(0)), R"({model.name = "x", model.shape = ["batch", "seq"]})");
  EXPECT_EQ(text(function.getResultAttrDict(1)), R"({model.name = "twice", model.shape = ["2*seq"]})");
  EXPECT_EQ(text(function.getResultAttrDict(0)), R"({model.name = "rows", model.shape = ["batch"]})");
}

TEST(Program, EveryOpHasAPlaceInTheSource) {
  Imported imported("fn f(x: f32[n]) -> f32[n] {\n  tanh(x) +\n    exp(x)\n}\n");
  std::vector<std::string> places;
  imported.module->walk([&](mlir::Operation *op) {
    if (llvm::isa<mlir::ModuleOp>(op))
      return;
    auto place = llvm::dyn_cast<mlir::FileLineColRange>(op->getLoc());
    EXPECT_TRUE(place) << op->getName().getStringRef().str();
    if (place && op->getName().getStringRef().starts_with("math."))
      places.push_back(fmt::format("{}:{}:{}-{}:{}", place.getFilename().str(), place.getStartLine(),
                                   place.getStartColumn(), place.getEndLine(), place.getEndColumn()));
  });
  EXPECT_THAT(places, testing::ElementsAre("a.attn:2:3-2:10", "a.attn:3:5-3:11"));
}

TEST(Program, ResultsMayBeArgumentsAndNumbers) {
  auto results =
      run("fn f(x: f32[n]) -> (same: f32[n], size: i32, half: f32) { (x, i32(n), 0.5) }", {floats({2}, {3, 4})});
  EXPECT_THAT(results[0].values, are({3, 4}));
  EXPECT_THAT(results[1].values, are({2}));
  EXPECT_THAT(results[2].values, are({0.5}));
}

} // namespace
