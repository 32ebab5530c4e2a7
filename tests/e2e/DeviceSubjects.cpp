#include "attn/status.h"
#include "tests/e2e/Subject.h"
#include <map>
#include <set>

namespace attnc::e2e {

static std::vector<Subject> layersOnDevice() {
  std::vector<Choice> rows = {{"one row", {{"rows", 1}}}, {"rows that no block divides", {{"rows", 67}}}},
                      sequences = {{"a sequence", {{"batch", 1}, {"seq", 37}}},
                                   {"batches", {{"batch", 3}, {"seq", 21}}},
                                   {"empty batch", {{"batch", 0}, {"seq", 4}}}};
  Accuracy linear = {.c = 8, .reduction = 48}, mlp = {.c = 16, .reduction = 150};
  return {
      {"device.attn", "apply_norm", linear, sequences},
      {"device.attn", "apply_rms", linear, rows},
      {"device.attn", "apply_filter", {.c = 8, .reduction = 150}, sequences},
      {"device.attn", "apply_gated", mlp, rows},
      {"device.attn", "embed", linear, sequences, {{"tokens", below(64)}}},
      {"device.attn",
       "embed",
       {},
       {{"a token out of range",
         {{"batch", 1}, {"seq", 4}},
         {{"tokens", except(constant(0), 2, 64)}},
         ATTN_OUT_OF_RANGE}}},
      {"device.attn", "residual", {.c = 32, .reduction = 450}, rows},
      {"device.attn", "classify", mlp, rows},
      {"device.attn", "long_rows", {.c = 16, .reduction = 5000}, {{"rows", {{"rows", 3}}}}},
      {"device.attn",
       "any_rows",
       {.c = 16, .along = {"m"}},
       {{"rows", {{"n", 5}, {"m", 70}}}, {"empty", {{"n", 5}, {"m", 0}}}}},
      {"device.attn", "narrow_product", {.c = 8, .reduction = 4096}, rows},
      {"device.attn",
       "total",
       {.c = 8, .along = {"n"}},
       {{"one", {{"n", 1}}}, {"many", {{"n", 10007}}}, {"none", {{"n", 0}}}}},
      {"device.attn", "truths", {}, {{"rows", {{"n", 37}, {"m", 41}}}, {"nothing to hold", {{"n", 3}, {"m", 0}}}}},
  };
}

/// Data movement by host code between kernels.
static std::vector<Subject> movesOnDevice() {
  Accuracy linear = {.c = 8, .reduction = 48};
  Fillers tokens = {{"tokens", below(13)}, {"length", below(15)}, {"count", upTo("seq")}};
  Fillers prompts = {{"prompt", below(13)}, {"seed", below(1 << 30)}};
  prompts["prompt_length"] = [](Random &random, int64_t, const Dimensions &dimensions) {
    return double(1 + random.below(dimensions.at("seq")));
  };
  std::vector<Choice> texts = {{"rows", {{"batch", 5}, {"seq", 9}}}, {"one token", {{"batch", 1}, {"seq", 1}}}};
  std::vector<Choice> rows = {{"one", {{"n", 1}}}, {"many", {{"n", 13}}}, {"none", {{"n", 0}}}};
  std::vector<Subject> all = {
      {"moves.attn",
       "next_prefill",
       linear,
       {{"rows", {{"batch", 3}, {"seq", 4}}},
        {"empty batch", {{"batch", 0}, {"seq", 2}}},
        {"a length below 0", {{"batch", 2}, {"seq", 4}}, {{"length", constant(-1)}}, ATTN_FULL}},
       tokens},
      {"moves.attn", "next", linear, {{"rows", {{"batch", 3}}}}, tokens},
      {"moves.attn", "same", {}, rows},
      {"moves.attn", "running", {.along = {"n"}}, rows},
      {"moves.attn", "narrow", {.along = {"n"}}, rows},
  };
  for (const char *name : {"write", "draw", "search"})
    all.push_back({"moves.attn", name, {}, texts, prompts});
  return all;
}

/// Returns true if the device runs a part of the subject's model.
static bool runsOnDevice(const Subject &subject) {
  static const std::map<std::string, std::set<std::string>> entries = {
      {"gpt.attn", {"logits"}},
      {"incremental.attn",
       {"shift", "shift_prefill", "next", "next_prefill", "local_prefill", "translate_begin", "translate"}},
      {"recurrent.attn", {"step", "step_prefill", "next_prefill"}},
      {"scans.attn", {"forwards", "padded", "backwards", "seven", "pointers", "noisy"}}};
  auto found = entries.find(subject.file);
  return found != entries.end() && found->second.contains(subject.entry);
}

/// Subjects of every kind of attention, at a few lengths that are no multiple of threads or tiles.
static std::vector<Subject> attentionOnDevice() {
  static const std::set<std::string> refused = {"sparse", "halfway", "watched", "watched_grid"};
  static const std::set<std::string> few = {"one query, one key", "a few queries", "no keys",
                                            "a value that only later rows may keep, not a number"};
  std::vector<Subject> all;
  for (const auto &table : {maskSubjects(), scoreSubjects(), normaliserSubjects()})
    for (Subject subject : table) {
      if (refused.contains(subject.entry) || subject.entry.find("gradient") != std::string::npos)
        continue;
      if (subject.choices.size() > few.size())
        std::erase_if(subject.choices, [&](const Choice &each) { return !few.contains(each.name); });
      all.push_back(subject);
    }
  return all;
}

std::vector<Subject> deviceSubjects() {
  std::vector<Subject> all = layersOnDevice();
  for (const Subject &subject : attentionOnDevice())
    all.push_back(subject);
  for (const Subject &subject : movesOnDevice())
    all.push_back(subject);
  for (const auto &table : {layerSubjects(), modelSubjects(), incrementalSubjects(), scanSubjects()})
    for (const Subject &subject : table)
      if (subject.file == "tensors.attn" || runsOnDevice(subject))
        all.push_back(subject);
  for (const Subject &subject : exampleSubjects())
    all.push_back(subject);
  for (Subject &subject : all)
    subject.target = "cuda";
  return all;
}

} // namespace attnc::e2e
