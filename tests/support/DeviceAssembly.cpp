#include "tests/support/DeviceAssembly.h"
#include "tests/support/DeviceProducts.h"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <regex>

namespace attnc {

static std::string registers(size_t first, size_t count) {
  std::vector<std::string> names;
  for (size_t each = 0; each < count; ++each)
    names.push_back(fmt::format("${}", first + each));
  return fmt::format("{{{}}}", fmt::join(names, ", "));
}

static std::optional<AssemblyCall> recogniseProduct(const std::string &text, size_t results) {
  static const std::regex form(
      R"(\{ \.reg \.pred p; setp\.ne\.b32 p, (\$\d+), 0; wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k(\d+)\.f32\.)"
      R"((f16|bf16|tf32)\.(f16|bf16|tf32) (\{[^}]*\}), (\$\d+|\{[^}]*\}), (\$\d+), p, 1, 1((?:, [01])*); \})");
  std::smatch found;
  if (!std::regex_match(text, found, form) || found[4] != found[5])
    return std::nullopt;
  using Element = ProductKind::Element;
  Element element = found[4] == "f16" ? Element::F16 : found[4] == "bf16" ? Element::BF16 : Element::TF32;
  ProductKind kind{std::stoul(found[2]), element, found[7].str().starts_with("{"), false, false};
  size_t firstA = 2 * results, atB = firstA + (kind.hasFragmentA ? 4 : 1);
  std::string left = kind.hasFragmentA ? registers(firstA, 4) : fmt::format("${}", firstA), turns = found[9];
  bool areRight = kind.sums() == results && kind.columns % 8 == 0 && kind.columns <= 256 &&
                  std::stoul(found[3]) == kind.depth() && found[6] == registers(0, results) && found[7] == left &&
                  found[8] == fmt::format("${}", atB) && found[1] == fmt::format("${}", atB + 1);
  size_t numTurns = element == Element::TF32 ? 0 : kind.hasFragmentA ? 1 : 2;
  if (!areRight || turns.size() != numTurns * 3)
    return std::nullopt;
  bool turnsA = numTurns == 2 && turns[2] == '1', turnsB = numTurns > 0 && turns.back() == '1';
  return AssemblyCall{"wgmma.mma_async",
                      {kind.columns, static_cast<uint64_t>(element), kind.hasFragmentA, turnsA, turnsB}};
}

std::optional<AssemblyCall> recogniseAssembly(const std::string &text, size_t results, size_t operands) {
  static const std::regex wait(R"(wgmma\.wait_group\.sync\.aligned (\d+);)");
  std::smatch found;
  if (text == "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], 128;")
    return AssemblyCall{"tensormap.cp_fenceproxy", {}};
  if (text == "wgmma.fence.sync.aligned;")
    return AssemblyCall{"wgmma.fence", {results}};
  if (std::regex_match(text, found, wait))
    return AssemblyCall{"wgmma.wait_group", {std::stoul(found[1]), results, operands - results}};
  return recogniseProduct(text, results);
}

} // namespace attnc
