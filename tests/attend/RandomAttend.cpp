// Random formulas of attention.
#include "tests/attend/AttendCase.h"
#include "tests/e2e/Subject.h"
#include <fmt/format.h>

namespace attnc::attend {

namespace {

class FormulaDrawer {
public:
  explicit FormulaDrawer(uint64_t number) : random("case" + std::to_string(number)) {}

  AttendCase draw(uint64_t number) {
    AttendCase each{fmt::format("random_{}", number), real(3)};
    if (random.below(4) != 0)
      each.mask = condition(2);
    if (random.below(2) == 0)
      each.by = pick({"ratio", "none", "sigmoid", "sparsemax", "entmax(1.5)", "entmax(1.25)", "hard", "stick_breaking",
                      "softmax(sink: slope[h])", "softmax(temperature: 0.5 + sq(beta[h, i]))"});
    each.isSmooth = each.by != "hard"; // the gradient of hard attention is that of softmax
    if (each.by == "ratio")
      each.score = fmt::format("exp(tanh({}))", each.score);
    if (random.below(3) == 0)
      each.weight = pick({"p * gate[h, j]", "p * p", "tanh(p)", "p * sigmoid(x[h, i] - y[h, j])",
                          "if open[i, j] then p else 0.0", "p + 0.125 * bias[i, j]"});
    each.value = pick({"v[h, j]", "v[h, j]", "v[h, j] * y[h, j]", "tanh(v[h, j])", "v[h, j] * gate[h, j] + v[h, j]",
                       "v[h, j] * x[h, i]", "v[h, j] * bias[i, j]"});
    if (random.below(3) == 0)
      each.yields = yields(each.by);
    drawSharedRows(each);
    return each;
  }

private:
  std::string pick(const std::vector<std::string> &from) { return from[random.below(from.size())]; }

  /// Lets several rows or keys read the same row of an operand.
  void drawSharedRows(AttendCase &each) {
    for (const char *operand : {"q", "k", "v"})
      if (random.below(4) == 0)
        shareRows(each, operand);
    bool hasPairs = each.yields == std::vector<std::string>{"value"} && each.by != "stick_breaking";
    if (hasPairs && random.below(4) == 0) {
      each.keys = pick({"g < 3, j < m", "j < m, g < 3"});
      if (random.below(2) == 0)
        each.score = fmt::format("({} + 0.5 * f32(g))", each.score);
    }
  }

  /// Returns some of the normaliser's results.
  std::vector<std::string> yields(const std::string &by) {
    std::vector<std::string> chosen = {"value"}, known = {"weights", "key_sums(i)"};
    if (by != "stick_breaking")
      known.insert(known.end(), {"top(3)", "top_weights(3)"});
    if (by != "none" && by != "sigmoid" && by != "hard")
      known.push_back("entropy");
    if (by.empty() || by.starts_with("softmax"))
      known.push_back("lse");
    for (const std::string &each : known)
      if (random.below(2) == 0)
        chosen.push_back(each);
    return chosen;
  }

  std::string leaf() {
    return pick({"dot(q[h, i], k[h, j])", "dot(q[h, i] @ w, k[h, j])", "dot(u, tanh(q[h, i] + k[h, j]))",
                 "(sum f => sq(q[h, i, f] - k[h, j, f]))", "(sum f => q[h, i, f] * l[f, j])", "x[h, i]", "y[h, j]",
                 "(x[h, i] - y[h, j])", "bias[i, j]", "slope[h]", "(0.25 * f32(i - j))", "beta[h, i]", "0.5",
                 "(sum f => u[f] * max(q[h, i, f] * k[h, j, f], 0.0))", "gate[h, j]", "norm(k[h, j])",
                 "(sum f => u[f] * tanh(2.0 * (q[h, i, f] - k[h, j, f]) + u[f]))",
                 "(sum f => tanh(q[h, i, f] + 60.0 * k[h, j, f]) / 4.0)"});
  }

  std::string real(int depth) {
    if (depth == 0 || random.below(4) == 0)
      return leaf();
    switch (random.below(9)) {
    case 0:
    case 1:
      return fmt::format("({} + {})", real(depth - 1), real(depth - 1));
    case 2:
      return fmt::format("({} - {})", real(depth - 1), real(depth - 1));
    case 3:
      return fmt::format("(0.5 * {} * {})", real(depth - 1), leaf());
    case 4:
      return fmt::format("tanh({})", real(depth - 1));
    case 5:
      return fmt::format("({} / (1.0 + sq({})))", real(depth - 1), leaf());
    case 6:
      return fmt::format("(if {} then {} else {})", condition(1), real(depth - 1), real(depth - 1));
    case 7:
      return fmt::format("sigmoid({})", real(depth - 1));
    default:
      return fmt::format("max({}, {})", real(depth - 1), real(depth - 1));
    }
  }

  std::string condition(int depth) {
    if (depth != 0 && random.below(3) == 0)
      return fmt::format("({} {} {})", condition(depth - 1), pick({"and", "or"}), condition(depth - 1));
    if (depth != 0 && random.below(6) == 0)
      return fmt::format("(not {})", condition(depth - 1));
    return pick({"j <= i", "abs(i - j) <= 3", "j < length[h]", "row[i] == column[j]", "(i - j) % 3 == 0", "open[i, j]",
                 "first[j] <= i", "i < last[j]", "x[h, i] < y[h, j]", "j < 6", "i + j > 4", "i / 4 == j / 4",
                 "j >= i - 5", "row[i] <= 1", "abs(i / 4 - j / 4) <= 1", "abs(i % 4 - j % 4) <= 1",
                 "open[i / 4, j / 4]", "(j - i + 1) % 4 == 0", "max(i, j) < 9"});
  }

  e2e::Random random;
};

} // namespace

AttendCase randomCase(uint64_t number) { return FormulaDrawer(number).draw(number); }

} // namespace attnc::attend
