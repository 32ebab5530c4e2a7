#include "tests/programs/Formulas.h"
#include <fmt/ranges.h>

namespace attnc::programs {

std::string typed(const std::vector<std::string> &dimensions) {
  return dimensions.empty() ? "" : fmt::format("[{}]", fmt::join(dimensions, ", "));
}

Index Formulas::enter(const std::string &letter, const std::string &dimension) {
  return indices.emplace_back(Index{fresh(letter), dimension});
}

//===-------------------------------------------- elements ----------------------------------------------------===//

std::string Formulas::shifted(const Index &index, std::string &guard) {
  int64_t by = 1 + random.below(4);
  if (isCausal || oneOf(2)) {
    guard = fmt::format("{} >= {}", index.name, by);
    return fmt::format("{} - {}", index.name, by);
  }
  guard = fmt::format("{} + {} < {}", index.name, by, index.dimension);
  return fmt::format("{} + {}", index.name, by);
}

std::pair<std::string, std::string> Formulas::subscript(const std::string &dimension) {
  std::vector<Index> fitting;
  for (const Index &index : indices)
    if (index.dimension == dimension)
      fitting.push_back(index);
  bool isFree = !isCausal || dimension != "seq";
  std::string guard;
  if (isCausal && dimension == "b")
    return {fitting.front().name, ""};
  if (!fitting.empty() && !oneOf(8)) {
    const Index &index = pick(fitting);
    switch (random.below(8)) {
    case 0:
      if (isFree)
        return {fmt::format("{} - 1 - {}", dimension, index.name), ""};
      break;
    case 1: {
      std::string text = shifted(index, guard);
      return {text, guard};
    }
    case 2:
      if (isFree)
        return {index.name + " / 2", ""};
      break;
    }
    return {index.name, ""};
  }
  if (isFree) {
    auto isSubscript = [&](const Tensor &each) {
      return each.below == dimension && each.dimensions.size() == 1 &&
             std::any_of(indices.begin(), indices.end(),
                         [&](const Index &index) { return index.dimension == each.dimensions[0]; });
    };
    if (auto data = find(isSubscript); data && !oneOf(4))
      for (const Index &index : indices)
        if (index.dimension == data->dimensions[0])
          return {fmt::format("{}[{}]", data->name, index.name), ""};
  }
  if (!fitting.empty())
    return {fitting.back().name, ""};
  if (isNumber(dimension))
    return {std::to_string(random.below(std::stoll(dimension))), ""};
  if (!takesEnds) // the element of an empty tensor is 0.25
    return {"0", "0 < " + dimension};
  return {isCausal || oneOf(2) ? "0" : dimension + " - 1", ""};
}

std::string Formulas::element(const Tensor &tensor) {
  std::vector<std::string> subscripts, guards;
  for (const std::string &dimension : tensor.dimensions) {
    auto [text, guard] = subscript(dimension);
    subscripts.push_back(text);
    if (!guard.empty())
      guards.push_back(guard);
  }
  std::string text = tensor.name + typed(subscripts);
  const char *otherwise = tensor.below.empty() ? "0.25" : "0";
  return guards.empty() ? text : fmt::format("(if {} then {} else {})", fmt::join(guards, " and "), text, otherwise);
}

//===-------------------------------------------- numbers -----------------------------------------------------===//

/// Returns the quotient or remainder of an index by a number, an index, a dimension (each possibly zero) or an index
/// minus 2.
std::string Formulas::quotient() {
  std::string of = pick(indices).name, sign = pick({"/", "%"});
  const auto &[name, dimension] = pick(indices);
  std::string divisors[] = {std::to_string(random.below(4)), name, fmt::format("({} - 2)", name),
                            isCausal ? name : dimension};
  return fmt::format("{} {} {}", of, sign, divisors[random.below(4)]);
}

std::string Formulas::leaf() {
  if (!indices.empty() && oneOf(8))
    return fmt::format("(f32({}) * 0.125)", oneOf(4) ? quotient() : pick(indices).name);
  if (oneOf(10))
    return pick({"0.5", "1.0", "-0.75", "2.0"});
  auto tensor = find([](const Tensor &each) { return each.below.empty(); });
  return tensor ? element(*tensor) : "0.5";
}

std::string Formulas::reduction(int depth) {
  std::vector<std::string> known = {"3", "4"};
  for (const Tensor &each : tensors)
    for (const std::string &dimension : each.dimensions)
      if (!isCausal || isNumber(dimension))
        known.push_back(dimension);
  Index index = enter("k", pick(known));
  std::string kind = pick({"sum", "sum", "sum", "mean", "max", "min", "prod"});
  std::string where = kind != "mean" && oneOf(4) ? " where " + condition(1) : "";
  std::string term = real(depth - 1);
  leave();
  if (kind == "prod")
    term = fmt::format("(0.75 + 0.25 * sin({}))", term);
  std::string text = fmt::format("({} {} < {}{} => {})", kind, index.name, index.dimension, where, term);
  if (kind != "max" && kind != "min")
    return text;
  isSmooth = false;
  return fmt::format("{}({}, {})", kind, kind == "max" ? "-4.0" : "4.0", text); // bounds an empty maximum
}

std::string Formulas::function(int depth) {
  std::string of = real(depth - 1);
  switch (random.below(14)) {
  case 0:
    return fmt::format("exp(tanh({}))", of);
  case 1:
    return fmt::format("rsqrt(0.5 + sq({}))", of);
  case 2:
    return fmt::format("log(1.0 + sq({}))", of);
  case 3:
    return fmt::format("sqrt(0.25 + sq({}))", of);
  case 4:
    isSmooth = false;
    return fmt::format("abs({})", of);
  case 5:
    isSmooth = false;
    return fmt::format("relu({})", of);
  case 6:
    return fmt::format("(-{})", of);
  case 7:
    return fmt::format("(sq({}) ** 1.5)", of);
  default:
    return fmt::format("{}({})", pick({"tanh", "sin", "cos", "sigmoid", "sq", "erf"}), of);
  }
}

std::string Formulas::real(int depth) {
  if (depth <= 0 || oneOf(5))
    return leaf();
  switch (random.below(12)) {
  case 0:
  case 1:
    return fmt::format("({} + {})", real(depth - 1), real(depth - 1));
  case 2:
    return fmt::format("({} - {})", real(depth - 1), real(depth - 1));
  case 3:
  case 4:
    return fmt::format("({} * {})", real(depth - 1), real(depth - 1));
  case 5:
    return fmt::format("({} / (1.0 + sq({})))", real(depth - 1), real(depth - 1));
  case 6:
    return fmt::format("(if {} then {} else {})", condition(1), real(depth - 1), real(depth - 1));
  case 7:
    isSmooth = false;
    return fmt::format("{}({}, {})", pick({"max", "min"}), real(depth - 1), real(depth - 1));
  case 8:
  case 9:
    return reduction(depth);
  default:
    return function(depth);
  }
}

//===-------------------------------------------- conditions --------------------------------------------------===//

std::string Formulas::condition(int depth) {
  if (depth > 0 && oneOf(3))
    return fmt::format("({} {} {})", condition(depth - 1), pick({"and", "or"}), condition(depth - 1));
  if (depth > 0 && oneOf(6))
    return fmt::format("(not {})", condition(depth - 1));
  if (indices.empty() || oneOf(6)) {
    isSmooth = false;
    return fmt::format("{} {} {}", leaf(), pick({"<", ">="}), leaf());
  }
  std::string first = pick(indices).name, second = pick(indices).name;
  std::string compare = pick({"<", "<=", ">", ">=", "==", "!="});
  switch (random.below(7)) {
  case 0:
    return fmt::format("{} {} {}", first, compare, random.below(6));
  case 1:
    return fmt::format("({} + {}) % {} == {}", first, second, 2 + random.below(3), random.below(2));
  case 2:
    return fmt::format("{} / 2 {} {} / 3", first, compare, second);
  case 3:
    return fmt::format("{} {} {}", quotient(), compare, second);
  case 4:
    if (auto data = find([](const Tensor &each) { return !each.below.empty() && each.dimensions.size() == 1; }))
      return fmt::format("{} {} {}", element(*data), compare, random.below(3));
    [[fallthrough]];
  default:
    return fmt::format("{} {} {} + {}", first, compare, second, random.below(3));
  }
}

} // namespace attnc::programs
