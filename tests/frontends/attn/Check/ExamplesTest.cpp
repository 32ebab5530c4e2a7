// Checks the programs under examples/ and the prelude.

#include "tests/frontends/attn/Check/Checked.h"

#include <gtest/gtest.h>

using namespace attnc;

namespace {

const std::string root = ATTNC_SOURCE_ROOT;

TEST(Examples, Digits) {
  Checked checked = check(readFile(root + "/examples/digits/digits.attn"));
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_EQ(checked.typed,
            R"(entry classify(images: f32[queries, 64], keys: f32[n, 64], digits: i32[n], bandwidth: f32) queries n {
  let value: f32[queries, 10] = [i < queries] => attend j < n { score: mul(-0.5, add k < 64 => mul(div(sub(images[i, k], keys[j, k]), bandwidth[]), div(sub(images[i, k], keys[j, k]), bandwidth[]))), value: [d < 10] => select(eq(index(digits[j]), d), 1.0, 0.0) }
  return classify: f32[queries, 10] = value
}
entry leave_one_out(keys: f32[n, 64], digits: i32[n], bandwidth: f32) n {
  let value: f32[n, 10] = [i < n] => attend j < n { score: mul(-0.5, add k < 64 => mul(div(sub(keys[i, k], keys[j, k]), bandwidth[]), div(sub(keys[i, k], keys[j, k]), bandwidth[]))), mask: ne(j, i), value: [d < 10] => select(eq(index(digits[j]), d), 1.0, 0.0) }
  return leave_one_out: f32[n, 10] = value
}
entry influence(images: f32[queries, 64], keys: f32[n, 64], bandwidth: f32) queries n {
  let weights: f32[queries, n] = [i < queries] => attend j < n { score: mul(-0.5, add k < 64 => mul(div(sub(images[i, k], keys[j, k]), bandwidth[]), div(sub(images[i, k], keys[j, k]), bandwidth[]))) }
  return influence: f32[queries, n] = weights
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
                           "entry last(tokens: i32[batch, seq]) batch 1 <= seq <= 1024 {\n", "  for block < 3 carry ("})
    EXPECT_NE(checked.typed.find(line), std::string::npos) << line << checked.typed;
}

TEST(Prelude, HasNoWarnings) {
  std::string uses = "use nn\nfn f(x: f32[n]) -> f32[n] { softmax(x) }\n";
  EXPECT_EQ(check(uses).diagnostics, "");
}

} // namespace
