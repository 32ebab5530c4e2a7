// Tests which entry points update the states of modules.

#include "tests/frontends/attn/Check/Checked.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace attnc;

namespace {

TEST(States, AreUpdatedOnceAndByTrainingAlone) {
  const std::string model = "use optim\nmodule Counter() {\n  state seen: f32 = zeros\n"
                            "  fn (x: f32[n]) -> f32[n] {\n    seen <- seen + 1.0\n    x + seen\n  }\n}\n"
                            "model M() {\n  w: f32 = ones\n  count: Counter()\n  counts: [Counter(); 2]\n"
                            "  fn once(x: f32[n]) -> f32 { sum(w * count(x)) }\n"
                            "  fn twice(x: f32[n]) -> f32 { sum(w * count(count(x))) }\n"
                            "  fn within(x: f32[n]) -> f32 {\n    var y = w * x\n"
                            "    for each in counts { y = each(count(y)) }\n    sum(y)\n  }\n"
                            "}\n";
  Checked once = check(model + "export once\nexport train = minimize(once, with: optim.sgd(lr: 0.1))");
  EXPECT_EQ(once.diagnostics, "");
  size_t update = once.typed.find("update @count.seen");
  EXPECT_NE(update, std::string::npos) << once.typed;
  EXPECT_EQ(once.typed.find("update", update + 1), std::string::npos) << once.typed;
  EXPECT_EQ(check(model + "export train = minimize(twice, with: optim.sgd(lr: 0.1))").diagnostics,
            R"(a.attn:5:5: error: `seen` is updated twice in a call [not-assignable]
    5 |     seen <- seen + 1.0
      |     ^~~~
  note: the first time is at a.attn:5:5
  hint: a module that is called twice has one state: update it in one of the calls
)");
  EXPECT_NE(check(model + "export train = minimize(within, with: optim.sgd(lr: 0.1))")
                .diagnostics.find("updating a state of one module in a loop over others"),
            std::string::npos);
  EXPECT_NE(check(model + "export train = minimize(once, with: optim.sgd(lr: 0.1), accumulate: 2)")
                .diagnostics.find("a state that is updated in a step that accumulates batches is not supported yet"),
            std::string::npos);
}

/// A step over some modules does not update the states of the others, and may call the others twice.
TEST(States, AreUpdatedByStepsOverTheirModule) {
  const std::string model = "use optim\n"
                            "module Part() {\n  gain: f32 = ones\n  state seen: f32 = zeros\n"
                            "  fn (x: f32[n]) -> f32[n] {\n    seen <- seen + 1.0\n    gain * x\n  }\n}\n"
                            "model M() {\n  w: f32 = ones\n  state calls: f32 = zeros\n  a: Part()\n  b: Part()\n"
                            "  list: [Part(); 2]\n  twice: Part()\n"
                            "  fn loss(x: f32[n]) -> f32 {\n    calls <- calls + 1.0\n    var y = b(a(w * x))\n"
                            "    for each in list { y = each(y) }\n    sum(y) + stop(sum(twice(twice(x))))\n  }\n}\n";
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"a", {"a.seen"}},
      {"list", {"list.seen"}},
      {"(a, list)", {"a.seen", "list.seen"}},
      {"(a, w)", {"a.seen"}},
      {"w", {}},
      {"b.gain", {}},
      {"(b, list, a)", {"a.seen", "b.seen", "list.seen"}},
  };
  for (const auto &[over, states] : cases) {
    Checked checked = check(model + "export train = minimize(loss, with: optim.sgd(lr: 0.1), over: " + over + ")");
    ASSERT_EQ(checked.diagnostics, "") << over;
    for (std::string state : {"calls", "a.seen", "b.seen", "list.seen", "twice.seen"})
      EXPECT_EQ(checked.typed.find("update @" + state) != std::string::npos,
                std::find(states.begin(), states.end(), state) != states.end())
          << over << ": " << state << "\n"
          << checked.typed;
  }
  for (std::string over : {"", ", over: twice", ", over: (a, twice)"})
    EXPECT_NE(check(model + "export train = minimize(loss, with: optim.sgd(lr: 0.1)" + over + ")")
                  .diagnostics.find("`seen` is updated twice in a call"),
              std::string::npos)
        << over;
}

} // namespace
