#include "tests/compiler/Codegen/CPU/GemmCase.h"
#include "compiler/Codegen/CPU/Gemm/GemmSchedule.h"
#include "compiler/Reference/Tolerance.h"
#include <cmath>
#include <fmt/format.h>

namespace attnc {

std::string GemmCase::letters() const {
  std::string all = out;
  for (char letter : left)
    if (all.find(letter) == std::string::npos)
      all += letter;
  return all;
}

std::vector<int64_t> GemmCase::shapeOf(const std::string &subscripts) const {
  std::vector<int64_t> shape;
  for (char letter : subscripts)
    shape.push_back(sizes.at(letter));
  return shape;
}

std::string GemmCase::typeOf(const std::string &subscripts) const {
  std::string type = "tensor<";
  for (char letter : subscripts)
    type += (dynamic.find(letter) != std::string::npos ? "?" : std::to_string(sizes.at(letter))) + "x";
  return type + "f32>";
}

std::string GemmCase::mapOf(const std::string &subscripts, const std::string &loops) const {
  auto list = [](const std::string &names) {
    std::string text;
    for (char letter : names)
      text += (text.empty() ? "" : ", ") + std::string(1, letter);
    return "(" + text + ")";
  };
  return "affine_map<" + list(loops) + " -> " + list(subscripts) + ">";
}

std::string GemmCase::dims(const std::string &subscripts) const {
  std::string names;
  for (char letter : subscripts)
    if (dynamic.find(letter) != std::string::npos)
      names += (names.empty() ? "" : ", ") + ("%size_" + std::string(1, letter));
  return names;
}

int64_t GemmCase::panelColumns(const Target &target) const {
  int64_t columns = 1;
  for (char letter : right)
    if (!isSummed(letter) && left.find(letter) == std::string::npos)
      columns *= sizes.at(letter);
  return choosePanelColumns(columns, target);
}

std::string GemmCase::epilogue() const {
  if (body.empty())
    return "";
  std::string result = typeOf(out), maps = mapOf(out, out), names = "%product", types = result, blocks = "%p: f32";
  std::string parallel;
  for (size_t i = 0; i < extras.size(); ++i) {
    maps += ", " + mapOf(extras[i], out);
    names += fmt::format(", %e{}", i);
    types += ", " + typeOf(extras[i]);
    blocks += fmt::format(", %x{}: f32", i);
  }
  for (size_t i = 0; i < out.size(); ++i)
    parallel += i ? ", \"parallel\"" : "\"parallel\"";
  return fmt::format(R"(%result = linalg.generic {{indexing_maps = [{0}, {1}], iterator_types = [{2}]}}
    ins({3} : {4}) outs(%empty : {5}) {{
^bb0({6}, %unused: f32):
  {7}
  linalg.yield %y : f32
}} -> {5}
)",
                     maps, mapOf(out, out), parallel, names, types, result, blocks, body);
}

std::string GemmCase::text(const Target &target) const {
  int64_t batchDims = 0, summed = 0;
  for (char letter : right) {
    batchDims += !isSummed(letter) && left.find(letter) != std::string::npos;
    summed += isSummed(letter);
  }
  int64_t outerDims = rightIsTransposed() ? right.size() - batchDims - summed : summed;
  std::string attribute;
  if (packed)
    attribute = fmt::format(" {{attn.packed = {{layout = \"panels\", nr = {} : i64, transposed = {}, batch_dims = {} : "
                            "i64, outer_dims = {} : i64}}}}",
                            panelColumns(target), rightIsTransposed(), batchDims, outerDims);
  auto storedType = [&](const std::string &subscripts) {
    std::string type = typeOf(subscripts);
    return stored.empty() ? type : type.substr(0, type.size() - 4) + stored + ">";
  };
  std::string leftName = stored.empty() ? "%a" : "%narrow_a", rightName = stored.empty() ? "%b" : "%narrow_b";
  std::string arguments = leftName + ": " + storedType(left) + ", " + rightName + ": " + storedType(right) + attribute;
  for (size_t i = 0; i < extras.size(); ++i)
    arguments +=
        fmt::format(", %e{}: {}{}", i, typeOf(extras[i]), int(i) == inPlaceExtra ? " {attn.in_place = 0 : i64}" : "");
  std::string result = typeOf(out), code;
  if (!stored.empty())
    code = fmt::format("%a = arith.extf %narrow_a : {} to {}\n%b = arith.extf %narrow_b : {} to {}\n", storedType(left),
                       typeOf(left), storedType(right), typeOf(right));
  for (char letter : dynamic) {
    bool inLeft = left.find(letter) != std::string::npos;
    const std::string &home = inLeft ? left : right;
    code += fmt::format("%at_{0} = arith.constant {1} : index\n%size_{0} = tensor.dim %{2}, %at_{0} : {3}\n", letter,
                        home.find(letter), inLeft ? "a" : "b", typeOf(home));
  }
  std::string iterators;
  for (char letter : letters())
    iterators += (iterators.empty() ? "\"" : ", \"") + std::string(isSummed(letter) ? "reduction\"" : "parallel\"");
  code += fmt::format(R"(%zero = arith.constant 0.0 : f32
%empty = tensor.empty({0}) : {1}
%init = linalg.fill ins(%zero : f32) outs(%empty : {1}) -> {1}
%product = linalg.generic {{indexing_maps = [{2}, {3}, {4}], iterator_types = [{5}]}}
    ins(%a, %b : {6}, {7}) outs(%init : {1}) {{
^bb0(%u: f32, %v: f32, %s: f32):
  %m = arith.mulf %u, %v : f32
  %t = arith.addf %s, %m : f32
  linalg.yield %t : f32
}} -> {1}
)",
                      dims(out), result, mapOf(left, letters()), mapOf(right, letters()), mapOf(out, letters()),
                      iterators, typeOf(left), typeOf(right));
  code += epilogue();
  std::string returned = body.empty() ? "%product" : "%result";
  if (!stored.empty()) {
    code += fmt::format("%stored = arith.truncf {} : {} to {}\n", returned, result, storedType(out));
    returned = "%stored";
  }
  return fmt::format("func.func private @k({0}) -> {1} attributes {{attn.kernel = \"gemm\"{2}{3}}} {{\n{4}return {5} : "
                     "{1}\n}}\n",
                     arguments, storedType(out), schedule.empty() ? "" : ", attn.schedule = " + schedule, attributes,
                     code, returned);
}

