// Compares resumed decoding loops with whole ones. The oracle interprets both.
#include "tests/compiler/Derive/Decoding.h"
#include <map>

using namespace mlir;

namespace attnc {
namespace {

/// A decoder of 13 tokens, whose attention has the mask `mask`. `next` computes the logits by the function `decoded`:
/// f, for all positions, or last.
std::string programOf(const std::string &mask, const std::string &decoded = "f") {
  return R"(
use nn
use decoding
model Writer(vocab = 13, dim = 8) {
  token: nn.Embedding(vocab, dim)
  fn f(tokens: i32[batch, seq <= 32]) -> f32[batch, seq, vocab] {
    let x = token(tokens)
    let y = [b, i < seq] => attend j { score: dot(x[b, i], x[b, j]), mask: )" +
         mask + R"(, value: x[b, j] }
    (x + y) @ token.table'
  }
  fn last(tokens: i32[batch, seq <= 32]) -> f32[batch, vocab] {
    let x = f(tokens)
    [b] => x[b, seq - 1]
  }
}
export f
export next = incremental()" +
         decoded + R"(, along: seq)
export write = decode(next, with: draw, stop: 12, at_most: 8)
)";
}

Array integers(ArrayRef<int64_t> shape, std::vector<double> values) {
  Array array(Element::I32, shape);
  array.values.assign(values.begin(), values.end());
  return array;
}

StringRef nameOf(func::FuncOp function, unsigned argument) {
  return function.getArgAttrOfType<StringAttr>(argument, model::nameAttrName);
}

using Inputs = std::map<std::string, Array>;

/// Calls of the resumed loop of a program.
class Loop : public testing::Test {
protected:
  Loop(const std::string &text, int64_t drafts) : program(text, "write", drafts) {
    inputs = {{"prompt", integers({2, 5}, {3, 1, 4, 0, 0, 1, 5, 9, 2, 6})},
              {"prompt_length", integers({2}, {3, 5})},
              {"temperature", Array(Element::F32, {2}, 1)},
              {"top_k", integers({2}, {0, 0})},
              {"top_p", Array(Element::F32, {2}, 1)},
              {"seed", integers({}, {5})},
              {"steps.tokens", integers({2, 4}, {3, 1, 0, 0, 1, 5, 9, 2})},
              {"steps.length", integers({2}, {0, 0})},
              {"steps.read", integers({2}, {2, 4})},
              {"steps.ends", integers({8}, std::vector<double>(8, -1))}};
  }
  void SetUp() override { ASSERT_TRUE(program.derived); }

  std::vector<Array> call(const std::string &name) {
    std::vector<Array> arguments;
    auto function = program.function(name);
    for (unsigned argument = 0; argument < function.getNumArguments(); ++argument)
      arguments.push_back(inputs.at(nameOf(function, argument).str()));
    return program.call(name, arguments);
  }
  /// Reads the prompts except for their last tokens, with states for `capacity` positions.
  void prefill(int64_t capacity) {
    auto function = program.function("write.prefill");
    for (unsigned argument = 0; argument < function.getNumArguments(); ++argument)
      if (function.getArgAttr(argument, model::stateAttrName)) {
        SmallVector<int64_t> shape;
        for (StringRef size :
             function.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName).getAsValueRange<StringAttr>()) {
          int64_t number = size == "batch" ? 2 : capacity;
          size.getAsInteger(10, number);
          shape.push_back(number);
        }
        states.push_back(nameOf(function, argument).str());
        inputs[states.back()] = Array(Element::F32, shape, std::numeric_limits<double>::quiet_NaN());
      }
    keep(call("write.prefill"));
    inputs["steps.tokens"] = integers({2, 1}, {4, 6});
    inputs["steps.length"] = integers({2}, {2, 4});
  }
  /// Calls the loop for `count` decoding steps from `first` on; returns the tokens and their numbers.
  std::vector<Array> steps(int64_t first, int64_t count) {
    inputs["steps.first"] = integers({}, {double(first)});
    inputs["steps.count"] = integers({}, {double(count)});
    auto results = call("write.steps");
    keep(results);
    return results;
  }
  /// Keeps the states, which are the last results.
  void keep(ArrayRef<Array> results) {
    for (auto [name, state] : zip_equal(states, results.take_back(states.size())))
      inputs[name] = state;
  }

  Stepped program;
  Inputs inputs;
  std::vector<std::string> states;
};

class ResumedLoop : public Loop, public testing::WithParamInterface<const char *> {
protected:
  ResumedLoop() : Loop(programOf(GetParam()), 0) {}
};

TEST_P(ResumedLoop, WritesInSeveralCallsWhatTheWholeLoopWrites) {
  std::vector<Array> whole = call("write");
  ASSERT_EQ(whole[1].values, (std::vector<double>{8, 8})) << "another seed, so that no row ends";
  prefill(12);
  for (auto [first, count] : {std::pair(0, 1), {1, 3}, {4, 4}}) {
    auto found = steps(first, count);
    ASSERT_EQ(found[1].values, std::vector<double>(2, count));
    std::vector<double> last;
    for (int64_t row : {0, 1}) {
      for (int64_t step = 0; step < count; ++step)
        EXPECT_EQ(found[0].at({row, step}), whole[0].at({row, first + step})) << row << ", step " << first + step;
      last.push_back(found[0].at({row, count - 1}));
      inputs["steps.length"].values[row] += count;
    }
    inputs["steps.tokens"] = integers({2, 1}, last);
  }
}

