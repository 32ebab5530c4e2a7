// Tests the lattice, the rule of each op, and the text of each error.
#include "compiler/Derive/Incremental/PositionAnalysis.h"
#include "compiler/Derive/Derive.h"
#include "compiler/Derive/Incremental/ElementFormulas.h"
#include "compiler/Fuse/Fuse.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tests/frontends/attn/Import/Imported.h"

using namespace attnc;

namespace {

/// Analyses a function of x: f32[batch, seq, d] and table: f32[n, d]: gives the reach of its result in positions, or an
/// error with its line.
class Analysed {
public:
  explicit Analysed(const std::string &result, const std::string &declared = "f32[batch, seq, d]")
      : imported("use nn\nfn f(x: f32[batch, seq <= 16, d], table: f32[16, d]) -> " + declared + " {\n" + result +
                 "\n}\nexport f\n") {
    if (!imported.module)
      return;
    mlir::PassManager passes(imported.context.get());
    passes.addPass(mlir::createCanonicalizerPass());
    passes.addPass(createResolveSizesPass());
    passes.addPass(mlir::createCSEPass());
    passes.addPass(createRaiseViewsPass());
    passes.addPass(mlir::createCanonicalizerPass());
    EXPECT_TRUE(succeeded(passes.run(*imported.module)));
    function = imported.module->lookupSymbol<mlir::func::FuncOp>("f");
    mlir::ScopedDiagnosticHandler handler(imported.context.get(), [&](mlir::Diagnostic &diagnostic) {
      if (auto at = diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>())
        error = std::to_string(at.getLine()) + ": ";
      error += diagnostic.str();
    });
    expandElements(function, "seq");
    analysis.emplace(function, "seq");
    if (failed(analysis->run()))
      return;
    PositionFact fact = analysis->fact(function.front().getTerminator()->getOperand(0));
    text = fact.reach.text();
    if (fact.along == PositionFact::Along::End)
      text += " of the last";
    if (fact.isGiven())
      text += ", given";
    if (fact.perRow)
      text += ", a row";
  }

  Imported imported;
  mlir::func::FuncOp function;
  std::optional<PositionAnalysis> analysis;
  std::string text, error;
};

std::string reachOf(const std::string &result, const std::string &declared = "f32[batch, seq, d]") {
  Analysed analysed(result, declared);
  EXPECT_EQ(analysed.error, "");
  return analysed.text;
}

/// Returns the error without its common beginning.
std::string refusal(const std::string &result, const std::string &declared = "f32[batch, seq, d]") {
  std::string error = Analysed(result, declared).error, begin = "position i along `seq` ";
  size_t at = error.find(begin);
  EXPECT_NE(at, std::string::npos) << error;
  return at == std::string::npos ? error : error.erase(at, begin.size());
}

std::string attend(const std::string &mask, const std::string &value = "x[b, j]") {
  return "[b, i] => attend j { score: dot(x[b, i], x[b, j]), mask: " + mask + ", value: " + value + " }";
}

} // namespace

TEST(Reach, IsAChain) {
  Reach chain[] = {Reach::nothing(), Reach::pointwise(), Reach::window(1),
                   Reach::window(7), Reach::causal(),    Reach::mixing()};
  for (size_t a = 0; a < std::size(chain); ++a)
    for (size_t b = 0; b < std::size(chain); ++b)
      EXPECT_EQ(chain[a].join(chain[b]), chain[std::max(a, b)]);
  EXPECT_EQ(Reach::window(0), Reach::pointwise());
}

TEST(Reach, AddsUp) {
  EXPECT_EQ(Reach::window(3).after(Reach::window(4)), Reach::window(7));
  EXPECT_EQ(Reach::pointwise().after(Reach::causal()), Reach::causal());
  EXPECT_EQ(Reach::causal().after(Reach::window(2)), Reach::causal());
  EXPECT_EQ(Reach::causal().after(Reach::mixing()), Reach::mixing());
  EXPECT_EQ(Reach::nothing().after(Reach::mixing()), Reach::nothing());
  EXPECT_EQ(Reach::causal().after(Reach::nothing()), Reach::nothing());
  EXPECT_EQ(Reach::window(INT64_MAX / 2).after(Reach::window(INT64_MAX - 2)), Reach::causal());
}

TEST(PositionAnalysis, PointwiseOps) {
  EXPECT_EQ(reachOf("x + 1.0"), "pointwise");
  EXPECT_EQ(reachOf("[b, s, k] => x[b, s, k] * x[b, s, d - 1 - k]"), "pointwise");
  EXPECT_EQ(reachOf("x @ table'", "f32[batch, seq, 16]"), "pointwise");
  EXPECT_EQ(reachOf("sum(x, axis: -1)", "f32[batch, seq]"), "pointwise");
  EXPECT_EQ(reachOf("concat(x, x)", "f32[batch, seq, 2 * d]"), "pointwise");
  EXPECT_EQ(reachOf("reshape(x, [batch, seq, 1, d])", "f32[batch, seq, 1, d]"), "pointwise");
  EXPECT_EQ(reachOf("[s, b, k] => x[b, s, k]", "f32[seq, batch, d]"), "pointwise");
}

