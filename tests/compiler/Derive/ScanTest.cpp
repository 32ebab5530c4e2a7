// Tests gradients of recurrences with respect to inputs, initial states, captured tensors and parameters.
#include "compiler/Derive/Derive.h"
#include "tests/compiler/Derive/Derived.h"

using namespace attnc;

namespace {

Array lengthsOf(std::initializer_list<double> values) {
  Array array(Element::I32, {static_cast<int64_t>(values.size())});
  array.values = values;
  return array;
}

/// Tests gradients of a program without segments and with segments of several lengths, also ragged or longer than the
/// scan.
void expectDifferences(const std::string &text, const std::vector<Array> &inputs) {
  for (int64_t segment : {0, 1, 2, 3, 7}) {
    SCOPED_TRACE("segments of " + std::to_string(segment));
    Derived(text, inputs, segment).expectDifferences();
  }
}

/// Tests a recurrence of h over x, with `head` after `over n`; the loss depends on h after all steps and after the
/// last.
void expectScan(const std::string &head, const std::string &step = "tanh(x[:, t] + h @ w)", int64_t steps = 5) {
  expectDifferences("fn f(x: f32[b, n, d], h0: f32[b, d], w: f32[d, d], length: i32[b]) -> f32 {\n"
                    "  let (ys, last) = scan t over n " +
                        head + " carry (h = h0) { h = " + step +
                        " } -> (h[:, t], h)\n"
                        "  sum(sq(ys)) + sum(last * h0)\n}",
                    {draw({3, steps, 4}), draw({3, 4}, 2), draw({4, 4}, 3), lengthsOf({2, 0, 5})});
}

TEST(ScanGradient, Forward) { expectScan(""); }
TEST(ScanGradient, Backward) { expectScan("backward"); }
TEST(ScanGradient, Lengths) { expectScan("until length"); }
TEST(ScanGradient, BackwardWithLengths) { expectScan("backward until length"); }
TEST(ScanGradient, OneStep) { expectScan("until length", "tanh(x[:, t] + h @ w)", 1); }
TEST(ScanGradient, NoSteps) { expectScan("until length", "tanh(x[:, t] + h @ w)", 0); }
TEST(ScanGradient, AProductWithTheInput) { expectScan("backward", "tanh(x[:, t] @ w + h * x[:, t])"); }
TEST(ScanGradient, StepsThatShareAnElement) {
  expectScan("", "tanh((if t >= 1 then x[:, t - 1] else x[:, t]) + h @ w)");
}
/// Steps read only the carried value, and only its last value is a result.
TEST(ScanGradient, StepsThatReadNothingOfTheirOwn) {
  for (const char *head : {"over 4", "over 4 backward"})
    expectDifferences("fn f(x: f32[n, d], w: f32[d, d]) -> f32 {\n  sum(sq(scan t " + std::string(head) +
                          " carry (h = x) { h = tanh(h @ w) } -> h))\n}",
                      {draw({2, 3}), draw({3, 3}, 2)});
}
TEST(ScanGradient, AConstantNumberOfSteps) {
  expectDifferences("fn f(x: f32[b, 4, d], w: f32[d, d]) -> f32 {\n"
                    "  sum(sq(scan t over 4 carry (h = x[:, 0]) { h = tanh(x[:, t] + h @ w) } -> h[:, t]))\n}",
                    {draw({2, 4, 3}), draw({3, 3}, 2)});
}
TEST(ScanGradient, FewerStepsThanTheInputHas) {
  expectDifferences("fn f(x: f32[b, 6, d]) -> f32 {\n"
                    "  sum(sq(scan t over 4 carry (h = x[:, 0]) { h = tanh(x[:, t + 1] * h) } -> h[:, t]))\n}",
                    {draw({2, 6, 3})});
}

/// Carried values: gradients pass through no, one or several of them; the others are constants or integers.
struct Carried {
  const char *states, *step, *yields;
};

void expectCarried(const Carried &carried) {
  SCOPED_TRACE(carried.states);
  expectDifferences(std::string("fn f(x: f32[b, n, d], c: f32[b, d], k0: i32[b], w: f32[d]) -> f32 {\n"
                                "  let first = zeros(b, d) + 1.0\n"
                                "  let y = scan t over n carry (") +
                        carried.states + ") { " + carried.step + " } -> " + carried.yields + "[:, t]\n  sum(sq(y))\n}",
                    {draw({3, 5, 4}), draw({3, 4}, 2), drawBelow(3, {3}), draw({4}, 3)});
}

TEST(ScanGradient, ByNumberOfActiveStates) {
  for (const Carried &carried : {
           Carried{"h = first", "let l = w * h\n h = 0.5 * h", "l"},
           Carried{"h = first, g = first", "let l = w * h + sin(g) * x[:, t]\n h = 0.5 * h\n g = g + 1.0", "l"},
           Carried{"h = first, g = c", "let l = w * h\n h = 0.5 * h\n g = sin(g + x[:, t])", "l"},
           Carried{"h = first, g = c", "let l = w * g\n h = 0.5 * h\n g = sin(g + h)", "l"},
           Carried{"h = c, g = first, s = c", "let l = w * g * s\n h = cos(h)\n g = 0.5 * g\n s = s * h", "l"},
           Carried{"h = c", "let l = x[:, t]\n h = cos(h)", "h"},
       })
    expectCarried(carried);
}

TEST(ScanGradient, IntegerStates) {
  const char *const read = "let l = [i, e] => x[i, t, e] * w[e] * f32(k[i] % 2) ";
  for (const Carried &carried :
       {Carried{"k = k0", "\n k = k + 1", "l"}, Carried{"k = k0, h = c", "\n k = k + 1\n h = tanh(h + l)", "h"},
        Carried{"k = k0", "\n k = [i] => argmax e => stop(x[i, t, e])", "l"},
        Carried{"k = k0, h = c", "\n h = h * l\n k = [i] => argmax e => stop(h[i, e])", "h"}})
    expectCarried({carried.states, (std::string(read) + carried.step).c_str(), carried.yields});
}

const char *const cells = R"(
use nn
module Cell(dim) {
  of_x: nn.Linear(dim, 2 * dim)
  of_h: nn.Linear(dim, 2 * dim)
  fn (x: f32[b, dim], h: f32[b, dim], c: f32[b, dim]) -> (h: f32[b, dim], c: f32[b, dim]) {
    let (gate, new) = split(of_x(x) + of_h(h), 2)
    let next = sigmoid(gate) * c + tanh(new)
    (tanh(next), next)
  }
}
model M(dim = 3, layers = 2) {
  cells: [Cell(dim); layers]
  fn f(x: f32[b, n, dim], keys: f32[b, m, dim]) -> f32 {
    var y = x
    for cell in cells {
      y = scan t over n carry (h = zeros(b, dim), c = zeros(b, dim)) {
        let read = [r] => attend j { score: dot(h[r], keys[r, j]), value: keys[r, j] }
        let (next, kept) = cell(y[:, t] + read, h, c)
        h = next
        c = kept
      } -> h[:, t]
    }
    sum(sq(y))
  }
}
)";

TEST(ScanGradient, ModulesAndAttentionInALoopOverModules) {
  expectDifferences(cells, {draw({2, 3, 3}), draw({2, 4, 3}, 2)});
}

} // namespace
