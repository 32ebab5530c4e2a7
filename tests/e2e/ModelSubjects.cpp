#include "tests/e2e/Subject.h"

namespace attnc::e2e {

static constexpr int32_t badArgument = 1; // ATTN_BAD_ARGUMENT
static constexpr int32_t notInRange = 5;  // ATTN_OUT_OF_RANGE
static constexpr int32_t full = 8;        // ATTN_FULL

/// Subjects with paged caches: blocks in any order, and entries after the last position of a row that are no blocks.
static void addPaged(std::vector<Subject> &subjects, const Accuracy &accuracy, const Fillers &common) {
  Fillers inputs = common;
  inputs["length"] = below(10);
  inputs["count"] = upTo("seq");
  inputs["keys"] = below(61); // tokens in `paged_pick`
  inputs["table"] = [](Random &, int64_t entry, const Dimensions &sizes) {
    return entry % sizes.at("row_blocks") < 4 ? double(5 * entry % sizes.at("blocks")) : -1.0;
  };
  Dimensions sizes = {{"batch", 3}, {"seq", 6}, {"row_blocks", 6}, {"blocks", 19}}, none = sizes;
  none["batch"] = 0;
  std::vector<Choice> chunks = {
      {"rows", sizes},
      {"one position", {{"batch", 2}, {"seq", 1}, {"row_blocks", 4}, {"blocks", 8}}},
      {"empty batch", none},
      {"no room", {{"batch", 2}, {"seq", 6}, {"row_blocks", 2}, {"blocks", 8}}, {{"length", constant(28)}}, full},
      {"a count below 0", sizes, {{"count", constant(-1)}}, full},
      {"a block that does not exist", sizes, {{"table", constant(19)}, {"length", constant(3)}}, notInRange},
      {"a block below 0", sizes, {{"table", constant(-1)}, {"length", constant(3)}}, notInRange}};
  std::vector<Choice> steps = {chunks[0], chunks[2], chunks[3], chunks[5]};
  steps[2].inputs = {{"length", constant(32)}};
  for (const char *name : {"paged", "paged_local", "paged_pick"}) {
    subjects.push_back({"incremental.attn", std::string(name) + "_prefill", accuracy, chunks, inputs});
    subjects.push_back({"incremental.attn", name, accuracy, steps, inputs});
  }
}

/// Subjects of functions made by `incremental`: rows of different lengths, the last slot of a cache, and a full cache.
std::vector<Subject> incrementalSubjects() {
  Fillers lengths = {{"tokens", below(61)}, {"source", below(61)}, {"length", below(15)}};
  std::vector<Choice> chunks = {
      {"rows", {{"batch", 3}, {"seq", 6}, {"capacity", 20}, {"n", 7}}},
      {"one row", {{"batch", 1}, {"seq", 1}, {"capacity", 48}, {"n", 1}}},
      {"whole cache", {{"batch", 2}, {"seq", 11}, {"capacity", 11}, {"n", 3}}, {{"length", constant(0)}}},
      {"empty batch", {{"batch", 0}, {"seq", 2}, {"capacity", 5}, {"n", 2}}},
      {"no room", {{"batch", 2}, {"seq", 4}, {"capacity", 9}, {"n", 2}}, {{"length", constant(6)}}, full},
      {"a length below 0", {{"batch", 2}, {"seq", 4}, {"capacity", 9}, {"n", 2}}, {{"length", constant(-1)}}, full},
      {"a cache beyond the context",
       {{"batch", 1}, {"seq", 4}, {"capacity", 49}, {"n", 2}},
       {{"length", constant(0)}},
       badArgument}};
  std::vector<Choice> steps = {
      {"rows", {{"batch", 3}, {"capacity", 20}, {"n", 7}}},
      {"the last place", {{"batch", 2}, {"capacity", 20}, {"n", 3}}, {{"length", constant(19)}}},
      {"no room", {{"batch", 2}, {"capacity", 9}, {"n", 2}}, {{"length", constant(9)}}, full}};
  Accuracy deep = {.c = 32, .reduction = 3 * 300};
  std::vector<Subject> subjects = {{"incremental.attn", "translate_begin", deep, {chunks[0]}, lengths}};
  for (const char *name : {"next", "translate"}) {
    subjects.push_back({"incremental.attn", std::string(name) + "_prefill", deep, chunks, lengths});
    subjects.push_back({"incremental.attn", name, deep, steps, lengths});
  }
  // Rings never fill up. A row begins anywhere in its ring and has some or no positions of the call.
  Fillers counts = lengths;
  counts["count"] = upTo("seq");
  std::vector<Choice> rings = {{"rows", {{"batch", 3}, {"seq", 4}}},
                               {"more than the ring", {{"batch", 3}, {"seq", 14}}},
                               {"one position", {{"batch", 2}, {"seq", 1}}},
                               {"empty batch", {{"batch", 0}, {"seq", 2}}},
                               {"a length below 0", {{"batch", 2}, {"seq", 4}}, {{"length", constant(-1)}}, full},
                               {"a count below 0", {{"batch", 2}, {"seq", 4}}, {{"count", constant(-1)}}, full},
                               {"more than the call", {{"batch", 2}, {"seq", 4}}, {{"count", constant(5)}}, full}};
  std::vector<Choice> places = {{"rows", {{"batch", 3}}}, {"far", {{"batch", 2}}, {{"length", constant(46)}}}};
  Fillers tokens = {{"keys", below(61)}}; // a ring of tokens
  for (const char *name : {"local", "shift", "pick"}) {
    bool hasTokens = std::string(name) == "pick";
    for (Fillers *inputs : {&counts, &lengths})
      if (hasTokens)
        inputs->insert(tokens.begin(), tokens.end());
    subjects.push_back({"incremental.attn", std::string(name) + "_prefill", deep, rings, counts});
    subjects.push_back({"incremental.attn", name, deep, places, lengths});
  }
  addPaged(subjects, deep, lengths);
  // The carried values of scans are rings, too.
  Fillers words = {{"tokens", below(13)}, {"source", below(13)}, {"length", below(15)}, {"count", upTo("seq")}};
  std::vector<Choice> scans = {{"rows", {{"batch", 3}, {"seq", 4}, {"n", 7}, {"capacity", 20}}}, rings[3], rings[4]};
  for (Choice &each : scans)
    each.dimensions.insert({{"n", 7}, {"capacity", 20}});
  for (const char *name : {"next", "step", "translate", "number"}) {
    subjects.push_back({"recurrent.attn", std::string(name) + "_prefill", deep, scans, words});
    subjects.push_back({"recurrent.attn", name, deep, {scans[0]}, words});
  }
  return subjects;
}

/// Tokens must be equal to the oracle's.
std::vector<Subject> decodeSubjects() {
  Fillers inputs = {{"prompt", below(13)}, {"source", below(13)}, {"seed", below(1 << 30)}};
  inputs["prompt_length"] = [](Random &random, int64_t, const Dimensions &dimensions) {
    return double(1 + random.below(dimensions.at("seq")));
  };
  std::vector<Choice> prompts = {{"rows", {{"batch", 5}, {"seq", 9}, {"n", 4}}},
                                 {"one token", {{"batch", 1}, {"seq", 1}, {"n", 2}}},
                                 {"as long as there is room for", {{"batch", 2}, {"seq", 29}, {"n", 3}}},
                                 {"empty batch", {{"batch", 0}, {"seq", 5}, {"n", 3}}}};
  std::vector<Subject> subjects;
  for (const char *name : {"write", "write_until", "write_near", "write_translation", "draw", "draw_few", "search",
                           "search_until", "search_near", "search_translation", "texts"})
    subjects.push_back({"decode.attn", name, {}, prompts, inputs});
  Choice rows = {"rows", {{"batch", 3}}};
  subjects.push_back({"decode.attn", "repeated", {}, {rows}, {{"tokens", below(13)}}});
  Accuracy deep = {.c = 32, .reduction = 3 * 300, .along = {"batch"}};
  subjects.push_back({"decode.attn", "own_gradient", deep, {prompts[0], prompts[1]}, inputs});
  return subjects;
}

/// Layers, losses and noise of text systems, from the prelude.
static std::vector<Subject> textSubjects() {
  Fillers words = {{"source", below(61)}, {"tokens", below(61)}, {"targets", below(61)}, {"length", upTo("n")}};
  Fillers trained = words, steps = {{"length", upTo("time")}};
  trained["seed"] = below(1 << 30);
  Fillers key = {{"seed", below(1 << 30)}, {"step", below(1000)}};
  std::vector<Choice> pairs = {{"rows", {{"batch", 3}, {"n", 7}, {"seq", 19}}},
                               {"one word", {{"batch", 2}, {"n", 1}, {"seq", 1}}}};
  std::vector<Choice> sequences = {{"short", {{"batch", 2}, {"seq", 5}}}, {"far", {{"batch", 1}, {"seq", 43}}}};
  std::vector<Choice> choices = {{"steps", {{"batch", 3}, {"time", 11}}}, {"no steps", {{"batch", 2}, {"time", 0}}}};
  Accuracy deep = {.c = 32, .reduction = 3 * 300, .along = {"batch", "n"}};
  Accuracy sums = {.c = 32, .reduction = 200, .along = {"batch", "seq"}};
  return {
      {"text.attn", "logits", deep, pairs, words},
      {"text.attn", "train", deep, pairs, trained},
      {"text.attn", "relative", sums, sequences},
      {"text.attn", "relative_gradient", sums, sequences},
      {"text.attn", "noise", {}, {{"numbers", {{"n", 37}, {"m", 101}}}}, key},
      {"text.attn", "sample", {.c = 16, .along = {"rows"}}, {{"rows", {{"rows", 37}}}}, trained},
      {"text.attn", "chosen_gradient", {.c = 16, .along = {"batch", "time"}}, choices, steps},
  };
}

std::vector<Subject> modelSubjects() {
  std::vector<Choice> sequences = {{"one token", {{"batch", 1}, {"seq", 1}}},
                                   {"a sequence", {{"batch", 1}, {"seq", 48}}},
                                   {"batches", {{"batch", 3}, {"seq", 17}}},
                                   {"empty batch", {{"batch", 0}, {"seq", 5}}},
                                   {"a sequence beyond the context", {{"batch", 1}, {"seq", 49}}, {}, badArgument}};
  Accuracy deep = {.c = 32, .reduction = 3 * 300};
  auto tokens = below(61);
  std::vector<Subject> subjects = {
      {"gpt.attn", "logits", deep, sequences, {{"tokens", tokens}}},
      {"gpt.attn", "loss", deep, {{"batches", {{"batch", 3}, {"seq", 17}}}}, {{"tokens", tokens}, {"targets", tokens}}},
      {"gpt.attn",
       "loss_gradient",
       deep,
       {{"batches", {{"batch", 3}, {"seq", 17}}}, {"one token", {{"batch", 1}, {"seq", 1}}}},
       {{"tokens", tokens}, {"targets", tokens}}},
      {"gpt.attn",
       "loss_gradient",
       deep,
       {{"one layer", {{"batch", 3}, {"seq", 17}}}},
       {{"tokens", tokens}, {"targets", tokens}},
       {{"layers", "1"}}},
  };
  for (const Subject &subject : textSubjects())
    subjects.push_back(subject);
  return subjects;
}

} // namespace attnc::e2e
