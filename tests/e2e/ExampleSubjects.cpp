// Subjects of the programs under examples/ at small sizes: all entry points except steps of training.
#include "tests/e2e/Subject.h"

namespace attnc::e2e {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Fills rows of `size` tokens: row r has 1 + r % size nonzero tokens, followed by zeros.
static Filler texts(const std::string &size, int64_t vocab) {
  return [=](Random &random, int64_t element, const Dimensions &dimensions) {
    int64_t longest = dimensions.at(size), row = element / longest, length = 1 + row % longest;
    return element % longest < length ? static_cast<double>(1 + random.below(vocab - 1)) : 0;
  };
}

static void append(std::vector<Subject> &all, std::vector<Subject> more) {
  all.insert(all.end(), more.begin(), more.end());
}

static std::vector<Subject> digits() {
  const std::string file = "/examples/digits/digits.attn";
  Accuracy squares = {.c = 8, .reduction = 64, .along = {"n"}};
  Fillers images = {{"images", below(17)}, {"keys", below(17)}, {"digits", below(10)}, {"bandwidth", constant(9)}};
  std::vector<Choice> some = {{"images", {{"queries", 20}, {"n", 150}}}, {"one image", {{"queries", 1}, {"n", 150}}}};
  return {{file, "classify", squares, some, images},
          {file, "leave_one_out", squares, {{"images", {{"n", 70}}}}, images},
          {file, "influence", squares, some, images}};
}

static std::vector<Subject> gpt2() {
  const std::string file = "/examples/gpt2/gpt2.attn";
  const Settings small = {{"vocab", "70"}, {"context", "32"}, {"layers", "2"}, {"heads", "2"}, {"dim", "32"}};
  Accuracy deep = {.c = 32, .reduction = 3 * 300};
  Fillers tokens = {{"tokens", below(70)}};
  return {{file, "logits", deep, {{"a sequence", {{"batch", 1}, {"seq", 30}}}}, tokens, small},
          {file, "last", deep, {{"batches", {{"batch", 2}, {"seq", 9}}}}, tokens, small}};
}

static std::vector<Subject> chargpt() {
  const std::string file = "/examples/chargpt/chargpt.attn";
  const Settings small = {{"vocab", "31"}, {"context", "70"}, {"layers", "2"}, {"heads", "2"}, {"dim", "16"}};
  Accuracy deep = {.c = 32, .reduction = 3 * 300};
  Fillers tokens = {{"tokens", below(31)},  {"targets", below(31)},         {"length", below(15)},
                    {"prompt", below(31)},  {"prompt_length", constant(3)}, {"temperature", constant(0.75)},
                    {"top_k", constant(7)}, {"top_p", constant(0.875)},     {"seed", constant(5)}};
  std::vector<Choice> batches = {{"batches", {{"batch", 2}, {"seq", 9}, {"capacity", 24}}}};
  std::vector<Subject> all;
  for (const char *entry : {"logits", "maps", "loss", "next_prefill", "next"})
    all.push_back({file, entry, deep, batches, tokens, small});
  all.push_back({file, "write", {}, {{"a prompt", {{"batch", 1}, {"seq", 3}}}}, tokens, small});
  return all;
}

static std::vector<Subject> seq2seq() {
  const std::string file = "/examples/seq2seq/seq2seq.attn";
  const Settings small = {{"vocab", "23"}, {"embedding", "8"}, {"dim", "16"}, {"longest", "6"}};
  Accuracy steps = {.c = 32, .reduction = 300};
  std::vector<Choice> names = {{"names", {{"batch", 5}, {"n", 5}, {"m", 4}}}};
  Fillers letters = {{"source", texts("n", 23)}, {"target", texts("m", 23)}};
  std::vector<Subject> all;
  for (const char *entry : {"accuracy", "alignment", "loss", "translate"})
    all.push_back({file, entry, steps, names, letters, small});
  return all;
}

static std::vector<Subject> pointer() {
  const std::string file = "/examples/pointer/pointer.attn";
  const Settings small = {{"inputs", "5"}, {"dim", "16"}};
  Accuracy steps = {.c = 32, .reduction = 300};
  std::vector<Choice> rows = {{"rows", {{"batch", 3}, {"n", 5}}}};
  Fillers inputs = {{"x", uniform(0, 1)}, {"targets", below(5)}, {"seed", constant(5)}, {"step", constant(3)}};
  std::vector<Subject> all;
  for (const char *entry : {"numbers", "points", "loss", "exact", "solve", "pointed"})
    all.push_back({file, entry, steps, rows, inputs, small});
  return all;
}

static std::vector<Subject> ntm() {
  const std::string file = "/examples/ntm/ntm.attn";
  const Settings small = {{"bits", "3"}, {"longest", "4"}, {"places", "8"}, {"width", "4"}, {"dim", "12"}};
  Accuracy steps = {.c = 64, .reduction = 600};
  std::vector<Choice> rows = {{"texts", {{"batch", 3}, {"n", 4}}}};
  Fillers bits = {{"length", constant(3)}, {"seed", constant(5)}, {"step", constant(3)}};
  bits["text"] = [](Random &random, int64_t, const Dimensions &) { return static_cast<double>(random.below(2)); };
  std::vector<Subject> all;
  for (const char *entry : {"texts", "long_texts", "loss", "errors", "heads"})
    all.push_back({file, entry, steps, rows, bits, small});
  return all;
}

static std::vector<Subject> vit() {
  const std::string file = "/examples/vit/vit.attn";
  const Settings small = {{"dim", "16"}, {"heads", "2"}, {"layers", "2"}};
  Fillers images = {{"images", uniform(0, 1)}, {"digits", below(10)}};
  std::vector<Subject> all;
  for (const char *entry : {"logits", "accuracy", "maps"})
    all.push_back({file, entry, {.c = 32, .reduction = 300}, {{"images", {{"batch", 3}}}}, images, small});
  return all;
}

static std::vector<Subject> stn() {
  const std::string file = "/examples/stn/stn.attn";
  Fillers images = {{"images", uniform(0, 1)}, {"scenes", uniform(0, 1)}, {"digits", below(10)},
                    {"seed", constant(5)},     {"step", constant(3)}};
  std::vector<Subject> all;
  for (const char *entry : {"scenes", "accuracy", "theta", "shown"})
    all.push_back({file, entry, {.c = 32, .reduction = 600}, {{"scenes", {{"batch", 3}}}}, images});
  return all;
}

std::vector<Subject> exampleSubjects() {
  std::vector<Subject> all;
  for (const auto &each : {digits(), gpt2(), chargpt(), seq2seq(), pointer(), ntm(), vit(), stn()})
    append(all, each);
  return all;
}

} // namespace attnc::e2e
