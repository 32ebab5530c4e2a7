// The programs under examples/, and the prelude.

#include "tests/frontends/attn/Check/Checked.h"

#include <gtest/gtest.h>

using namespace attnc;

namespace {

const std::string root = ATTNC_SOURCE_ROOT;

TEST(Examples, Digits) {
  Checked checked = check(readFile(root + "/examples/digits/digits.attn"));
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_EQ(
      checked.typed,
      R"(entry classify(x: f32[queries, 64], keys: f32[n, 64], labels: f32[n, classes], bandwidth: f32) queries n classes {
  let value: f32[queries, classes] = [q < queries] => attend j < n { score: div(mul(-0.5, add d < 64 => mul(sub(x[q, d], keys[j, d]), sub(x[q, d], keys[j, d]))), mul(bandwidth[], bandwidth[])), value: [classes < classes] => labels[j, classes] }
  return classify: f32[queries, classes] = value
}
)");
}

TEST(Examples, Gpt2HasTheNamesOfItsCheckpoints) {
  Checked checked = check(readFile(root + "/examples/gpt2/gpt2.attn"), {{"layers", "3"}});
  EXPECT_EQ(checked.diagnostics, "");
  for (const char *line : {"parameter wte.table: f32[50257, 768] = normal(0, 0.02) as \"wte.weight\"\n",
                           "parameter h.ln_1.gain[3]: f32[768] = ones(0, 0) as \"h.{0}.ln_1.weight\"\n",
                           "parameter h.attn.c_attn.weight[3]: f32[768, 2304] = normal(0, 0.02) as "
                           "\"h.{0}.attn.c_attn.weight\"\n",
                           "parameter ln_f.bias: f32[768] = zeros(0, 0) as \"ln_f.bias\"\n",
                           "entry logits(tokens: i32[batch, seq]) batch seq <= 1024 {\n",
                           "entry last(tokens: i32[batch, seq]) batch seq <= 1024 {\n", "  for block < 3 carry ("})
    EXPECT_NE(checked.typed.find(line), std::string::npos) << line << checked.typed;
}

TEST(Prelude, HasNoWarnings) {
  std::string uses = "use nn\nfn f(x: f32[n]) -> f32[n] { softmax(x) }\n";
  EXPECT_EQ(check(uses).diagnostics, "");
}

} // namespace
