#include "tests/compiler/Codegen/CPU/AttendKernels.h"
#include "compiler/Reference/Reference.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <list>
#include <tuple>

namespace attnc {

std::string AttendKernel::tensorType(int64_t ofHeads, bool isOfKeys, int64_t columns) const {
  bool isKnown = isStatic || (hasStaticQueries && !isOfKeys);
  std::string length = isKnown ? std::to_string(isOfKeys ? keys : queries) : "?";
  std::string tail = columns ? fmt::format("x{}", columns) : "";
  return fmt::format("tensor<{}x{}{}xf32>", hasDynamicHeads ? "?" : std::to_string(ofHeads), length, tail);
}

std::string AttendKernel::parameters() const {
  return fmt::format("%q: {}, %k: {}, %v: {}{}", queryType(), keyType(), valueType(), captured);
}

std::string AttendKernel::definitions() const {
  std::string ofHeads = hasDynamicHeads ? fmt::format("tensor.dim %q, %c0 : {}", queryType())
                                        : fmt::format("arith.constant {} : index", heads);
  return fmt::format("  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c2 = arith.constant 2 : "
                     "index\n  %H = {}\n  %D = arith.constant {} : index\n  %E = arith.constant "
                     "{} : index\n  %N = tensor.dim %q, %c1 : {}\n  %M = tensor.dim %k, %c1 : {}\n  %scale = "
                     "arith.constant {:.9e} : f32\n  {}\n",
                     ofHeads, dim, valueDim, queryType(), keyType(), 1 / std::sqrt(double(dim)), constants);
}

std::string AttendKernel::regions() const {
  std::string head = "%g = arith.constant " + std::to_string(group) + " : index %kh = arith.floordivsi %h, %g : index ";
  std::string term = dot.empty() ? "%t = arith.mulf %a, %b : f32" : dot;
  std::string out =
      fmt::format("  score(%h, %i, %j) {{ {} %s = attn.reduce add (%d) in (%D) {{ %a = tensor.extract %q[%h, %i, "
                  "%d] : {} %b = tensor.extract %k[%kh, %j, %d] : {} {} attn.yield %t : f32 }} : f32\n    {}\n    "
                  "attn.yield %y : f32 }}\n",
                  head, queryType(), keyType(), term, score);
  if (!mask.empty())
    out += fmt::format("  mask(%h, %i, %j) {{ {}\n    attn.yield %m : i1 }}\n", mask);
  if (!weight.empty())
    out += fmt::format("  weight(%p: f32, %h, %i, %j) {{ {}\n    attn.yield %w : f32 }}\n", weight);
  out +=
      fmt::format("  value(%h, %i, %j, %e) {{ {} %x = tensor.extract %v[%kh, %j, %e] : {} {} attn.yield {} : f32 }}\n",
                  head, valueType(), value, value.empty() ? "%x" : "%u");
  return sink.empty() ? out : out + fmt::format("  sink(%h, %i) {{ {} attn.yield %z : f32 }}\n", sink);
}

std::string AttendKernel::text() const {
  std::string results;
  for (auto [name, type] : {std::pair("value", tensorType(heads, false, valueDim)),
                            {"weights", fmt::format("tensor<{}x{}x{}xf32>", heads,
                                                    isStatic || hasStaticQueries ? std::to_string(queries) : "?",
                                                    isStatic ? std::to_string(keys) : "?")},
                            {"lse", tensorType(heads, false, 0)}})
    if (yields.find(name) != std::string::npos)
      results += (results.empty() ? "" : ", ") + type;
  size_t count = std::count(yields.begin(), yields.end(), ',') + 1;
  std::string names = "%r";
  for (size_t i = 1; i < count; ++i)
    names = i == 1 ? "%r#0, %r#1" : names + fmt::format(", %r#{}", i);
  std::string out = fmt::format("func.func private @k({}) -> ({}) attributes {{attn.kernel = \"attend\"{}}} {{\n",
                                parameters(), results, schedule.empty() ? "" : ", attn.schedule = {" + schedule + "}");
  out += definitions();
  out += fmt::format("  {} = attn.attend {} outer(%H, %N) keys(%M) values(%E) yields [{}]\n",
                     count == 1 ? "%r" : fmt::format("%r:{}", count), normaliser, yields);
  return out + regions() + fmt::format("  : {}\n  return {} : {}\n}}\n", results, names, results);
}

std::vector<HostArray> AttendKernel::operands(float range) const {
  return {HostArray::random({heads, queries, dim}, 1, -range, range),
          HostArray::random({heads / group, keys, dim}, 2, -range, range),
          HostArray::random({heads / group, keys, valueDim}, 3, -1, 1)};
}

std::vector<std::vector<int64_t>> AttendKernel::resultShapes() const {
  std::vector<std::vector<int64_t>> shapes;
  if (yields.find("value") != std::string::npos)
    shapes.push_back({heads, queries, valueDim});
  if (yields.find("weights") != std::string::npos)
    shapes.push_back({heads, queries, keys});
  if (yields.find("lse") != std::string::npos)
    shapes.push_back({heads, queries});
  return shapes;
}

reference::Array toReference(const HostArray &array) {
  using reference::Element;
  bool isFloat = array.kind == ElementKind::F32, isInt = array.kind == ElementKind::I32;
  reference::Array result(isFloat ? Element::F32 : isInt ? Element::I32 : Element::I1, array.shape);
  for (int64_t i = 0; i < array.size(); ++i)
    result.values[i] = isFloat ? array.f32()[i] : isInt ? array.i32()[i] : array.i1()[i] != 0;
  return result;
}

static std::string compareArrays(const HostArray &found, const reference::Array &expected, double tolerance) {
  double limit = tolerance * reference::largestMagnitude(expected.values);
  for (int64_t i = 0; i < found.size(); ++i)
    if (double a = found.f32()[i], b = expected.values[i]; !reference::agree(a, b, limit))
      return fmt::format("element {} of {} is {}, expected {} (within {})", i, found.size(), a, b, limit);
  return "";
}

ComparedKernel::ComparedKernel(const std::string &text, std::string_view target, const Emitter *emitter)
    : parsed(text), runner(text, emitter ? *emitter : *emitterFor(target), target) {}

std::string ComparedKernel::compare(const std::vector<HostArray> &operands,
                                    const std::vector<std::vector<int64_t>> &resultShapes, double tolerance) {
  if (!parsed || !runner)
    return parsed.diagnostics() + runner.message();
  std::vector<reference::Array> inputs;
  for (const HostArray &operand : operands)
    inputs.push_back(toReference(operand));
  auto expected = reference::interpret(parsed.function(), inputs);
  if (!expected)
    return llvm::toString(expected.takeError());
  std::vector<HostArray> first;
  for (Placement placement : everyPlacement) {
    RunOptions options;
    options.placement = placement;
    options.reversed = placement != Placement::AgainstEnd;
    std::vector<HostArray> found = runner.run(operands, resultShapes, options);
    for (auto [number, result] : llvm::enumerate(found))
      if (std::string difference = compareArrays(result, (*expected)[number], tolerance); !difference.empty())
        return fmt::format("result {}: {}", number, difference);
    if (!runner)
      return runner.message();
    if (runner.status() != 0)
      return fmt::format("status {}", runner.status());
    for (size_t number = 0; number < first.size(); ++number)
      if (found[number].bytes != first[number].bytes)
        return fmt::format("result {}: not the same bits when chunks run in reverse", number);
    first = found;
  }
  return "";
}

ComparedKernel &comparedKernel(const std::string &text, std::string_view target, const Emitter *emitter) {
  using Key = std::tuple<std::string, std::string, const Emitter *>;
  constexpr size_t mostKept = 48;
  static std::list<std::pair<Key, ComparedKernel>> kept; // most recently used first
  Key key(text, target, emitter);
  auto found = std::find_if(kept.begin(), kept.end(), [&](const auto &each) { return each.first == key; });
  if (found != kept.end()) {
    kept.splice(kept.begin(), kept, found);
    return kept.front().second;
  }
  if (kept.size() == mostKept)
    kept.pop_back();
  kept.emplace_front(std::piecewise_construct, std::tuple(key), std::tuple(text, target, emitter));
  return kept.front().second;
}

std::string compareWithOracle(const AttendKernel &kernel, const std::vector<HostArray> &operands, double tolerance,
                              std::string_view target) {
  return comparedKernel(kernel.text(), target).compare(operands, kernel.resultShapes(), tolerance);
}

} // namespace attnc