std::vector<HostArray> GemmCase::operands() const {
  std::vector<HostArray> made = {HostArray::random(shapeOf(left), 1), HostArray::random(shapeOf(right), 2)};
  for (size_t i = 0; i < extras.size(); ++i)
    made.push_back(HostArray::random(shapeOf(extras[i]), 3 + i));
  return made;
}

namespace {

/// Enumerates the values of some index letters.
struct Odometer {
  const std::map<char, int64_t> &sizes;
  std::string loops;
  std::map<char, int64_t> at = {};

  Odometer(const std::map<char, int64_t> &sizes, std::string loops) : sizes(sizes), loops(std::move(loops)) {
    for (char letter : this->loops)
      at[letter] = 0;
  }
  bool next() {
    for (size_t i = loops.size(); i-- > 0;) {
      if (++at[loops[i]] < sizes.at(loops[i]))
        return true;
      at[loops[i]] = 0;
    }
    return false;
  }
};

} // namespace

void GemmCase::reference(const std::vector<HostArray> &operands, std::vector<double> &result,
                         std::vector<double> &bound) const {
  constexpr double u = reference::unitRoundoff;
  std::string summed;
  int64_t depth = 1;
  for (char letter : left)
    if (isSummed(letter)) {
      summed += letter;
      depth *= sizes.at(letter);
    }
  // Returns the offset of an element, or these letters' part of it.
  auto offset = [&](const std::string &subscripts, const std::map<char, int64_t> &at) {
    int64_t place = 0;
    for (char letter : subscripts) {
      auto found = at.find(letter);
      place = place * sizes.at(letter) + (found != at.end() ? found->second : 0);
    }
    return place;
  };
  std::vector<std::pair<int64_t, int64_t>> terms; // offsets in both operands
  if (Odometer inner(sizes, summed); depth > 0)
    do
      terms.emplace_back(offset(left, inner.at), offset(right, inner.at));
    while (inner.next());
  Odometer outer(sizes, out);
  result.clear();
  bound.clear();
  do {
    int64_t a = offset(left, outer.at), b = offset(right, outer.at);
    double sum = 0, squares = 0;
    for (auto [inLeft, inRight] : terms) {
      double term = double(operands[0].f32()[a + inLeft]) * operands[1].f32()[b + inRight];
      sum += term;
      squares += term * term;
    }
    double tolerance = reference::tolerance(4, double(depth)) * std::sqrt(squares);
    if (formula) {
      std::vector<double> extra;
      for (size_t i = 0; i < extras.size(); ++i)
        extra.push_back(operands[2 + i].f32()[offset(extras[i], outer.at)]);
      sum = formula(sum, extra.data());
      tolerance = 2 * tolerance + 8 * u * (1 + std::abs(sum));
    }
    result.push_back(sum);
    bound.push_back(tolerance + u * std::abs(sum));
  } while (outer.next());
}

HostArray GemmCase::pack(const HostArray &source, int64_t nr) const {
  int64_t batch = 1, depth = 1, columns = 1;
  for (char letter : right)
    (isSummed(letter) ? depth : left.find(letter) != std::string::npos ? batch : columns) *= sizes.at(letter);
  int64_t panels = (columns + nr - 1) / nr;
  HostArray packedArray({batch, panels, depth, nr});
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t p = 0; p < panels; ++p)
      for (int64_t k = 0; k < depth; ++k)
        for (int64_t c = 0; c < nr; ++c) {
          int64_t n = p * nr + c;
          int64_t place = rightIsTransposed() ? n * depth + k : k * columns + n;
          packedArray.f32()[((b * panels + p) * depth + k) * nr + c] =
              n < columns ? source.f32()[b * depth * columns + place] : 0.0f;
        }
  return packedArray;
}

} // namespace attnc
