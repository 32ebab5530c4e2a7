#include "tests/e2e/Subject.h"

namespace attnc::e2e {

static constexpr int32_t badArgument = 1; // ATTN_BAD_ARGUMENT

std::vector<Subject> modelSubjects() {
  std::vector<Choice> sequences = {{"one token", {{"batch", 1}, {"seq", 1}}},
                                   {"a sequence", {{"batch", 1}, {"seq", 48}}},
                                   {"batches", {{"batch", 3}, {"seq", 17}}},
                                   {"empty batch", {{"batch", 0}, {"seq", 5}}},
                                   {"a sequence beyond the context", {{"batch", 1}, {"seq", 49}}, {}, badArgument}};
  Accuracy deep = {.c = 32, .reduction = 3 * 300};
  auto tokens = below(61);
  return {
      {"gpt.attn", "logits", deep, sequences, {{"tokens", tokens}}},
      {"gpt.attn", "loss", deep, {{"batches", {{"batch", 3}, {"seq", 17}}}}, {{"tokens", tokens}, {"targets", tokens}}},
      {"gpt.attn",
       "loss_gradient",
       deep,
       {{"batches", {{"batch", 3}, {"seq", 17}}}, {"one token", {{"batch", 1}, {"seq", 1}}}},
       {{"tokens", tokens}, {"targets", tokens}}},
      {"/examples/digits/digits.attn",
       "classify",
       {.c = 8, .reduction = 64, .along = {"n"}},
       {{"images", {{"queries", 20}, {"n", 150}, {"classes", 10}}},
        {"one image", {{"queries", 1}, {"n", 150}, {"classes", 10}}}},
       {{"x", below(17)}, {"keys", below(17)}, {"bandwidth", constant(9)}}},
      {"/examples/gpt2/gpt2.attn",
       "logits",
       deep,
       {{"a sequence", {{"batch", 1}, {"seq", 30}}}},
       {{"tokens", below(70)}},
       {{"vocab", "70"}, {"context", "32"}, {"layers", "2"}, {"heads", "2"}, {"dim", "32"}}},
      {"/examples/gpt2/gpt2.attn",
       "last",
       deep,
       {{"batches", {{"batch", 2}, {"seq", 9}}}},
       {{"tokens", below(70)}},
       {{"vocab", "70"}, {"context", "32"}, {"layers", "2"}, {"heads", "2"}, {"dim", "32"}}},
  };
}

} // namespace attnc::e2e
