// Subjects of ranks, axes and orders of dimensions.
#include "tests/e2e/Subject.h"
#include <cmath>

namespace attnc::e2e {

static std::vector<Choice> volumes(const std::vector<std::string> &names) {
  auto sized = [&](std::vector<int64_t> sizes) {
    Dimensions dimensions;
    for (size_t each = 0; each < names.size(); ++each)
      dimensions[names[each]] = sizes[each];
    return dimensions;
  };
  return {{"one element", sized({1, 1, 1, 1})},
          {"small", sized({2, 3, 5, 4})},
          {"that no tile divides", sized({3, 17, 33, 2})},
          {"one empty dimension", sized({4, 0, 3, 2})}};
}

static std::vector<Subject> rankSubjects() {
  std::vector<Choice> three = volumes({"a", "b", "c"}), four = volumes({"a", "b", "c", "d"});
  std::vector<Choice> matrices = volumes({"a", "b"});
  matrices.push_back({"several tiles", {{"a", 50}, {"b", 67}}});
  matrices.push_back({"whole tiles", {{"a", 32}, {"b", 64}}});
  Accuracy linear = {.c = 16, .reduction = 24}, sums = {.c = 8, .reduction = 40 * 40 * 40};
  return {
      {"ranks.attn", "project", linear, three},
      {"ranks.attn", "normalise", linear, three},
      {"ranks.attn", "deep", {.c = 32, .reduction = 3 * 24}, three},
      {"ranks.attn", "squares3", {}, three},
      {"ranks.attn", "squares4", {}, four},
      {"ranks.attn", "fixed", {}, volumes({"a", "c"})},
      {"ranks.attn", "total3", sums, three},
      {"ranks.attn", "total4", sums, four},
      {"ranks.attn", "leading", sums, three},
      {"ranks.attn", "trailing", sums, four},
      {"ranks.attn", "spread", {}, volumes({"n"})},
      {"ranks.attn", "taps", {.c = 8, .reduction = 4}, matrices},
      {"ranks.attn", "short_rows", {.c = 8, .reduction = 5}, matrices},
      {"ranks.attn", "turned", {}, matrices},
      {"ranks.attn", "reversed", {}, three, {{"n", below(1000)}}},
  };
}

static std::vector<Subject> positionSubjects() {
  std::vector<Choice> matrices = {{"one element", {{"n", 1}, {"m", 1}}},
                                  {"tall", {{"n", 90}, {"m", 7}}},
                                  {"wide", {{"n", 3}, {"m", 131}}},
                                  {"equal elements", {{"n", 20}, {"m", 37}}, {{"x", constant(0.25)}}},
                                  {"a NaN", {{"n", 20}, {"m", 37}}, {{"x", except(uniform(-1, 1), 45, NAN)}}},
                                  {"few values", {{"n", 64}, {"m", 64}}, {{"x", below(3)}}}};
  std::vector<Choice> volumes = {{"small", {{"n", 3}, {"m", 5}, {"k", 7}}}, {"long", {{"n", 2}, {"m", 70}, {"k", 33}}}};
  std::vector<Choice> vectors = {
      {"one", {{"n", 1}}}, {"odd", {{"n", 1003}}}, {"equal elements", {{"n", 100}}, {{"x", constant(-2)}}}};
  return {
      {"positions.attn", "first_axis", {}, matrices}, {"positions.attn", "first_axis_min", {}, matrices},
      {"positions.attn", "middle_axis", {}, volumes}, {"positions.attn", "last_axis", {}, matrices},
      {"positions.attn", "of_vector", {}, vectors},   {"positions.attn", "of_matrix", {}, matrices},
      {"positions.attn", "transposed", {}, matrices}, {"positions.attn", "of_columns", {}, matrices},
      {"positions.attn", "any_true", {}, matrices},   {"positions.attn", "all_true", {}, matrices},
  };
}

static std::vector<Subject> sizeSubjects() {
  auto images = [](std::vector<std::pair<int64_t, int64_t>> sizes) {
    std::vector<Choice> choices;
    for (auto [h, w] : sizes)
      choices.push_back({std::to_string(h) + " x " + std::to_string(w), {{"batch", 2}, {"h", h}, {"w", w}}});
    return choices;
  };
  auto lengths = [](std::vector<int64_t> sizes) {
    std::vector<Choice> choices;
    for (int64_t n : sizes)
      choices.push_back({std::to_string(n), {{"batch", 2}, {"n", n}}});
    return choices;
  };
  Accuracy sums = {.c = 8, .reduction = 72 * 64}, products = {.c = 8, .reduction = 32};
  return {
      {"sizes.attn", "image", sums, images({{1, 1}, {7, 16}, {33, 2}, {0, 5}})},
      {"sizes.attn", "image_gradient", {.c = 64, .reduction = 72 * 64}, images({{1, 1}, {7, 16}})},
      {"sizes.attn", "halved", products, lengths({0, 1, 17, 64})},
      {"sizes.attn", "strided", products, lengths({1, 2, 3, 4, 38})},
      {"sizes.attn", "padded", {}, lengths({0, 1, 16, 17, 64})},
      {"sizes.attn", "chunked", products, lengths({0, 1, 16, 37, 64})},
      {"sizes.attn", "chunked_gradient", {.c = 16, .reduction = 64}, lengths({1, 16, 37})},
      {"sizes.attn", "shifted", {}, {{"a row out of range", {{"n", 4}}, {}, outOfRange}}},
      {"sizes.attn", "shifted_columns", {}, {{"a column out of range", {{"n", 4}}, {}, outOfRange}}},
      {"sizes.attn", "shifted_layers", {}, {{"an element out of range", {{"n", 4}}, {}, outOfRange}}},
      {"sizes.attn", "blocks", {.c = 16, .reduction = 48}, lengths({0, 1, 4, 37, 130})},
  };
}

static std::vector<Subject> contractionSubjects() {
  auto sizes = [](int64_t p, int64_t m, int64_t k, int64_t n) {
    return Dimensions{{"p", p}, {"b", p}, {"m", m}, {"k", k}, {"n", n}};
  };
  std::vector<Choice> products = {{"small", sizes(3, 5, 7, 4)},
                                  {"one of each", sizes(1, 1, 1, 1)},
                                  {"that no tile divides", sizes(5, 67, 33, 50)},
                                  {"nothing to sum", sizes(2, 3, 0, 4)}};
  Accuracy sums = {.c = 8, .along = {"k"}}, both = {.c = 8, .reduction = 5 * 33};
  return {
      {"contractions.attn", "heads_inside", sums, products},
      {"contractions.attn", "heads_last", sums, products},
      {"contractions.attn", "split_depth", both, products},
      {"contractions.attn", "crossed_depth", both, products},
      {"contractions.attn", "crossed_columns", sums, products},
      {"contractions.attn", "channels_first", sums, products},
      {"contractions.attn", "one_column", sums, products},
      {"contractions.attn", "scaled", sums, products},
      {"contractions.attn", "distances", sums, products},
      {"contractions.attn", "gathered", sums, products, {{"at", below(20)}}},
  };
}

static std::vector<Subject> edgeSubjects() {
  Filler divisor = [](Random &random, int64_t element, const Dimensions &) -> double {
    return element == 0 ? 0 : element == 1 ? -1 : static_cast<double>(random.below(7)) - 3;
  };
  Filler dividend = [](Random &random, int64_t element, const Dimensions &) -> double {
    return element <= 1 ? -0x1p31 : static_cast<double>(random.below(100)) - 50;
  };
  std::vector<Choice> heads = {{"no features", {{"n", 20}, {"m", 30}, {"d", 0}}},
                               {"no features, one query", {{"n", 1}, {"m", 30}, {"d", 0}}},
                               {"one feature", {{"n", 20}, {"m", 30}, {"d", 1}}},
                               {"features", {{"n", 33}, {"m", 70}, {"d", 17}}}};
  std::vector<Choice> planes = {{"one element", {{"n", 1}, {"m", 1}}}, {"several", {{"n", 70}, {"m", 33}}}};
  return {
      {"edges.attn", "gram", {.c = 8, .reduction = 76}, {{"rows", {{"n", 5}}}}},
      {"edges.attn", "no_layers", {.c = 8, .reduction = 12}, {{"rows", {{"n", 5}}}}},
      {"edges.attn", "no_columns", {}, {{"rows", {{"n", 5}}}, {"nothing", {{"n", 0}}}}},
      {"edges.attn", "no_features", {.c = 16, .along = {"m", "d"}}, heads},
      {"edges.attn", "unscaled", {.c = 16, .along = {"m", "d"}}, heads},
      {"edges.attn", "peaks", {}, {{"planes", {{"n", 5}, {"m", 7}}}, {"nothing", {{"n", 0}, {"m", 4}}}}},
      {"edges.attn", "repeated", {.c = 16, .along = {"n", "m"}}, planes},
      {"edges.attn", "guarded", {.c = 16, .along = {"n"}}, planes},
      {"edges.attn", "narrow", {.c = 16, .reduction = 100}, {{"one", {{"n", 1}}}, {"rows", {{"n", 5}}}}},
      {"edges.attn",
       "shares",
       {.c = 16, .along = {"n"}},
       {{"one chunk", {{"m", 7}, {"n", 41}}},
        {"several chunks", {{"m", 70}, {"n", 1000}}},
        {"more chunks than rows", {{"m", 2}, {"n", 70000}}},
        {"empty rows", {{"m", 5}, {"n", 0}}},
        {"no rows", {{"m", 0}, {"n", 5}}}}},
      {"edges.attn", "diagonal", {.c = 16, .along = {"m"}}, {{"one", {{"m", 1}}}, {"several", {{"m", 37}}}}},
      {"edges.attn", "divided", {}, {{"two", {{"n", 2}}}, {"odd", {{"n", 101}}}}, {{"a", dividend}, {"b", divisor}}},
  };
}

static std::vector<Subject> gradientSubjects() {
  return {
      {"gradients.attn",
       "layers_gradient",
       {.c = 16, .reduction = 200},
       {{"a few", {{"n", 7}}}, {"many", {{"n", 150}}}},
       {{"at", below(10)}}},
      {"gradients.attn",
       "extremes_gradient",
       {.c = 32, .reduction = 40, .along = {"m"}},
       {{"few", {{"n", 3}, {"m", 3}}}, {"more than a vector", {{"n", 21}, {"m", 33}}}}},
      {"gradients.attn",
       "chosen_gradient",
       {.c = 16, .reduction = 200},
       {{"several chunks", {{"batch", 3}, {"time", 5000}, {"c", 7}, {"k", 3}}},
        {"no rows", {{"batch", 0}, {"time", 4}, {"c", 7}, {"k", 3}}},
        {"no terms", {{"batch", 2}, {"time", 4}, {"c", 7}, {"k", 0}}}},
       {{"at", below(7)}}},
      {"gradients.attn",
       "shifted_gradient",
       {.c = 16, .along = {"n"}},
       {{"no iterations", {{"batch", 3}, {"n", 0}}}, {"iterations", {{"batch", 2}, {"n", 21}}}}},
      {"gradients.attn", "terms_gradient", {.c = 16, .along = {"n"}}, {{"one", {{"n", 1}}}, {"odd", {{"n", 37}}}}},
  };
}

static std::vector<Subject> windowSubjects() {
  Accuracy accuracy = {.c = 16, .reduction = 700};
  return {
      {"windows.attn",
       "padded_gradient",
       accuracy,
       {{"one channel", {{"batch", 2}, {"h", 6}, {"w", 7}, {"c", 1}, {"o", 5}}},
        {"channels", {{"batch", 2}, {"h", 9}, {"w", 5}, {"c", 19}, {"o", 16}}}}},
      {"windows.attn", "strided_gradient", accuracy, {{"channels", {{"batch", 2}, {"c", 3}, {"o", 20}}}}},
      {"windows.attn", "depthwise_gradient", accuracy, {{"channels", {{"batch", 2}, {"c", 19}}}}},
      {"windows.attn",
       "causal_gradient",
       accuracy,
       {{"one position", {{"batch", 2}, {"n", 1}, {"c", 3}, {"o", 4}}},
        {"positions", {{"batch", 2}, {"n", 37}, {"c", 16}, {"o", 17}}}}},
      {"windows.attn", "transposed_gradient", accuracy, {{"channels", {{"batch", 2}, {"c", 7}, {"o", 5}}}}},
      {"windows.attn", "pooled_gradient", accuracy, {{"channels", {{"batch", 2}, {"c", 19}}}}},
      {"images.attn", "features", accuracy, {{"images", {{"batch", 3}}}}},
      {"images.attn", "features_gradient", accuracy, {{"images", {{"batch", 3}}}}},
      {"images.attn",
       "larger",
       accuracy,
       {{"wide", {{"batch", 2}, {"h", 3}, {"w", 17}}}, {"a pixel", {{"batch", 3}, {"h", 1}, {"w", 1}}}}},
      {"images.attn", "larger_gradient", accuracy, {{"wide", {{"batch", 2}, {"h", 2}, {"w", 5}}}}},
      {"images.attn", "looked_at_gradient", accuracy, {{"channels", {{"batch", 2}, {"c", 3}}}}},
      {"images.attn", "batch_norm", accuracy, {{"images", {{"batch", 3}}}}},
      {"images.attn", "batch_norm_gradient", accuracy, {{"images", {{"batch", 3}}}}},
      {"images.attn",
       "instance_norm",
       accuracy,
       {{"wide", {{"batch", 3}, {"h", 6}, {"w", 21}}}, {"a pixel", {{"batch", 2}, {"h", 1}, {"w", 1}}}}},
      {"images.attn", "instance_norm_gradient", accuracy, {{"wide", {{"batch", 3}, {"h", 6}, {"w", 21}}}}},
  };
}

static std::vector<Subject> attendGradientSubjects() {
  std::string file = "attend_gradients.attn";
  Accuracy accuracy = {.c = 16, .reduction = 40, .along = {"n", "m"}};
  std::vector<Choice> lengths = {{"odd lengths", {{"batch", 2}, {"heads", 3}, {"n", 37}, {"m", 70}}},
                                 {"one key", {{"batch", 1}, {"heads", 1}, {"n", 5}, {"m", 1}}},
                                 {"several blocks", {{"batch", 1}, {"heads", 1}, {"n", 150}, {"m", 140}}}};
  std::vector<Subject> all;
  for (const char *entry :
       {"grouped_gradient", "soft_cap_gradient", "learned_bias_gradient", "slopes_gradient", "documents_gradient",
        "content_gradient", "statistics_gradient", "additive_gradient", "feature_wise_gradient", "triangle_gradient",
        "local_p_gradient", "pointer_gradient", "grid_gradient", "diagonal_bias_gradient", "numbered_bias_gradient"})
    all.push_back({file, entry, accuracy, lengths, {{"doc", runsOf(11)}}});
  all.push_back(
      {file, "learned_bias_gradient", accuracy, {{"no batch", {{"batch", 0}, {"heads", 3}, {"n", 37}, {"m", 70}}}}});
  for (const char *entry : {"of_rows_gradient", "nested_sums_gradient"})
    all.push_back({file, entry, accuracy, {{"no rows", {{"n", 0}, {"m", 7}}}, {"rows", {{"n", 5}, {"m", 7}}}}});
  all.push_back({file,
                 "loss_gradient",
                 {.c = 32, .reduction = 500},
                 {{"sequences", {{"batch", 2}, {"seq", 19}}}, {"a long one", {{"batch", 1}, {"seq", 140}}}},
                 {{"tokens", below(29)}, {"targets", below(29)}}});
  return all;
}

std::vector<Subject> shapeSubjects() {
  std::vector<Subject> all;
  for (const std::vector<Subject> &each :
       {rankSubjects(), positionSubjects(), sizeSubjects(), contractionSubjects(), edgeSubjects(), gradientSubjects(),
        windowSubjects(), attendGradientSubjects()})
    all.insert(all.end(), each.begin(), each.end());
  return all;
}

} // namespace attnc::e2e
