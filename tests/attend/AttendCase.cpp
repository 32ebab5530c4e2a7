#include "tests/attend/AttendCase.h"
#include "compiler/Reference/Tolerance.h"
#include "tests/e2e/Subject.h"
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <regex>
#include <unistd.h>

namespace attnc::attend {

using reference::Array;
using reference::Element;

//===-------------------------------------------- programs ----------------------------------------------------===//

static const std::vector<std::pair<std::string, std::string>> tensors = {
    {"q", "f32[b, n, 8]"}, {"k", "f32[b, m, 8]"}, {"v", "f32[b, m, 5]"},  {"w", "f32[8, 8]"}, {"u", "f32[8]"},
    {"l", "f32[8, m]"},    {"x", "f32[b, n]"},    {"beta", "f32[b, n]"},  {"y", "f32[b, m]"}, {"gate", "f32[b, m]"},
    {"slope", "f32[b]"},   {"bias", "f32[n, m]"}, {"length", "i32[b]"},   {"row", "i32[n]"},  {"column", "i32[m]"},
    {"first", "i32[m]"},   {"last", "i32[m]"},    {"open", "bool[n, m]"},
};

/// The results that a case can yield, and their types.
static const std::vector<std::pair<std::string, std::string>> yielded = {
    {"value", "f32[b, n, 5]"},    {"weights", "f32[b, n, m]"}, {"lse", "f32[b, n]"},
    {"entropy", "f32[b, n]"},     {"top(3)", "i32[b, n, 3]"},  {"top_weights(3)", "f32[b, n, 3]"},
    {"key_sums(i)", "f32[b, m]"},
};

static std::string bodyOf(const AttendCase &each) {
  std::string body = "score: " + each.score;
  if (!each.mask.empty())
    body += ",\n    mask: " + each.mask;
  if (!each.by.empty())
    body += ",\n    by: " + each.by;
  if (!each.weight.empty())
    body += ",\n    weight: p => " + each.weight;
  return body + ",\n    value: " + each.value;
}

static std::string textOf(const AttendCase &each) {
  std::string body = bodyOf(each);
  // q and v bind the dimensions even if the score does not read them.
  std::string parameters, arguments;
  for (const auto &[name, type] : tensors) {
    bool isRead = std::regex_search(body, std::regex("\\b" + name + "\\b"));
    if (!isRead && name != "q" && name != "v")
      continue;
    parameters += fmt::format("{}{}: {}", parameters.empty() ? "" : ", ", name, type);
    arguments += (arguments.empty() ? "" : ", ") + name;
  }
  std::string types, results, cotangents, total;
  for (const std::string &yield : each.yields) {
    const std::string &type =
        std::find_if(yielded.begin(), yielded.end(), [&](auto &known) { return known.first == yield; })->second;
    std::string name = "r_" + yield.substr(0, yield.find('('));
    types += fmt::format("{}{}: {}", types.empty() ? "" : ", ", name, type);
    results += (results.empty() ? "" : ", ") + name;
    if (type.starts_with("i32"))
      continue;
    cotangents += fmt::format(", d{}: {}", name, type);
    // lse of a row without keys is -inf.
    std::string finite = yield == "lse" ? fmt::format("(if {0} > -1e30 then {0} else 0.0)", name) : name;
    total += fmt::format("{}sum(d{} * {})", total.empty() ? "" : " + ", name, finite);
  }
  if (each.yields.size() > 1)
    results = "(" + results + ")";
  std::string values = fmt::format("fn {0}({1}) -> ({2}) {{\n  let {3} = [h < b, i < n] => attend {4} {{ {5} }}"
                                   " yields ({6})\n  {3}\n}}\n{7}",
                                   each.name, parameters, types, results, each.keys, body, fmt::join(each.yields, ", "),
                                   each.hasValues ? "export " + each.name + "\n" : "");
  if (!each.hasSlopes)
    return values + "\n";
  return values + fmt::format("fn {0}_total({1}{2}) -> f32 {{\n  let {3} = {0}({4})\n  {5}\n}}\n"
                              "export {0}_slopes = gradient({0}_total)\n\n",
                              each.name, parameters, cotangents, results, arguments, total);
}

void shareRows(AttendCase &each, const std::string &operand) {
  std::string own = operand + (operand == "q" ? "[h, i" : "[h, j"), shared = own + " / 2";
  for (std::string *text : {&each.score, &each.value})
    for (size_t at = text->find(own); at != std::string::npos; at = text->find(own, at + shared.size()))
      text->replace(at, own.size(), shared);
}

std::string programOf(const std::vector<AttendCase> &cases) {
  std::string text;
  for (const AttendCase &each : cases)
    text += textOf(each);
  return text;
}

//===-------------------------------------------- inputs ------------------------------------------------------===//

static double drawFor(const std::string &name, e2e::Random &random, int64_t place, Sizes sizes) {
  if (name == "length")
    return static_cast<double>(place == 0 ? sizes.m : random.below(sizes.m + 1));
  if (name == "row" || name == "column")
    return static_cast<double>(random.below(3));
  if (name == "first")
    return static_cast<double>(place);
  if (name == "last") // a tree: node `place` spans its subtree
    return static_cast<double>(std::min<int64_t>(sizes.m, place + 1 + (place % 4 == 0 ? 4 : 0)));
  if (name == "open")
    return random.below(3) != 0;
  if (name == "seed" || name == "step")
    return 3;
  return static_cast<float>(random.uniform(-1, 1));
}

static std::vector<int64_t> dimensionsOf(const attn_entry_info &entry, Sizes sizes) {
  std::vector<int64_t> dimensions;
  for (int32_t number = 0; number < entry.dimension_count; ++number) {
    std::string name = entry.dimensions[number].name;
    dimensions.push_back(name == "b" ? sizes.b : name == "n" ? sizes.n : sizes.m);
  }
  return dimensions;
}

static std::vector<Array> inputsOf(const attn_entry_info &entry, Sizes sizes) {
  std::vector<Array> inputs;
  for (int32_t number = 0; number < entry.input_count; ++number) {
    const attn_tensor_info &tensor = entry.tensors[number];
    Element element = tensor.dtype == ATTN_F32 ? Element::F32 : tensor.dtype == ATTN_I32 ? Element::I32 : Element::I1;
    Array array(element, e2e::shapeOf(tensor, dimensionsOf(entry, sizes)), 0.0);
    e2e::Random random(tensor.name);
    for (size_t place = 0; place < array.values.size(); ++place)
      array.values[place] = drawFor(tensor.name, random, static_cast<int64_t>(place), sizes);
    inputs.push_back(std::move(array));
  }
  return inputs;
}

//===-------------------------------------------- comparison --------------------------------------------------===//

CompiledCases::CompiledCases(std::vector<AttendCase> cases) {
  static int number = 0;
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("attend-{}-{}.attn", getpid(), number++);
  std::ofstream(path) << programOf(cases);
  model = std::make_unique<e2e::CompiledModel>(path.string(), std::vector<std::pair<std::string, std::string>>());
  std::filesystem::remove(path);
}

const std::string &CompiledCases::message() const { return model->message(); }

/// The results of one entry point under several roundings.
using RoundedResults = std::vector<std::vector<Array>>;

/// Returns the position of `key` in the row that begins at element `first`, or perRow if it is absent.
static size_t placeOf(double key, const Array &keys, size_t first, size_t perRow) {
  auto begin = keys.values.begin() + static_cast<std::ptrdiff_t>(first);
  return static_cast<size_t>(std::find(begin, begin + static_cast<std::ptrdiff_t>(perRow), key) - begin);
}

/// Compares indices of keys. No index may occur twice in a row, and each must lie between its first and its last
/// position under the roundings, because roundings order nearly equal scores differently.
static std::string differenceOfKeys(const attn_tensor_info &tensor, const std::vector<char> &bytes, const Array &exact,
                                    const RoundedResults &rounded, size_t number) {
  std::vector<int32_t> found(exact.values.size());
  std::memcpy(found.data(), bytes.data(), 4 * found.size());
  size_t perRow = exact.shape.empty() ? 1 : static_cast<size_t>(exact.shape.back());
  for (size_t at = 0; at < found.size(); ++at) {
    size_t place = at % perRow, first = at - place;
    size_t least = placeOf(found[at], exact, first, perRow), most = least;
    for (const std::vector<Array> &results : rounded) {
      size_t other = placeOf(found[at], results[number], first, perRow);
      least = std::min(least, other);
      most = std::max(most, other);
    }
    auto here = found.begin() + static_cast<std::ptrdiff_t>(at), row = here - static_cast<std::ptrdiff_t>(place);
    bool isTwice = found[at] >= 0 && std::find(row, here, found[at]) != here;
    bool isRight = found[at] == exact.values[at] || (least <= place && place <= most);
    if (isTwice || !isRight)
      return fmt::format("{}: element {} of {} is {}, expected {}", tensor.name, at, found.size(), found[at],
                         exact.values[at]);
  }
  return "";
}

/// Compares elements up to the error bound of the sums plus a multiple of the largest change under a rounding.
static std::string differenceOf(const attn_tensor_info &tensor, const std::vector<char> &bytes, const Array &exact,
                                const RoundedResults &rounded, size_t number, double terms) {
  if (tensor.dtype == ATTN_I32)
    return differenceOfKeys(tensor, bytes, exact, rounded, number);
  double moved = 0;
  for (const std::vector<Array> &results : rounded)
    for (size_t place = 0; place < exact.values.size(); ++place)
      if (double by = std::fabs(exact.values[place] - results[number].values[place]); std::isfinite(by))
        moved = std::max(moved, by);
  double limit = reference::tolerance(16, terms) * reference::largestMagnitude(exact.values) + 4 * moved;
  for (size_t place = 0; place < exact.values.size(); ++place) {
    double found = e2e::elementAt(bytes, ATTN_F32, place);
    if (!reference::agree(found, exact.values[place], limit))
      return fmt::format("{}: element {} of {} is {}, expected {} within {}", tensor.name, place, exact.values.size(),
                         found, exact.values[place], limit);
  }
  return "";
}

/// The roundings that are tried until they explain the results. Different roundings change different elements; many
/// saturated scores need many roundings.
static std::vector<reference::Rounding> roundings() {
  std::vector<reference::Rounding> all = {reference::Rounding::ToF32};
  for (uint32_t draw = 0; draw < 64; ++draw)
    all.emplace_back(reference::Rounding::Loosely, draw);
  return all;
}

std::string CompiledCases::entryDifference(const std::string &name, Sizes sizes) const {
  const attn_entry_info *entry = model->entry(name);
  if (!entry)
    return name + ": there is no such entry point";
  std::vector<Array> inputs = inputsOf(*entry, sizes);
  std::vector<int64_t> dimensions = dimensionsOf(*entry, sizes);
  auto function = model->imported().lookupSymbol<mlir::func::FuncOp>(name);
  auto exact = reference::interpret(function, inputs);
  if (!exact)
    return llvm::toString(exact.takeError());
  e2e::CallResults found = model->call(*entry, inputs, dimensions, {});
  if (found.status != 0)
    return fmt::format("{}: status {}", name, found.status);
  RoundedResults rounded;
  auto compare = [&]() -> std::string {
    double terms = static_cast<double>(8 * (sizes.b + sizes.n + sizes.m));
    for (size_t number = 0; number < found.bytes.size(); ++number) {
      std::string text =
          differenceOf(e2e::resultInfo(*entry, number), found.bytes[number], (*exact)[number], rounded, number, terms);
      if (!text.empty())
        return fmt::format("{} with b = {}, n = {}, m = {}: {}", name, sizes.b, sizes.n, sizes.m, text);
    }
    return "";
  };
  std::string text = compare();
  for (reference::Rounding rounding : roundings()) {
    if (text.empty()) // explained by the roundings so far
      break;
    auto results = reference::interpret(function, inputs, {}, nullptr, rounding);
    if (!results)
      return llvm::toString(results.takeError());
    rounded.push_back(std::move(*results));
    text = compare();
  }
  if (!text.empty())
    return text;
  e2e::CallResults again = model->call(*entry, inputs, dimensions, {3, Placement::Misaligned});
  return again.bytes == found.bytes ? "" : name + ": other bits with three workers";
}

std::string CompiledCases::difference(const AttendCase &each, Sizes sizes) const {
  std::string values = each.hasValues ? entryDifference(each.name, sizes) : "";
  return values.empty() && each.hasSlopes ? entryDifference(each.name + "_slopes", sizes) : values;
}

/// Compares the derivative along one random direction of all inputs: gradients against central differences in double.
std::string CompiledCases::differenceFromSlopes(const AttendCase &each, Sizes sizes) const {
  std::string name = each.name + "_slopes";
  const attn_entry_info *entry = model->entry(name);
  auto function = model->imported().lookupSymbol<mlir::func::FuncOp>(name);
  std::vector<Array> inputs = inputsOf(*entry, sizes), ahead = inputs, behind = inputs;
  auto gradients = reference::interpret(function, inputs);
  if (!gradients)
    return llvm::toString(gradients.takeError());
  constexpr double step = 1e-5;
  double slope = 0;
  size_t next = 1; // the first result is the value
  for (size_t number = 0; number < inputs.size(); ++number) {
    if (inputs[number].element != Element::F32)
      continue;
    e2e::Random random("direction" + std::to_string(number));
    const Array &gradient = (*gradients)[next++];
    for (size_t place = 0; place < gradient.values.size(); ++place) {
      double direction = random.uniform(-1, 1);
      slope += direction * gradient.values[place];
      ahead[number].values[place] += step * direction;
      behind[number].values[place] -= step * direction;
    }
  }
  auto above = reference::interpret(function, ahead), below = reference::interpret(function, behind);
  if (!above || !below)
    return llvm::toString(above ? below.takeError() : above.takeError());
  double difference = ((*above)[0].values[0] - (*below)[0].values[0]) / (2 * step);
  if (std::fabs(difference - slope) <= 1e-6 * std::max(1.0, std::fabs(slope)))
    return "";
  return fmt::format("{}: the slope is {} by gradients, {} by differences", each.name, slope, difference);
}

} // namespace attnc::attend