TEST_P(ResumedLoop, EndsRowsAtFurtherTokens) {
  std::vector<Array> whole = call("write");
  prefill(12);
  double end = whole[0].at({0, 2});
  inputs["steps.ends"].values[7] = end;
  auto found = steps(0, 8);
  for (int64_t row : {0, 1}) {
    int64_t length = 0;
    while (length < 8 && whole[0].at({row, length}) != end)
      ++length;
    EXPECT_EQ(found[1].values[row], length);
  }
}

/// The second row has four positions, and room for one more.
TEST_P(ResumedLoop, EndsBeforeAStateIsFull) {
  bool isRing = std::string(GetParam()) != "j <= i";
  prefill(5);
  EXPECT_EQ(steps(0, 8)[1].values, std::vector<double>(2, isRing ? 8 : 1));
}

INSTANTIATE_TEST_SUITE_P(, ResumedLoop, testing::Values("j <= i", "j <= i and i - j < 3"));

constexpr int64_t drafts = 3;

/// The mask, and the function from which `next` is derived.
class VerifiedLoop : public Loop, public testing::WithParamInterface<std::tuple<const char *, const char *>> {
protected:
  VerifiedLoop() : Loop(programOf(std::get<0>(GetParam()), std::get<1>(GetParam())), drafts) {}

  /// Reads a token of each row and its drafts, rows of `tokens`, after `length` positions; returns the chosen tokens.
  Array verify(int64_t first, const std::vector<double> &tokens) {
    int64_t count = int64_t(tokens.size()) / 2;
    inputs["steps.first"] = integers({}, {double(first)});
    inputs["steps.tokens"] = integers({2, count}, tokens);
    inputs["steps.read"] = integers({2}, {double(count), double(count)});
    std::vector<Array> results = call("write.verify");
    keep(results);
    return results[0];
  }
};

TEST_P(VerifiedLoop, ChoosesWhatTheWholeLoopWritesAfterEachRightDraft) {
  Array whole = call("write")[0];
  prefill(16);
  Array chosen = verify(0, {4, whole.at({0, 0}), whole.at({0, 1}), whole.at({0, 2}), //
                            6, whole.at({1, 0}), whole.at({1, 1}), whole.at({1, 2})});
  EXPECT_EQ(chosen.values, slice(whole, 1, 0, 4).values);
}

TEST_P(VerifiedLoop, GoesOnAfterWrongDrafts) {
  Array whole = call("write")[0];
  prefill(16);
  auto wrong = [&](int64_t row, int64_t step) { return double(int64_t(whole.at({row, step}) + 1) % 12); };
  // The first draft of the first row is right, and no other one.
  Array chosen = verify(0, {4, whole.at({0, 0}), wrong(0, 1), 0, 6, wrong(1, 0), 0, 0});
  EXPECT_EQ(chosen.at({0, 0}), whole.at({0, 0}));
  EXPECT_EQ(chosen.at({0, 1}), whole.at({0, 1}));
  EXPECT_EQ(chosen.at({1, 0}), whole.at({1, 0}));
  // Both rows go on after their first written token, as if they had lost the rejected drafts.
  inputs["steps.length"] = integers({2}, {3, 5});
  chosen = verify(1, {whole.at({0, 0}), whole.at({0, 1}), 0, 0, whole.at({1, 0}), whole.at({1, 1}), 0, 0});
  for (int64_t row : {0, 1})
    for (int64_t step : {0, 1})
      EXPECT_EQ(chosen.at({row, step}), whole.at({row, 1 + step})) << row << ", " << step;
  // The decoding loop continues, too.
  inputs["steps.length"] = integers({2}, {5, 7});
  inputs["steps.tokens"] = integers({2, 1}, {whole.at({0, 2}), whole.at({1, 2})});
  EXPECT_EQ(slice(steps(3, 5)[0], 1, 0, 5).values, slice(whole, 1, 3, 5).values);
}

TEST_P(VerifiedLoop, EndsRows) {
  Array whole = call("write")[0];
  prefill(16);
  inputs["steps.ends"].values[7] = whole.at({1, 0});
  EXPECT_EQ(verify(0, {4, 6}).at({1, 0}), -1);
}

INSTANTIATE_TEST_SUITE_P(, VerifiedLoop,
                         testing::Combine(testing::Values("j <= i", "j <= i and i - j < 3"),
                                          testing::Values("f", "last")));

TEST(ResumedLoops, AreVerifiedByLogitsOfAllPositions) {
  std::string text = programOf("j <= i", "last");
  EXPECT_TRUE(Stepped(text, "write", drafts).derived);
  text.replace(text.find("export f\n"), 9, "");
  EXPECT_FALSE(Stepped(text, "write", drafts).derived);
}

TEST(ResumedLoops, AreNotMadeOfBeamSearches) {
  std::string text = programOf("j <= i");
  text.replace(text.find("with: draw"), 10, "with: beam(2)");
  EXPECT_FALSE(Stepped(text, "write").derived);
  EXPECT_FALSE(Stepped(programOf("j <= i"), "next").derived);
}

} // namespace
} // namespace attnc
