// Tests which entry points update the states of modules.

#include "tests/frontends/attn/Check/Checked.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace attnc;

namespace {

TEST(States, AreUpdatedByTrainingAlone) {
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
  Checked twice = check(model + "export train = minimize(twice, with: optim.sgd(lr: 0.1))");
  EXPECT_EQ(twice.diagnostics, "");
  EXPECT_EQ(twice.typed.find("@count.seen"), twice.typed.rfind("@count.seen", twice.typed.find("update") - 1))
      << "only the first call reads the value before the step:\n"
      << twice.typed;
  EXPECT_EQ(check(model + "export train = minimize(within, with: optim.sgd(lr: 0.1))").diagnostics, "");
  for (std::string sum :
       {"sum(counts[0](x))", "sum(scan t over 3 carry (h = x) { for each in counts { h = each(h) } } -> h)"})
    EXPECT_EQ(
        check(model.substr(0, model.size() - 2) + "  fn other(x: f32[n]) -> f32 { w * " + sum +
              " }\n}\nexport train = minimize(other, with: optim.sgd(lr: 0.1))")
            .diagnostics,
        R"(a.attn:5:5: error: updating a state of a module in a list, except in a loop over the list that is in no other loop, is not supported yet [not-supported]
    5 |     seen <- seen + 1.0
      |     ^~~~~~~~~~~~~~~~~~
)") << sum;
  EXPECT_NE(check(model + "export train = minimize(once, with: optim.sgd(lr: 0.1), accumulate: 2)")
                .diagnostics.find("a state that is updated in a step that accumulates batches is not supported yet"),
            std::string::npos);
}

/// A step over some modules does not update the states of the others.
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
      {"(w, calls)", {"calls"}},
      {"(a, list, calls)", {"a.seen", "calls", "list.seen"}},
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
}

/// The names of `over` are looked up before the training step, whatever entry point precedes it.
TEST(States, AreNamedByOver) {
  const std::string model = "use optim\nmodel M() {\n  w: f32 = ones\n  state calls: f32 = zeros\n"
                            "  fn loss(x: f32[n]) -> f32 {\n    calls <- calls + 1.0\n    sum(w * x)\n  }\n}\n";
  const std::string step = " = minimize(loss, with: optim.sgd(lr: 0.1)";
  Checked checked = check(model + "export one" + step + ")\nexport two" + step + ", over: (w, calls))");
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_NE(checked.typed.find("update @calls", checked.typed.find("entry two")), std::string::npos) << checked.typed;
}

/// A state is a constant for gradients in a scan, and after loops that assign it.
TEST(States, AreConstantsForGradients) {
  EXPECT_EQ(check("use optim\nmodule Part() {\n  state seen: f32 = zeros\n"
                  "  fn (x: f32[n]) -> f32[n] {\n    seen <- seen + 1.0\n    x\n  }\n}\n"
                  "model M() {\n  w: f32[3] = ones\n  state codes: f32[4] = zeros\n  list: [Part(); 2]\n"
                  "  fn loss(x: f32[t, 3]) -> f32 {\n    let y = scan i over t carry (h = zeros(3)) {\n"
                  "      let k = argmax j => codes[j]\n      codes <- codes + 1.0\n"
                  "      h = h + w * x[i] * floor(codes[k])\n    } -> h\n    var z = y\n"
                  "    for each in list { z = each(z) * floor(each.seen) }\n"
                  "    sum(z) * floor(codes[0]) * floor(list[1].seen)\n  }\n}\n"
                  "export train = minimize(loss, with: optim.sgd(lr: 0.1))")
                .diagnostics,
            "");
}

TEST(States, AreNotReadAcrossAList) {
  const std::string model = "use optim\nmodule Part() {\n  state seen: f32 = zeros\n"
                            "  fn (x: f32[n]) -> f32[n] {\n    seen <- seen + 1.0\n    x\n  }\n}\n"
                            "model M() {\n  w: f32 = ones\n  list: [Part(); 2]\n  a: Part()\n"
                            "  fn loss(x: f32[n]) -> f32 {\n    var y = w * x\n    BODY\n    sum(y)\n  }\n}\n"
                            "export train = minimize(loss, with: optim.sgd(lr: 0.1))";
  auto messages = [&](const std::string &body) { return diagnosticsWith(model, "BODY", body); };
  const std::string refused =
      "updating a state of the modules of a list in a loop that also reads the state of another";
  EXPECT_NE(messages("for each in list { y = each(y) + list[0].seen }").find(refused), std::string::npos);
  EXPECT_NE(messages("for p in list {\n for q in list { y = y + q.seen }\n y = p(y)\n }").find(refused),
            std::string::npos);
  EXPECT_EQ(messages("for p in list { y = p(y) }\n for q in list { y = y + q.seen + list[0].seen }\n"
                     " for r in list { y = r(y) + r.seen }\n y = y + list[1].seen"),
            "");
  EXPECT_NE(messages("y = [i] => sum(a([k < 2] => y[i]))").find("updating a state inside index notation"),
            std::string::npos);
}

} // namespace
