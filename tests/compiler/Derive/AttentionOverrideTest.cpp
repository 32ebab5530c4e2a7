// Tests attention with given weights on the oracle: NaN and the model's own weights reproduce its results; others
// replace the weights of the sum.
#include "compiler/Derive/AttentionOverride.h"
#include "compiler/Derive/Derive.h"
#include "dialects/Model/Model.h"
#include "mlir/Pass/PassManager.h"
#include "tests/frontends/attn/Import/Imported.h"
#include <cmath>
#include <random>

using namespace attnc;

namespace {

class Studied {
public:
  explicit Studied(std::string text) : imported(std::move(text)) {
    if (!imported.module)
      return;
    mlir::PassManager passes(imported.context.get());
    buildDerivePipeline(passes);
    isMade = succeeded(addEntriesOfStudy(*imported.module, "f")) && succeeded(passes.run(*imported.module));
  }

  std::vector<Array> call(llvm::StringRef name, std::vector<Array> inputs) {
    auto results = interpret(imported.module->lookupSymbol<mlir::func::FuncOp>(name), inputs, parameters);
    EXPECT_TRUE(bool(results)) << (results ? "" : llvm::toString(results.takeError()));
    return results ? *results : std::vector<Array>(4);
  }

  Array random(llvm::ArrayRef<int64_t> shape) {
    Array array(Element::F32, shape);
    for (double &value : array.values)
      value = std::normal_distribution<double>()(engine);
    return array;
  }

  Imported imported;
  Parameters parameters;
  std::mt19937 engine{7};
  bool isMade = false;
};

Array filled(Array like, double value) {
  std::fill(like.values.begin(), like.values.end(), value);
  return like;
}

constexpr const char *layers = R"(
module Layer(dim) {
  w: f32[dim, dim] = normal(0.5)
  fn (x: f32[n, dim]) -> f32[n, dim] {
    let q = x @ w
    x + [i] => attend j { score: dot(q[i], x[j]), mask: j <= i, value: x[j] }
  }
}
model M(dim = 3) {
  layers: [Layer(dim); 2]
  fn f(x: f32[n, dim], y: f32[m, dim]) -> (out: f32[n, dim], shares: f32[n, m], spread: f32[n]) {
    var h = x
    for layer in layers { h = layer(h) }
    [i] => attend j { score: dot(h[i], y[j]), weight: p => p * p, value: y[j] } yields (value, weights, entropy)
  }
}
export f
export other = attention(f)
)";

class Layers : public testing::Test, public Studied {
protected:
  Layers() : Studied(layers), x(random({4, 3})), y(random({5, 3})) {
    for (int layer = 0; layer < 2; ++layer)
      parameters["layers." + std::to_string(layer) + ".w"] = random({3, 3});
  }
  Array x, y;
};

TEST_F(Layers, WithoutWeightsGiveWhatTheModelGives) {
  ASSERT_TRUE(isMade);
  std::vector<Array> own = call("f.weights", {x, y}), expected = call("f", {x, y});
  ASSERT_EQ(own.size(), 2u);
  std::vector<Array> found = call("f.given", {x, y, filled(own[0], NAN), filled(own[1], NAN)});
  std::vector<Array> same = call("f.given", {x, y, own[0], own[1]});
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_THAT(found[i].values, are(expected[i].values));
    EXPECT_THAT(same[i].values, are(expected[i].values));
  }
}

TEST_F(Layers, TellMaskedPairsFromThoseWithoutWeight) {
  ASSERT_TRUE(isMade);
  x.values[0] = 100; // the later rows give all weight to the first key
  std::vector<Array> own = call("f.weights", {x, y});
  for (int64_t layer = 0; layer < 2; ++layer)
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t j = 0; j < 4; ++j)
        EXPECT_EQ(own[0].values[(layer * 4 + i) * 4 + j] >= 0, j <= i) << layer << ", " << i << ", " << j;
  for (double weight : own[1].values)
    EXPECT_GE(weight, 0); // there is no mask
}

