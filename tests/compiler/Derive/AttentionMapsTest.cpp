// Compares attention weights of derived entry points, on the oracle, with weights that a model yields itself.
#include "compiler/Derive/AttentionMaps.h"
#include "compiler/Derive/Derive.h"
#include "dialects/Model/Model.h"
#include "mlir/Pass/PassManager.h"
#include "tests/frontends/attn/Import/Imported.h"
#include <random>

using namespace attnc;

namespace {

constexpr const char *attentionProgram = R"(
module Layer(dim) {
  w: f32[dim, dim] = normal(0.5)
  fn (x: f32[n, dim]) -> f32[n, dim] {
    let q = x @ w
    x + [i] => attend j { score: dot(q[i], x[j]), mask: j <= i, value: x[j] }
  }
  fn map(x: f32[n, dim]) -> f32[n, n] {
    let q = x @ w
    [i] => attend j { score: dot(q[i], x[j]), mask: j <= i }
  }
}
model M(dim = 3) {
  layers: [Layer(dim); 2]
  fn f(x: f32[n, dim], y: f32[m, dim]) -> f32[n, dim] {
    var h = x
    for layer in layers { h = layer(h) }
    [i] => attend j { score: dot(h[i], y[j]), value: y[j] }
  }
  fn first(x: f32[n, dim]) -> f32[n, n] { layers[0].map(x) }
  fn second(x: f32[n, dim]) -> f32[n, n] { layers[1].map(layers[0](x)) }
  fn third(x: f32[n, dim], y: f32[m, dim]) -> f32[n, m] {
    var h = x
    for layer in layers { h = layer(h) }
    [i] => attend j { score: dot(h[i], y[j]) }
  }
}
export maps = attention(f)
export first
export second
export third
)";

class Maps : public testing::Test {
protected:
  Maps() : imported(attentionProgram) {
    mlir::PassManager passes(imported.context.get());
    buildDerivePipeline(passes);
    derived = imported.module && succeeded(passes.run(*imported.module));
    for (int layer = 0; layer < 2; ++layer)
      parameters["layers." + std::to_string(layer) + ".w"] = random({3, 3});
  }

  Array random(llvm::ArrayRef<int64_t> shape) {
    Array array(Element::F32, shape);
    for (double &value : array.values)
      value = std::normal_distribution<double>()(engine);
    return array;
  }

  std::vector<Array> call(llvm::StringRef name, llvm::ArrayRef<Array> inputs) {
    auto results = interpret(imported.module->lookupSymbol<mlir::func::FuncOp>(name), inputs, parameters);
    EXPECT_TRUE(bool(results)) << (results ? "" : llvm::toString(results.takeError()));
    return results ? *results : std::vector<Array>();
  }

  Imported imported;
  Parameters parameters;
  std::mt19937 engine{5};
  bool derived = false;
};

constexpr const char *scans = R"(
fn step(x: f32[n, d], s: f32[d]) -> (s: f32[d], w: f32[n]) {
  let (read, w) = attend j { score: dot(x[j], s), value: x[j] } yields (value, weights)
  (s + read, w)
}
fn ahead(x: f32[n, d]) -> (s: f32[d], all: f32[n, n]) {
  scan t over n carry (s = x[0]) {
    let (next, w) = step(x, s * x[t])
    s = next
  } -> (s, w[t])
}
fn back(x: f32[n, d]) -> (s: f32[d], all: f32[n, n]) {
  scan t over n backward carry (s = x[0]) {
    let (next, w) = step(x, s * x[t])
    s = next
  } -> (s, w[t])
}
export ahead
export back
export maps_ahead = attention(ahead)
export maps_back = attention(back)
)";

TEST(MapsOfScans, AreInTheOrderOfTheSteps) {
  Imported imported(scans);
  mlir::PassManager passes(imported.context.get());
  buildDerivePipeline(passes);
  ASSERT_TRUE(succeeded(passes.run(*imported.module)));
  Array x = floats({3, 2}, {0.5, -1, 1.5, 0.25, -0.75, 1});
  auto resultsOf = [&](llvm::StringRef name) {
    auto results = interpret(imported.module->lookupSymbol<mlir::func::FuncOp>(name), {x});
    EXPECT_TRUE(bool(results)) << (results ? "" : llvm::toString(results.takeError()));
    return results ? *results : std::vector<Array>(2);
  };
  EXPECT_THAT(resultsOf("maps_ahead")[0].values, are(resultsOf("ahead")[1].values));
  EXPECT_THAT(resultsOf("maps_back")[0].values, are(resultsOf("back")[1].values));
}

} // namespace

TEST_F(Maps, AreTheWeightsOfEachAttendInOrder) {
  ASSERT_TRUE(derived);
  Array x = random({4, 3}), y = random({5, 3});
  std::vector<Array> maps = call("maps", {x, y});
  ASSERT_EQ(maps.size(), 2u);
  EXPECT_EQ(maps[0].shape, (llvm::SmallVector<int64_t>{2, 4, 4}));
  EXPECT_EQ(maps[1].shape, (llvm::SmallVector<int64_t>{4, 5}));
  std::vector<double> ofLayers = call("first", {x})[0].values, second = call("second", {x})[0].values;
  ofLayers.insert(ofLayers.end(), second.begin(), second.end());
  EXPECT_EQ(maps[0].values, ofLayers);
  EXPECT_EQ(maps[1].values, call("third", {x, y})[0].values);
}

TEST(MapsOfOneLoop, MayBeSeveral) {
  Imported imported(R"(
module Layer(dim) {
  w: f32[dim] = ones
  fn (x: f32[n, dim]) -> f32[n, dim] {
    let y = [i] => attend j { score: dot(x[i] * w, x[j]), mask: j <= i, value: x[j] }
    [i] => attend j { score: dot(y[i] * w, y[j]), value: y[j] }
  }
}
model M(dim = 3) {
  layers: [Layer(dim); 2]
  fn f(x: f32[n, dim]) -> f32[n, dim] {
    var y = x
    for layer in layers { y = layer(y) }
    y
  }
}
export maps = attention(f)
)");
  ASSERT_TRUE(imported.module);
  mlir::PassManager passes(imported.context.get());
  buildDerivePipeline(passes);
  ASSERT_TRUE(succeeded(passes.run(*imported.module)));
  auto maps = imported.module->lookupSymbol<mlir::func::FuncOp>("maps");
  EXPECT_EQ(maps.getNumResults(), 2u);
}

TEST_F(Maps, AreResultsWithNamesAndSizes) {
  ASSERT_TRUE(derived);
  auto maps = imported.module->lookupSymbol<mlir::func::FuncOp>("maps");
  ASSERT_EQ(maps.getNumResults(), 2u);
  EXPECT_EQ(maps.getResultAttrOfType<mlir::StringAttr>(1, mlir::model::nameAttrName).getValue(), "weights2");
  auto shape = maps.getResultAttrOfType<mlir::ArrayAttr>(0, mlir::model::shapeAttrName);
  EXPECT_EQ(mlir::cast<mlir::StringAttr>(shape[0]).getValue(), "2");
  EXPECT_EQ(mlir::cast<mlir::StringAttr>(shape[2]).getValue(), "n");
  EXPECT_FALSE(maps->hasAttr(mlir::model::attentionAttrName));
}
