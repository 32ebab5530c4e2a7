#include "tests/compiler/Codegen/CPU/AttendMechanisms.h"
#include "runtime/include/attn/status.h"
#include "tests/compiler/Codegen/CPU/AttendMasks.h"
#include "tests/support/TestName.h"

namespace attnc {

std::vector<Mechanism> maskMechanisms() {
  std::vector<Mechanism> all;
  for (AttendMaskCase &each : attendMaskCases()) {
    Mechanism &mechanism = all.emplace_back(Mechanism{each.name, {}});
    mechanism.kernel.mask = each.mask;
    mechanism.kernel.captured = each.captured;
    mechanism.captured = each.operands;
  }
  return all;
}

static void addBiases(std::vector<Mechanism> &all) {
  auto add = [&](std::string name) -> Mechanism & { return all.emplace_back(Mechanism{std::move(name), {}}); };
  Mechanism &bias = add("learned bias");
  bias.kernel.captured = ", %bias: tensor<?x?x?xf32>";
  bias.kernel.score = "%y0 = arith.mulf %s, %scale : f32 %y1 = tensor.extract %bias[%h, %i, %j] : tensor<?x?x?xf32> "
                      "%y = arith.addf %y0, %y1 : f32";
  bias.captured = [](const AttendKernel &kernel) {
    return std::vector{HostArray::random({kernel.heads, kernel.queries, kernel.keys}, 7)};
  };
  Mechanism &biases = add("two biases under a mask");
  biases.kernel.captured = ", %bias: tensor<?x?x?xf32>, %other: tensor<?x?xf32>, %allowed: tensor<?x?xi1>";
  biases.kernel.score =
      "%y0 = tensor.extract %bias[%h, %i, %j] : tensor<?x?x?xf32> %y1 = tensor.extract %other[%i, %j] "
      ": tensor<?x?xf32> %y2 = arith.mulf %s, %y1 : f32 %y = arith.addf %y0, %y2 : f32";
  biases.kernel.mask = "%x0 = tensor.extract %allowed[%i, %j] : tensor<?x?xi1> %x1 = arith.cmpi sle, %j, %i : index "
                       "%m = arith.andi %x0, %x1 : i1";
  biases.captured = [](const AttendKernel &kernel) {
    HostArray allowed({kernel.queries, kernel.keys}, ElementKind::I1);
    for (int64_t i = 0; i < allowed.size(); ++i)
      allowed.i1()[i] = i % 7 != 3;
    return std::vector{HostArray::random({kernel.heads, kernel.queries, kernel.keys}, 10),
                       HostArray::random({kernel.queries, kernel.keys}, 11), allowed};
  };
  Mechanism &alibi = add("linear bias");
  alibi.kernel.captured = ", %slope: tensor<2xf32>";
  alibi.kernel.mask = causalMask;
  alibi.kernel.score = "%y0 = arith.mulf %s, %scale : f32 %y1 = tensor.extract %slope[%h] : tensor<2xf32> "
                       "%y2 = arith.subi %i, %j : index %y3 = arith.index_cast %y2 : index to i32 "
                       "%y4 = arith.sitofp %y3 : i32 to f32 %y5 = arith.mulf %y1, %y4 : f32 "
                       "%y = arith.subf %y0, %y5 : f32";
  alibi.captured = [](const AttendKernel &) {
    return std::vector{HostArray::of({2}, std::vector<float>{0.5f, 0.25f})};
  };
}

std::vector<Mechanism> scoreMechanisms() {
  std::vector<Mechanism> all;
  auto add = [&](std::string name) -> Mechanism & { return all.emplace_back(Mechanism{std::move(name), {}}); };
  add("dot product").kernel.score = "%y = arith.addf %s, %s : f32";
  add("scaled dot product");
  Mechanism &cap = add("soft cap");
  cap.kernel.constants = "%cap = arith.constant 3.0 : f32";
  cap.kernel.score = "%y0 = arith.mulf %s, %scale : f32 %y1 = arith.divf %y0, %cap : f32 %y2 = math.tanh %y1 : f32 "
                     "%y = arith.mulf %y2, %cap : f32";
  addBiases(all);
  Mechanism &additive = add("additive");
  additive.kernel.captured = ", %va: tensor<?xf32>";
  additive.kernel.dot = "%t0 = arith.addf %a, %b : f32 %t1 = math.tanh %t0 : f32 %t2 = tensor.extract %va[%d] : "
                        "tensor<?xf32> %t = arith.mulf %t1, %t2 : f32";
  additive.kernel.score = "%y = arith.mulf %s, %scale : f32";
  additive.captured = [](const AttendKernel &kernel) { return std::vector{HostArray::random({kernel.dim}, 8)}; };
  Mechanism &gaussian = add("Gaussian kernel");
  gaussian.kernel.dot = "%t0 = arith.subf %a, %b : f32 %t = arith.mulf %t0, %t0 : f32";
  gaussian.kernel.constants = "%half = arith.constant -0.5 : f32";
  gaussian.kernel.score = "%y = arith.mulf %s, %half : f32";
  Mechanism &ratio = add("ratio of products");
  ratio.kernel.normaliser = "ratio";
  ratio.kernel.mask = causalMask;
  ratio.kernel.score = "%y = arith.mulf %s, %s : f32";
  Mechanism &gate = add("linear weight");
  gate.kernel.captured = ", %gate: tensor<?x?xf32>";
  gate.kernel.weight = "%w0 = tensor.extract %gate[%i, %j] : tensor<?x?xf32> %w = arith.mulf %p, %w0 : f32";
  gate.captured = [](const AttendKernel &kernel) {
    return std::vector{HostArray::random({kernel.queries, kernel.keys}, 9)};
  };
  Mechanism &square = add("quadratic weight");
  square.kernel.mask = causalMask;
  square.kernel.weight = "%w = arith.mulf %p, %p : f32";
  Mechanism &statistics = add("all statistics");
  statistics.kernel.mask = causalMask;
  statistics.kernel.yields = "\"value\", \"weights\", \"lse\"";
  Mechanism &grouped = add("grouped heads");
  grouped.kernel.heads = 6;
  grouped.kernel.group = 3;
  return all;
}

void PrintTo(const Mechanism &mechanism, std::ostream *out) { *out << mechanism.name; }

std::string mechanismName(const testing::TestParamInfo<Mechanism> &info) { return testName(info.param.name); }

void expectOracleAt(const Mechanism &mechanism, AttendKernel kernel,
                    std::initializer_list<std::pair<int64_t, int64_t>> sizes, std::string_view target) {
  ComparedKernel compiled(kernel.text(), target);
  for (auto [queries, keys] : sizes) {
    kernel.queries = queries;
    kernel.keys = keys;
    std::vector<HostArray> operands = kernel.operands();
    for (HostArray &each : mechanism.captured(kernel))
      operands.push_back(std::move(each));
    EXPECT_EQ(compiled.compare(operands, kernel.resultShapes()), "") << queries << " queries, " << keys << " keys";
  }
}

void expectCheckedSubscripts(std::string_view target) {
  AttendKernel kernel;
  kernel.captured = ", %table: tensor<?xi32>, %rows: tensor<?x?xf32>";
  kernel.score = "%y0 = tensor.extract %table[%i] : tensor<?xi32> %y1 = arith.index_cast %y0 : i32 to index "
                 "%y2 = tensor.extract %rows[%y1, %j] : tensor<?x?xf32> %y = arith.addf %s, %y2 : f32";
  KernelRunner runner(kernel.text(), *emitterFor(target), target);
  ASSERT_TRUE(runner) << runner.message();
  std::vector<HostArray> operands = kernel.operands();
  operands.push_back(HostArray::of({kernel.queries}, std::vector<int32_t>(kernel.queries, 3)));
  operands.push_back(HostArray::random({4, kernel.keys}, 5));
  runner.run(operands, kernel.resultShapes());
  EXPECT_EQ(runner.status(), ATTN_OK);
  operands[3].i32()[60] = 4;
  runner.run(operands, kernel.resultShapes());
  EXPECT_EQ(runner.status(), ATTN_OUT_OF_RANGE);
}

} // namespace attnc
