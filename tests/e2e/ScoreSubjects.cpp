#include "tests/e2e/Subject.h"

namespace attnc::e2e {

static std::vector<Choice> lengths(const Dimensions &others = {}) {
  std::vector<Choice> choices;
  auto add = [&](std::string name, int64_t n, int64_t m) {
    Dimensions sizes = others;
    sizes["n"] = n, sizes["m"] = m;
    choices.push_back({std::move(name), sizes});
  };
  add("decode", 1, 170);
  add("more queries than keys", 90, 35);
  add("lengths that no tile divides", 77, 101);
  return choices;
}

std::vector<Subject> normaliserSubjects() {
  std::string file = "normalisers.attn";
  Accuracy forward = {.c = 16, .reduction = 32, .along = {"m"}};
  Accuracy backward = {.c = 32, .reduction = 40, .along = {"n", "m"}};
  Fillers key = {{"seed", below(1 << 30)}, {"step", below(100)}, {"length", upTo("m")}};
  std::vector<Choice> choices = lengths({{"batch", 2}, {"heads", 3}});
  std::vector<Subject> all;
  for (const char *entry :
       {"sinks", "linear", "sigmoids", "sparse", "halfway", "hardest", "sampled", "noisy", "broken", "of_both_signs"})
    all.push_back({file, entry, forward, choices, key});
  all.push_back(
      {file, "sink_of_few", forward, {{"long", {{"heads", 3}, {"m", 1100}}}, {"one", {{"heads", 1}, {"m", 1}}}}});
  for (const char *entry : {"sinks_gradient", "linear_gradient", "sigmoid_gradient", "halfway_gradient",
                            "hard_gradient", "sample_gradient", "noisy_gradient", "stick_gradient", "signs_gradient"})
    all.push_back({file, entry, backward, choices, key});
  all.push_back({file,
                 "plain_sink_gradient",
                 {.c = 32, .reduction = 40, .along = {"n"}},
                 {{"short", {{"heads", 2}, {"n", 5}}}, {"in splits", {{"heads", 1}, {"n", 300}}}}});
  return all;
}

std::vector<Subject> scoreSubjects() {
  Accuracy overKeys = {.c = 8, .reduction = 16, .along = {"m"}};
  Accuracy overQueries = {.c = 8, .reduction = 16, .along = {"n"}};
  std::vector<Choice> plain = lengths(), heads = lengths({{"heads", 3}}), mixed = lengths({{"heads", 3}, {"mixed", 4}});
  return {
      {"scores.attn", "grouped", {.c = 8, .reduction = 24, .along = {"m"}}, plain},
      {"scores.attn",
       "of_a_projection",
       overQueries,
       {{"one position", {{"n", 1}}}, {"short", {{"n", 5}}}, {"long", {{"n", 150}}}}},
      {"scores.attn", "soft_cap", overKeys, heads},
      {"scores.attn", "learned_bias", overKeys, heads},
      {"scores.attn",
       "linear_bias",
       overQueries,
       {{"short", {{"heads", 2}, {"n", 5}}}, {"long", {{"heads", 2}, {"n", 150}}}},
       {{"slope", uniform(0, 0.5)}}},
      {"scores.attn", "additive", overKeys, plain},
      {"scores.attn", "content", overKeys, plain},
      {"scores.attn",
       "feature_wise",
       {.c = 8, .reduction = 1, .along = {"m"}},
       {{"one batch", {{"batch", 1}, {"m", 70}}}, {"batches", {{"batch", 5}, {"m", 33}}}}},
      {"scores.attn", "triangle", {.c = 16, .reduction = 4, .along = {"m"}}, plain},
      {"scores.attn", "local_p", overKeys, plain, {{"centre", uniform(0, 100)}}},
      {"scores.attn", "pointer", overKeys, plain, {{"length", upTo("m")}}},
      {"scores.attn",
       "grid",
       {.c = 8, .reduction = 8, .along = {"height", "width"}},
       {{"wide", {{"n", 20}, {"height", 5}, {"width", 30}}},
        {"high", {{"n", 70}, {"height", 40}, {"width", 3}}},
        {"one cell", {{"n", 3}, {"height", 1}, {"width", 1}}}}},
      {"scores.attn", "statistics", overKeys, plain},
      {"scores.attn", "talking", {.c = 16, .reduction = 80, .along = {"m"}}, mixed},
      {"scores.attn", "talking_of_pairs", {.c = 16, .reduction = 80, .along = {"m"}}, mixed},
      {"scores.attn", "talking_gradient", {.c = 32, .reduction = 160, .along = {"n", "m"}}, mixed},
      {"scores.attn", "linear_chunks", {.c = 16, .reduction = 64, .along = {"n"}}, heads},
      {"scores.attn", "linear_apart", {.c = 64, .reduction = 400}, {{"three chunks", {{"heads", 3}}}}},
      {"scores.attn", "linear_gradient", {.c = 64, .reduction = 400, .along = {"n"}}, heads},
      {"scores.attn", "renormalised", overKeys, plain},
      {"scores.attn", "watched", {.c = 8, .reduction = 16, .along = {"n", "m"}}, plain, {{"length", upTo("m")}}},
      {"scores.attn",
       "watched_gradient",
       {.c = 32, .reduction = 40, .along = {"n", "m"}},
       plain,
       {{"length", upTo("m")}}},
      {"scores.attn",
       "watched_grid",
       {.c = 8, .reduction = 8, .along = {"n", "height", "width"}},
       {{"wide", {{"n", 20}, {"height", 5}, {"width", 30}}}, {"one cell", {{"n", 3}, {"height", 1}, {"width", 1}}}}},
      {"scores.attn", "wide", {.c = 8, .reduction = 256, .along = {"m"}}, plain},
  };
}

} // namespace attnc::e2e
