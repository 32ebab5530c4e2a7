// Tests which queries, keys and values TMA copies in place: those whose rows are a dimension of a tensor map.
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "tests/compiler/Codegen/GPU/NarrowAttend.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

/// Attention of heads; some of its tensors may lack the dimension of heads.
struct Layout {
  std::string name, query, key; ///< dimensions: b, h, i, j, columns of a head (c) or of all heads (w)
  bool isFetched;
  int64_t columns = 32;

  bool hasBatches() const { return query.find('b') != std::string::npos; }
  std::string outer() const { return hasBatches() ? "bhi" : "hi"; }
};

constexpr int64_t batches = 2, heads = 3, queries = 140, keys = 150;

std::vector<int64_t> shapeOf(const std::string &letters, int64_t columns) {
  std::vector<int64_t> shape;
  for (char each : letters)
    shape.push_back(each == 'b'   ? batches
                    : each == 'h' ? heads
                    : each == 'i' ? queries
                    : each == 'j' ? keys
                    : each == 'w' ? heads * columns
                                  : columns);
  return shape;
}

/// Returns a type with static columns only, so that the kernel may be large.
std::string typeOf(const std::string &letters, int64_t columns) {
  std::string type = "tensor<";
  for (char each : letters)
    type += each == 'c' ? fmt::format("{}x", columns) : each == 'w' ? fmt::format("{}x", heads * columns) : "?x";
  return type + "f32>";
}

std::string subscripts(const std::string &letters) {
  std::string all;
  for (char each : letters)
    all += fmt::format("{}%{}", all.empty() ? "" : ", ", each);
  return all;
}

std::string textOf(const Layout &layout) {
  int64_t columns = layout.columns;
  std::string q = typeOf(layout.query, columns), k = typeOf(layout.key, columns), outer = subscripts(layout.outer());
  std::string result = typeOf(layout.outer() + "c", columns), sizes;
  std::string out = fmt::format("func.func private @k(%q: {}, %k: {}, %v: {}) -> {} attributes "
                                "{{attn.kernel = \"attend\"}} {{\n  %C = arith.constant {} : index\n",
                                q, k, k, result, columns);
  auto define = [&](char letter, const char *tensor, const std::string &letters) {
    out += fmt::format("  %at_{0} = arith.constant {1} : index\n  %n_{0} = tensor.dim %{2}, %at_{0} : {3}\n", letter,
                       letters.find(letter), tensor, typeOf(letters, columns));
  };
  for (char letter : layout.outer()) {
    if (layout.query.find(letter) != std::string::npos)
      define(letter, "q", layout.query);
    else
      out += fmt::format("  %n_{} = arith.constant {} : index\n", letter, heads);
    sizes += fmt::format("{}%n_{}", sizes.empty() ? "" : ", ", letter);
  }
  define('j', "k", layout.key);
  std::string wide = "%first = arith.muli %h, %C : index %w = arith.addi %first, %c : index";
  out += fmt::format("  %r = attn.attend softmax outer({}) keys(%n_j) values(%C) yields [\"value\"]\n"
                     "  score({}, %j) {{ %s = attn.reduce add (%c) in (%C) {{ {} %x = tensor.extract %q[{}] : {} "
                     "%y = tensor.extract %k[{}] : {} %t = arith.mulf %x, %y : f32 attn.yield %t : f32 }} : f32\n"
                     "    attn.yield %s : f32 }}\n",
                     sizes, outer, wide, subscripts(layout.query), q, subscripts(layout.key), k);
  out += fmt::format("  mask({}, %j) {{ %m = arith.cmpi sle, %j, %i : index attn.yield %m : i1 }}\n", outer);
  out += fmt::format("  value({}, %j, %c) {{ {} %x = tensor.extract %v[{}] : {} attn.yield %x : f32 }}\n", outer, wide,
                     subscripts(layout.key), k);
  return out + fmt::format("  : {0}\n  return %r : {0}\n}}\n", result);
}

class AttendMaps : public testing::TestWithParam<Layout> {};

TEST_P(AttendMaps, AgreeWithTheOracle) {
  const Layout &layout = GetParam();
  NarrowPorts ports = portsAs(ElementKind::BF16);
  std::string text = textOf(layout);
  KernelRunner runner(narrowText(text, ports), *createGpuEmitter(), "cuda:sm_90a");
  ASSERT_TRUE(runner) << runner.message();
  std::vector<int64_t> ofKeys = shapeOf(layout.key, layout.columns);
  std::vector<HostArray> operands = {HostArray::random(shapeOf(layout.query, layout.columns), 1),
                                     HostArray::random(ofKeys, 2), HostArray::random(ofKeys, 3)};
  EXPECT_EQ(narrowDifference(text, ports, runner, operands, {shapeOf(layout.outer() + "c", layout.columns)}), "");
  EXPECT_GT(count(runner.ptx(), "wgmma.mma_async"), 0);
  EXPECT_EQ(count(runner.ptx(), "cp.async.bulk.tensor") > 0, layout.isFetched);
}

INSTANTIATE_TEST_SUITE_P(Layouts, AttendMaps,
                         testing::Values(Layout{"HeadsBefore", "hic", "hjc", true},
                                         Layout{"HeadsBetween", "ihc", "jhc", true},
                                         Layout{"RowsOfAllHeads", "hic", "jc", true},
                                         Layout{"HeadsBetweenInBatches", "bihc", "bjhc", true},
                                         Layout{"HeadsBeforeInBatches", "bhic", "bhjc", true},
                                         Layout{"PartsOfLongerRows", "hic", "jw", true},
                                         Layout{"PartsOfLongerRowsInBatches", "biw", "bjw", true},
                                         Layout{"PanelsOf64Bytes", "hic", "hjc", true, 96},
                                         Layout{"RowsThatAreNoDimension", "ihc", "jc", false}),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace attnc