TEST_F(Layers, SumWithTheWeightsOfOneRow) {
  ASSERT_TRUE(isMade);
  std::vector<Array> own = call("f.weights", {x, y}), before = call("f", {x, y});
  Array first = filled(own[0], NAN), last = filled(own[1], NAN);
  for (int64_t key = 0; key < 5; ++key)
    last.values[2 * 5 + key] = key == 3 ? 0.5 : 0;
  std::vector<Array> after = call("f.given", {x, y, first, last});
  std::vector<double> expected = before[0].values;
  for (int64_t d = 0; d < 3; ++d)
    expected[2 * 3 + d] = 0.5 * y.values[3 * 3 + d];
  EXPECT_THAT(after[0].values, are(expected));
  EXPECT_THAT(std::vector<double>(after[1].values.begin() + 10, after[1].values.begin() + 15), are({0, 0, 0, 0.5, 0}));
  EXPECT_THAT(after[2].values, are(before[2].values)); // the entropy is of the computed weights
}

TEST_F(Layers, AttentionBehindOneThatIsChangedSeesThat) {
  ASSERT_TRUE(isMade);
  std::vector<Array> own = call("f.weights", {x, y});
  Array first = filled(own[0], NAN), none = filled(own[1], NAN);
  for (int64_t i = 0; i < 4; ++i) // in the first layer each query attends to itself only
    for (int64_t j = 0; j < 4; ++j)
      first.values[i * 4 + j] = i == j ? 1 : 0;
  Array doubled = x;
  for (double &value : doubled.values)
    value *= 2;
  // The second layer reads 2 x, as if the first layer had passed an input 2 x through.
  Array second = filled(own[0], NAN);
  for (int64_t i = 0; i < 16; ++i)
    second.values[i] = 0;
  EXPECT_THAT(call("f.given", {x, y, first, none})[0].values,
              are(call("f.given", {doubled, y, second, none})[0].values));
}

TEST(AttentionOverride, OfStepsOfAScanAreInTheirOrder) {
  Studied model(R"(
fn f(x: f32[n, d], seed: i32) -> f32[n, d] {
  scan t over n backward carry (s = x[0]) {
    let read = attend j { score: dot(x[j], s), value: x[j] }
    s = read * x[t]
  } -> s[t]
}
export f
)");
  ASSERT_TRUE(model.isMade);
  Array x = model.random({3, 2}), seed(Element::I32, {});
  Array given(Element::F32, {3, 3});
  for (int64_t t = 0; t < 3; ++t)
    given.values[t * 3 + t] = 1; // step t attends to element t
  std::vector<double> expected;
  for (double value : x.values)
    expected.push_back(value * value);
  EXPECT_THAT(model.call("f.given", {x, seed, given})[0].values, are(expected));
}

TEST_F(Layers, AreInputsWithNamesAndSizesBesideTheStudiedEntryAlone) {
  ASSERT_TRUE(isMade);
  EXPECT_FALSE(imported.module->lookupSymbol("other"));
  auto given = imported.module->lookupSymbol<mlir::func::FuncOp>("f.given");
  ASSERT_EQ(given.getNumArguments(), 4u);
  EXPECT_EQ(given.getArgAttrOfType<mlir::StringAttr>(3, mlir::model::nameAttrName).getValue(), "given2");
  auto shape = given.getArgAttrOfType<mlir::ArrayAttr>(2, mlir::model::shapeAttrName);
  ASSERT_EQ(shape.size(), 3u);
  EXPECT_EQ(mlir::cast<mlir::StringAttr>(shape[0]).getValue(), "2");
  EXPECT_EQ(mlir::cast<mlir::StringAttr>(shape[2]).getValue(), "n");
}

TEST(AttentionOverride, WantAnEntryPointWithAttention) {
  EXPECT_FALSE(Studied("fn f(x: f32[n]) -> f32[n] { x }\nexport f").isMade);
  EXPECT_FALSE(Studied("fn g(x: f32[n]) -> f32[n] { x }\nexport g").isMade);
  EXPECT_FALSE(
      Studied("fn g(x: f32[n]) -> f32[n] { [i] => attend j { score: x[i], value: x[j] } }\nexport f = attention(g)")
          .isMade);
}

} // namespace