TEST(PositionAnalysis, NumbersOfPositions) {
  EXPECT_EQ(reachOf("[b, s, k] => x[b, s, k] * s"), "pointwise");
  EXPECT_EQ(reachOf("table[0:seq]", "f32[seq, d]"), "pointwise, a row");
  EXPECT_EQ(reachOf("table[iota(seq)]", "f32[seq, d]"), "pointwise, a row");
  EXPECT_EQ(reachOf("x + table[0:seq]"), "pointwise");
}

TEST(PositionAnalysis, PrefixIndependent) {
  EXPECT_EQ(reachOf("2.0 * table", "f32[16, d]"), "nothing, given");
  EXPECT_EQ(reachOf("[i < 4] => 1.0 * i", "f32[4]"), "nothing");
}

TEST(PositionAnalysis, EarlierPositions) {
  EXPECT_EQ(reachOf("[b, s < seq, k] => if s >= 3 then x[b, s - 3, k] else 0.0"), "window(3)");
  EXPECT_EQ(reachOf("[b] => x[b, seq - 1]", "f32[batch, d]"), "pointwise of the last");
  EXPECT_EQ(reachOf("sq([b] => x[b, seq - 1])", "f32[batch, d]"), "pointwise of the last");
}

TEST(PositionAnalysis, Masks) {
  EXPECT_EQ(reachOf(attend("j <= i")), "causal");
  EXPECT_EQ(reachOf(attend("j < i")), "causal");
  EXPECT_EQ(reachOf(attend("i >= j and i - j <= 4")), "window(4)");
  EXPECT_EQ(reachOf(attend("abs(i - j) < 5 and not j > i")), "window(4)");
  EXPECT_EQ(reachOf(attend("j == i")), "pointwise");
  EXPECT_EQ(reachOf(attend("j <= i - 2 and x[b, j, 0] > 0.0")), "causal");
  EXPECT_EQ(reachOf("let y = " + attend("i - j <= 4 and j <= i") + "\n" +
                    "[b, i] => attend j { score: dot(y[b, i], y[b, j]), mask: j <= i and j >= i - 2, value: y[b, j] }"),
            "window(6)");
}

TEST(PositionAnalysis, Caches) {
  Analysed analysed("let y = 2.0 * x\n"
                    "[b, i] => attend j { score: dot(x[b, i], y[b, j]), mask: j <= i and i - j < 3, value: x[b, j] }");
  ASSERT_EQ(analysed.text, "window(2)");
  std::vector<std::string> reaches;
  for (auto &[value, reach] : analysed.analysis->caches())
    reaches.push_back(reach.text());
  EXPECT_EQ(reaches, (std::vector<std::string>{"window(2)", "window(2)"}));
}

TEST(PositionAnalysis, RefusesMasksThatLookAhead) {
  std::string said = "3: depends on positions j > i: the mask of this attend does not restrict j to j <= i";
  EXPECT_EQ(refusal(attend("j <= i + 1")), said);
  EXPECT_EQ(refusal(attend("abs(i - j) <= 4")), said);
  EXPECT_EQ(refusal(attend("j <= i or j == 0")), said);
  EXPECT_EQ(refusal(attend("not j <= i")), said);
  EXPECT_EQ(refusal("[b, i] => attend j { score: dot(x[b, i], x[b, j]), value: x[b, j] }"), said);
  EXPECT_EQ(refusal("[b] => attend j { score: x[b, j, 0], value: x[b, j] }", "f32[batch, d]"),
            "3: depends on others: this attends to all positions");
}

TEST(PositionAnalysis, RefusesLaterPositionsInFormulas) {
  std::string said = "3: may depend on any: this is not known to read only positions up to its own";
  EXPECT_EQ(refusal("[b, s < seq, k] => if s + 1 < seq then x[b, s + 1, k] else 0.0"),
            "3: depends on the number of positions");
  EXPECT_EQ(refusal("[b, s < seq, k] => x[b, min(s, 3), k]"), said);
  EXPECT_EQ(refusal("[b, s < seq, k] => x[b, seq - 1 - s, k]"), said);
  EXPECT_EQ(refusal("[b, s, k] => x[b, s, k] + x[b, seq - 1, k]"), "3: depends on the last one: this reads it");
}

TEST(PositionAnalysis, RefusesReductions) {
  EXPECT_EQ(refusal("sum(x, axis: 1)", "f32[batch, d]"), "3: depends on others: this combines all positions");
  EXPECT_EQ(refusal("[b, s, k] => x[b, s, k] / seq"), "3: depends on the number of positions");
  EXPECT_EQ(refusal("sum(x, axis: 0)", "f32[seq, d]"),
            "3: of one row depends on the others: this combines all rows of `batch`");
}

