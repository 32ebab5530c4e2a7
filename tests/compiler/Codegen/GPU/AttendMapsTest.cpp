// Which queries, keys and values the hardware copies as they lie: where their rows are a dimension of a tensor map.
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "tests/compiler/Codegen/GPU/NarrowAttend.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

/// Attention of heads, some of whose tensors may have no dimension of heads.
struct Layout {
  std::string name, query, key; ///< letters of the dimensions: h, i or j, and c of the columns
  bool isFetched;
};

constexpr int64_t heads = 3, queries = 140, keys = 150, columns = 32;

std::vector<int64_t> shapeOf(const std::string &letters) {
  std::vector<int64_t> shape;
  for (char each : letters)
    shape.push_back(each == 'h' ? heads : each == 'i' ? queries : each == 'j' ? keys : columns);
  return shape;
}

std::string typeOf(const std::string &letters) {
  std::string type = "tensor<";
  for (char each : letters)
    type += each == 'c' ? fmt::format("{}x", columns) : "?x";
  return type + "f32>";
}

std::string subscripts(const std::string &letters) {
  std::string all;
  for (char each : letters)
    all += fmt::format("{}%{}", all.empty() ? "" : ", ", each);
  return all;
}

/// All but the columns are dynamic, so that there may be much to compute.
std::string textOf(const Layout &layout) {
  std::string q = typeOf(layout.query), k = typeOf(layout.key);
  std::string out = fmt::format("func.func private @k(%q: {}, %k: {}, %v: {}) -> tensor<?x?x{}xf32> attributes "
                                "{{attn.kernel = \"attend\"}} {{\n  %C = arith.constant {} : index\n",
                                q, k, k, columns, columns);
  for (auto [name, tensor, letters, letter] :
       {std::tuple("H", "q", layout.query, 'h'), {"N", "q", layout.query, 'i'}, {"M", "k", layout.key, 'j'}})
    out += fmt::format("  %at{0} = arith.constant {1} : index\n  %{0} = tensor.dim %{2}, %at{0} : {3}\n", name,
                       letters.find(letter), tensor, typeOf(letters));
  out += fmt::format("  %r = attn.attend softmax outer(%H, %N) keys(%M) values(%C) yields [\"value\"]\n"
                     "  score(%h, %i, %j) {{ %s = attn.reduce add (%c) in (%C) {{ %a = tensor.extract %q[{}] : {} "
                     "%b = tensor.extract %k[{}] : {} %t = arith.mulf %a, %b : f32 attn.yield %t : f32 }} : f32\n"
                     "    attn.yield %s : f32 }}\n",
                     subscripts(layout.query), q, subscripts(layout.key), k);
  out += "  mask(%h, %i, %j) { %m = arith.cmpi sle, %j, %i : index attn.yield %m : i1 }\n";
  out += fmt::format("  value(%h, %i, %j, %c) {{ %x = tensor.extract %v[{}] : {} attn.yield %x : f32 }}\n",
                     subscripts(layout.key), k);
  return out + fmt::format("  : tensor<?x?x{0}xf32>\n  return %r : tensor<?x?x{0}xf32>\n}}\n", columns);
}

class AttendMaps : public testing::TestWithParam<Layout> {};

TEST_P(AttendMaps, AgreeWithTheOracle) {
  const Layout &layout = GetParam();
  NarrowPorts ports = portsAs(ElementKind::BF16);
  std::string text = textOf(layout);
  KernelRunner runner(narrowText(text, ports), *createGpuEmitter(), "cuda:sm_90a");
  std::vector<HostArray> operands = {HostArray::random(shapeOf(layout.query), 1),
                                     HostArray::random(shapeOf(layout.key), 2),
                                     HostArray::random(shapeOf(layout.key), 3)};
  EXPECT_EQ(narrowDifference(text, ports, runner, operands, {{heads, queries, columns}}), "");
  EXPECT_GT(count(runner.ptx(), "wgmma.mma_async"), 0);
  EXPECT_EQ(count(runner.ptx(), "cp.async.bulk.tensor") > 0, layout.isFetched);
}

INSTANTIATE_TEST_SUITE_P(Layouts, AttendMaps,
                         testing::Values(Layout{"HeadsBefore", "hic", "hjc", true},
                                         Layout{"HeadsBetween", "ihc", "jhc", true},
                                         Layout{"RowsOfAllHeads", "hic", "jc", true},
                                         Layout{"RowsThatAreNoDimension", "ihc", "jc", false}),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace attnc
