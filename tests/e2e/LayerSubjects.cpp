#include "attn/status.h"
#include "tests/e2e/Subject.h"
#include <cmath>
#include <fmt/format.h>

namespace attnc::e2e {

static constexpr int32_t outOfRange = ATTN_OUT_OF_RANGE;

static std::vector<Choice> rows() {
  return {{"one row", {{"rows", 1}}},
          {"a few rows", {{"rows", 5}}},
          {"rows that no tile divides", {{"rows", 67}}},
          {"no rows", {{"rows", 0}}}};
}

static std::vector<Choice> sequences() {
  return {{"one token", {{"batch", 1}, {"seq", 1}}},
          {"a sequence", {{"batch", 1}, {"seq", 37}}},
          {"batches", {{"batch", 3}, {"seq", 21}}},
          {"empty batch", {{"batch", 0}, {"seq", 4}}}};
}

static std::vector<Subject> parameterisedSubjects() {
  Accuracy linear = {.c = 8, .reduction = 48}, mlp = {.c = 16, .reduction = 150};
  return {
      {"layers.attn", "apply_linear", linear, sequences()},
      {"layers.attn", "apply_unbiased", linear, rows()},
      {"layers.attn", "apply_narrow", linear, rows()},
      {"layers.attn", "apply_filter", {.c = 8, .reduction = 150}, sequences()},
      {"layers.attn", "apply_waves", {.c = 32, .reduction = 150}, sequences()},
      {"layers.attn", "waves_gradient", {.c = 64, .reduction = 300, .along = {"seq"}}, sequences()},
      {"layers.attn", "apply_norm", linear, sequences()},
      {"layers.attn", "apply_rms", linear, rows()},
      {"layers.attn", "apply_mlp", mlp, rows()},
      {"layers.attn", "apply_gated", mlp, rows()},
      {"layers.attn", "embed", {}, sequences(), {{"tokens", below(64)}}},
      {"layers.attn",
       "embed",
       {},
       {{"a token out of range", {{"batch", 1}, {"seq", 4}}, {{"tokens", except(constant(0), 2, 64)}}, outOfRange},
        {"a negative token", {{"batch", 1}, {"seq", 4}}, {{"tokens", except(constant(0), 3, -1)}}, outOfRange}}},
      {"layers.attn", "attention", {.c = 16, .reduction = 96, .along = {"seq"}}, sequences()},
      {"layers.attn", "rotary", {.c = 16, .reduction = 96, .along = {"seq"}}, sequences()},
  };
}

static std::vector<Subject> expertSubjects() {
  Accuracy sums = {.c = 16, .reduction = 124};
  std::vector<Choice> some = rows();
  some.push_back({"an expert out of range", {{"rows", 3}}, {{"best", except(constant(1), 4, 5)}}, outOfRange});
  some.push_back({"a negative expert", {{"rows", 30}}, {{"best", except(constant(1), 9, -1)}}, outOfRange});
  some.push_back({"one expert", {{"rows", 30}}, {{"best", constant(4)}}});
  return {{"experts.attn", "mixed", sums, rows()},
          {"experts.attn", "selected", sums, some, {{"best", below(5)}}},
          {"experts.attn", "mixed_gradient", {.c = 64, .reduction = 124, .along = {"rows"}}, rows()}};
}

/// Fills reals, of which every third is a special case of the conversion to i32.
static Filler anyReal() {
  return [](Random &random, int64_t element, const Dimensions &) {
    const double special[] = {NAN, INFINITY, -INFINITY, 3e9, -3e9, 0x1p31, -0x1p31, 2147483520.0, -0.75, 1e-40};
    return element % 3 == 0 ? special[element / 3 % 10] : random.uniform(-1e4, 1e4);
  };
}

static std::vector<Subject> operatorSubjects() {
  std::vector<Choice> distributions = {{"one class", {{"rows", 3}, {"n", 1}}},
                                       {"few classes", {{"rows", 40}, {"n", 7}}},
                                       {"many classes", {{"rows", 3}, {"n", 1000}}},
                                       {"large logits", {{"rows", 9}, {"n", 30}}, {{"x", uniform(-200, 200)}}}};
  std::vector<Choice> products = {{"vector by matrix", {{"m", 1}, {"k", 70}, {"n", 90}}},
                                  {"tall", {{"m", 131}, {"k", 20}, {"n", 3}}},
                                  {"wide", {{"m", 4}, {"k", 33}, {"n", 200}}},
                                  {"square", {{"m", 64}, {"k", 64}, {"n", 64}}},
                                  {"nothing to sum", {{"m", 3}, {"k", 0}, {"n", 5}}}};
  std::vector<Choice> batches = products;
  for (Choice &choice : batches)
    choice.dimensions["batch"] = 3;
  std::vector<Choice> matrices = {
      {"wide", {{"m", 3}, {"n", 500}}}, {"tall", {{"m", 300}, {"n", 5}}}, {"one element", {{"m", 1}, {"n", 1}}}};
  std::vector<Choice> vectors = {{"one", {{"n", 1}}}, {"odd", {{"n", 1003}}}, {"none", {{"n", 0}}}};
  return {
      {"tensors.attn", "distribution", {.c = 16, .along = {"n"}}, distributions},
      {"tensors.attn", "loss", {.c = 16, .reduction = 50}, {{"a batch", {{"rows", 33}}}}, {{"targets", below(50)}}},
      {"tensors.attn", "activations", {.c = 16}, vectors, {{"x", uniform(-12, 12)}}},
      {"tensors.attn", "products", {.c = 8, .along = {"k"}}, products},
      {"tensors.attn", "batched", {.c = 8, .along = {"k"}}, batches},
      {"tensors.attn", "reductions", {.c = 8, .along = {"m", "n"}}, matrices},
      {"tensors.attn", "places", {}, matrices},
      {"tensors.attn", "slices", {}, {{"rows", {{"m", 9}}}}},
      {"tensors.attn", "neighbours", {}, vectors},
      {"tensors.attn", "shifted", {}, {{"a vector and one", {{"n", 17}}}, {"few", {{"n", 5}}}}},
      {"tensors.attn", "quotients", {}, {{"of nothing", {{"n", 0}, {"m", 9}}}, {"of rows", {{"n", 3}, {"m", 9}}}}},
      {"tensors.attn", "alternating", {}, vectors},
      {"tensors.attn", "gather", {}, {{"rows", {{"n", 30}}}}, {{"rows", below(20)}}},
      {"tensors.attn", "whole_numbers", {}, vectors, {{"x", anyReal()}}},
  };
}

/// Subjects whose subscripts follow from indices, checked at run time: the largest is 9 for 4 and 4 elements of y, z.
static std::vector<Subject> uncheckedSubjects() {
  std::vector<Choice> choices = {{"in range", {{"k", 10}, {"n", 4}, {"m", 4}}},
                                 {"one behind the last", {{"k", 9}, {"n", 4}, {"m", 4}}, {}, outOfRange},
                                 {"many behind the last", {{"k", 9}, {"n", 70}, {"m", 40}}, {}, outOfRange}};
  std::vector<Subject> subjects;
  for (const char *entry :
       {"picked_product", "picked_square_of_step", "picked_in_score", "picked_of_constant", "picked_sum_gradient"})
    subjects.push_back({"picks.attn", entry, {.c = 64, .reduction = 16}, choices});
  for (const char *entry : {"picked_quotient", "picked_remainder"})
    subjects.push_back({"picks.attn",
                        entry,
                        {.c = 16},
                        {{"in range", {{"k", 10}, {"n", 30}, {"m", 4}}},
                         {"one behind the last", {{"k", 2}, {"n", 30}, {"m", 4}}, {}, outOfRange}}});
  return subjects;
}

/// Subjects of index arithmetic that exceeds 32 bits.
static std::vector<Subject> farSubjects() {
  std::vector<Subject> subjects = {
      {"picks.attn",
       "resampled",
       {},
       {{"more elements", {{"k", 50000}, {"n", 60000}}}, {"fewer", {{"k", 9}, {"n", 4}}}}}};
  for (const char *entry : {"hashed", "squares"})
    subjects.push_back({"picks.attn", entry, {}, {{"elements", {{"n", 70000}}}}});
  for (const char *entry : {"where_far", "masked_far"})
    subjects.push_back({"picks.attn", entry, {.c = 16, .reduction = 60}, {{"elements", {{"n", 60}}}}});
  return subjects;
}

/// Subjects that gather one of five elements, or return positions of maxima.
static std::vector<Subject> pickingSubjects() {
  Dimensions sizes = {{"n", 30}};
  std::vector<Choice> choices = {{"in range", sizes},
                                 {"one behind the last", sizes, {{"at", except(below(5), 7, 5)}}, outOfRange},
                                 {"one before the first", sizes, {{"at", except(below(5), 29, -1)}}, outOfRange}};
  std::vector<Subject> subjects;
  for (const char *entry :
       {"picked_number", "picked_constant", "picked_of_tail", "picked_of_part", "picked_key", "picked_in_sum"})
    subjects.push_back({"picks.attn", entry, {.c = 16, .along = {"n"}}, choices, {{"at", below(5)}}});
  for (const char *entry : {"picked_score", "picked_gradient"})
    subjects.push_back({"picks.attn",
                        entry,
                        {.c = 64, .reduction = 64},
                        {{"rows", {{"n", 38}, {"m", 5}}}, {"no elements", {{"n", 3}, {"m", 0}}, {}, outOfRange}},
                        {{"at", below(5)}}});
  subjects.push_back({"picks.attn", "places_of_map", {.c = 64, .reduction = 64}, {{"rows", {{"n", 38}, {"m", 2}}}}});
  return subjects;
}

/// A key is an unsigned 32-bit integer.
static std::vector<Subject> randomSubjects() {
  Fillers key = {{"seed", below(1 << 30)}, {"step", below(1000)}};
  Fillers high = {{"seed", constant(-2)}, {"step", constant(-1)}};
  std::vector<Choice> matrices = {{"wide", {{"n", 3}, {"m", 501}}},
                                  {"tall", {{"n", 300}, {"m", 5}}},
                                  {"one element", {{"n", 1}, {"m", 1}}},
                                  {"a key of high bits", {{"n", 4}, {"m", 37}}, high}};
  std::vector<Choice> heads = matrices, batches;
  for (Choice &choice : heads)
    choice.dimensions["h"] = 2;
  for (int64_t seq : {1, 19, 70})
    batches.push_back({fmt::format("{} tokens", seq), {{"batch", 2}, {"seq", seq}}});
  return {
      {"random.attn", "drawn", {}, matrices, key},
      {"random.attn", "layered", {}, matrices, key},
      {"random.attn", "attended", {.c = 8, .reduction = 8, .along = {"m"}}, heads, key},
      {"random.attn",
       "train",
       {.c = 16, .reduction = 100, .along = {"seq"}},
       batches,
       {{"x", below(7)}, {"targets", below(7)}, {"seed", below(1 << 30)}}},
  };
}

std::vector<Subject> layerSubjects() {
  std::vector<Subject> all = parameterisedSubjects();
  for (const std::vector<Subject> &others :
       {expertSubjects(), operatorSubjects(), uncheckedSubjects(), farSubjects(), pickingSubjects(), randomSubjects()})
    all.insert(all.end(), others.begin(), others.end());
  return all;
}

} // namespace attnc::e2e