TEST(PositionAnalysis, RefusesReductionsBesideAPosition) {
  std::string said = "3: depends on others: this combines all positions";
  EXPECT_EQ(refusal("[b, s < seq, k] => sum t < seq where t <= s => x[b, t, k]"), said);
  EXPECT_EQ(refusal("[b, s] => sum (t, k) => x[b, t, k] * x[b, s, k]", "f32[batch, seq]"), said);
  EXPECT_EQ(refusal("[b, s < seq] => argmax t => x[b, t, 0]", "i32[batch, seq]"), said);
  EXPECT_EQ(refusal("[b, s, k] => x[b, s, k] - sum c => x[c, s, k]"),
            "3: of one row depends on the others: this combines all rows of `batch`");
}

TEST(PositionAnalysis, RefusesShapesThatMergePositions) {
  EXPECT_EQ(refusal("reshape(x, [batch, seq * d])", "f32[batch, seq * d]"),
            "3: is not an index of this tensor, which has seq*d elements along one");
  EXPECT_EQ(refusal("[b, s, t] => dot(x[b, s], x[b, t])", "f32[batch, seq, seq]"),
            "3: would be computed for all pairs of positions: this tensor has two such dimensions; inside of `attend` "
            "the pairs are not stored");
  EXPECT_EQ(refusal("[b] => x[b, 0]", "f32[batch, d]"),
            "3: may depend on any: this is not known to read only positions up to its own");
}

TEST(PositionAnalysis, Scans) {
  auto scan = [](const std::string &body, const std::string &results = "h[:, t]",
                 const std::string &header = "scan t over seq carry (h = zeros(batch, d))") {
    return header + " { " + body + " } -> " + results;
  };
  EXPECT_EQ(reachOf(scan("h = h + x[:, t]")), "causal");
  EXPECT_EQ(reachOf(scan("let y = 2.0 * x[:, t]\nh = h + 1.0", "y[:, t]")), "pointwise");
  EXPECT_EQ(reachOf(scan("let y = if t >= 2 then x[:, t - 2] else x[:, t]\nh = h + 1.0", "y[:, t]")), "window(2)");
  EXPECT_EQ(reachOf(scan("h = h + x[:, t]", "h"), "f32[batch, d]"), "causal of the last");
  EXPECT_EQ(reachOf(scan("h = h + table[k]", "h", "scan k over 16 carry (h = zeros(batch, d))"), "f32[batch, d]"),
            "nothing, given");
}

TEST(PositionAnalysis, RefusedScans) {
  auto scan = [](const std::string &body, const std::string &initial = "zeros(batch, d)") {
    return "scan t over seq carry (h = " + initial + ") { " + body + " } -> h[:, t]";
  };
  EXPECT_EQ(refusal("scan t over seq backward carry (h = zeros(batch, d)) { h = h + x[:, t] } -> h[:, t]"),
            "3: depends on later ones: this scan runs backward");
  EXPECT_EQ(refusal(scan("h = h + x[:, t]", "([b, k] => x[b, seq - 1, k])")),
            "3: is not a time step of this scan, which starts from a value of a position");
  EXPECT_EQ(refusal(scan("h = h + ([b, k] => x[b, seq - 1, k])")), "3: depends on the last one: this reads it");
  EXPECT_EQ(refusal(scan("h = h + ([b, k] => sum s < seq => x[b, s, k])")),
            "3: depends on others: this combines all positions");
  EXPECT_EQ(refusal(scan("let each = [b, s < seq, k] => x[b, s, k] + h[b, k]\nh = h + each[:, 0]")),
            "3: would be computed for all positions in each time step of the scan");
  EXPECT_EQ(
      refusal("scan t over seq carry (h = zeros(batch, d)) {\nlet y = scan s over seq carry (g = h) { g = g + x[:, s] }"
              " -> g\nh = h + y } -> h[:, t]"),
      "4: would be computed for all positions in each time step: these scans are nested");
  EXPECT_EQ(
      refusal("scan t over seq carry (g = zeros(batch, seq)) { g = [b, s] => if s == t then 1.0 else g[b, s] } -> g",
              "f32[batch, seq]"),
      "3: would be stored for all positions in each time step: this scan carries a tensor of positions");
  EXPECT_EQ(refusal("let y = scan t over seq carry (h = zeros(batch, d)) { h = h + x[:, t] } -> h\n"
                    "scan t over seq carry (g = zeros(batch, d)) { let w = g + 1.0\ng = y } -> w[:, t]"),
            "4: depends on the last one: this reads it");
  EXPECT_EQ(refusal("let y = scan t over seq carry (h = zeros(batch, d)) { h = h + x[:, t] } -> h\n"
                    "scan t over seq carry (g = zeros(batch, d)) { let w = concat(g, y)\ng = g + 1.0 } -> w[:, t]",
                    "f32[batch, seq, 2 * d]"),
            "4: depends on the last one: this reads it");
  EXPECT_EQ(refusal(scan("h = h + 0.1 * (h @ x[:, t]' @ x[:, t])")),
            "3: of one row would depend on the others: this tensor has two dimensions `batch`");
  EXPECT_EQ(refusal("let p = table[0:seq]\nlet y = scan k over 3 carry (c = p) { c = c + 1.0 } -> c[k]\n"
                    "[b < batch, s, e] => x[b, s, e] + y[1, s, e]"),
            "4: has one list for all rows of `batch`, whose lengths may differ; expected a dimension `batch` in its "
            "elements");
}
