// Tests which queries, keys and values tensor cores read in place: heads that are slices of a projection's rows.
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "tests/compiler/Codegen/GPU/NarrowAttend.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

/// Causal attention of queries in the rows of %x, head by head, to keys and values in those of %y:
///
///   query  x[i, h * stride + c]        key  y[j, keys + h / group * stride + c]        value  y[j, values + ...]
struct ProjectedHeads {
  int64_t heads = 4, group = 2, dim = 32, stride = 32, keys = 64, values = 128, width = 192, queries = 70, length = 90;
  bool hasStaticQueries = false;

  std::string text() const {
    std::string rows = hasStaticQueries ? std::to_string(queries) : "?";
    std::string x = fmt::format("tensor<{}x{}xf32>", rows, width), y = fmt::format("tensor<?x{}xf32>", width);
    std::string result = fmt::format("tensor<{}x{}x{}xf32>", heads, rows, dim);
    std::string out = fmt::format("func.func private @k(%x: {}, %y: {}) -> {} attributes {{attn.kernel = \"attend\"}} "
                                  "{{\n  %c0 = arith.constant 0 : index\n",
                                  x, y, result);
    for (auto [name, number] :
         {std::pair("H", heads), {"G", group}, {"D", dim}, {"S", stride}, {"K", keys}, {"V", values}})
      out += fmt::format("  %{} = arith.constant {} : index\n", name, number);
    out += fmt::format("  %N = tensor.dim %x, %c0 : {}\n  %M = tensor.dim %y, %c0 : {}\n  %scale = arith.constant "
                       "2.0e-01 : f32\n  %r = attn.attend softmax outer(%H, %N) keys(%M) values(%D) yields [value]\n",
                       x, y);
    std::string head = "%kh = arith.floordivsi %h, %G : index %ks = arith.muli %kh, %S : index ";
    out +=
        fmt::format("  score(%h, %i, %j) {{ {} %qs = arith.muli %h, %S : index %kb = arith.addi %ks, %K : index\n"
                    "    %s = attn.reduce add (%c) in (%D) {{ %qc = arith.addi %qs, %c : index %kc = arith.addi %kb, "
                    "%c : index\n      %a = tensor.extract %x[%i, %qc] : {} %b = tensor.extract %y[%j, %kc] : {}\n"
                    "      %t = arith.mulf %a, %b : f32 attn.yield %t : f32 }} : f32\n"
                    "    %z = arith.mulf %s, %scale : f32 attn.yield %z : f32 }}\n",
                    head, x, y);
    out += "  mask(%h, %i, %j) { %m = arith.cmpi sle, %j, %i : index attn.yield %m : i1 }\n";
    out +=
        fmt::format("  value(%h, %i, %j, %e) {{ {} %vb = arith.addi %V, %e : index %ve = arith.addi %ks, %vb : index\n"
                    "    %u = tensor.extract %y[%j, %ve] : {} attn.yield %u : f32 }}\n",
                    head, y);
    return out + fmt::format("  : {0}\n  return %r : {0}\n}}\n", result);
  }
};

/// Compares the kernel with the oracle and returns its PTX.
std::string ptxOf(const ProjectedHeads &kernel, std::string_view target) {
  NarrowPorts ports{{0, 1}, {0}, ElementKind::BF16};
  KernelRunner runner(narrowText(kernel.text(), ports), *createGpuEmitter(), target);
  std::vector<HostArray> operands = {HostArray::random({kernel.queries, kernel.width}, 1),
                                     HostArray::random({kernel.length, kernel.width}, 2)};
  EXPECT_EQ(narrowDifference(kernel.text(), ports, runner, operands, {{kernel.heads, kernel.queries, kernel.dim}}), "");
  return runner.ptx();
}

TEST(AttendMatrices, TakesHeadsOfAProjection) {
  for (auto [queries, length] : {std::pair<int64_t, int64_t>{70, 90}, {200, 200}, {1, 3}}) {
    SCOPED_TRACE(queries);
    ProjectedHeads kernel;
    kernel.queries = queries, kernel.length = length;
    EXPECT_GT(count(ptxOf(kernel, "cuda:sm_80"), "mma.sync"), 0);
    EXPECT_GT(count(ptxOf(kernel, "cuda:sm_90a"), "wgmma.mma_async"), 0);
  }
}

TEST(AttendMatrices, TakesHeadsOfAProjectionWhereKeysAreSplit) {
  ProjectedHeads kernel;
  kernel.queries = 1, kernel.length = 400, kernel.hasStaticQueries = true; // there is no other form
  std::string ptx = ptxOf(kernel, "cuda:sm_80");
  EXPECT_GT(count(ptx, "$merge"), 0);
  EXPECT_GT(count(ptx, "mma.sync"), 0);
}

/// Heads with gaps between them, in rows with further columns.
TEST(AttendMatrices, TakesHeadsWithGaps) {
  ProjectedHeads kernel;
  kernel.stride = 40, kernel.keys = 8, kernel.values = 96, kernel.width = 200;
  EXPECT_GT(count(ptxOf(kernel, "cuda:sm_80"), "mma.sync"), 0);
  EXPECT_GT(count(ptxOf(kernel, "cuda:sm_90a"), "wgmma.mma_async"), 0);
}

/// A slice that begins inside a unit of 16 bytes cannot be copied in units, so that the general form is used.
TEST(AttendMatrices, LeavesWhatBeginsWithinAUnit) {
  ProjectedHeads keys, values, heads, rows;
  keys.keys = 60;
  values.values = 124;
  heads.stride = 36, heads.keys = 0, heads.values = 72;
  rows.width = 196;
  for (const ProjectedHeads &kernel : {keys, values, heads, rows})
    for (const char *target : {"cuda:sm_80", "cuda:sm_90a"})
      EXPECT_EQ(count(ptxOf(kernel, target), "mma"), 0) << kernel.text();
}

} // namespace
} // namespace attnc
