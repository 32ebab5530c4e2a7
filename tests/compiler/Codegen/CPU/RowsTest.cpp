// Rows kernels against the oracle, on processors and on a device: the norms and losses that the prelude makes of them,
// and special rows by name.
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "tests/support/OracleCheck.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

using Shape = std::vector<int64_t>;

/// Writes linalg.generics over rows [d0, d1] of length d2.
class RowsText {
public:
  RowsText(std::string arguments, std::string results) : arguments(std::move(arguments)), results(std::move(results)) {}

  /// `%name = map(reads...)`, each read "%x/row", "%x/scalar" or "%x/last".
  RowsText &map(const std::string &name, std::vector<std::string> reads, const std::string &body, bool scalar = false) {
    return add(name, std::move(reads), body, scalar ? "pp" : "ppp", scalar ? "%scalarInit" : "%rowInit", scalar);
  }
  RowsText &reduce(const std::string &name, std::vector<std::string> reads, const std::string &body,
                   bool largest = false) {
    return add(name, std::move(reads), body, "ppr", largest ? "%lowInit" : "%zeroInit", true);
  }
  std::string text(const std::string &returned) const {
    return fmt::format(R"(func.func private @k({}) -> ({}) attributes {{attn.kernel = "rows"}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %m = tensor.dim %x, %c0 : tensor<?x?x?xf32>
      %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
      %p = tensor.dim %x, %c2 : tensor<?x?x?xf32>
      %count32 = arith.index_cast %p : index to i32
      %count = arith.sitofp %count32 : i32 to f32
      %zero = arith.constant 0.0 : f32
      %low = arith.constant 0xFF800000 : f32
      %epsilon = arith.constant 1.0e-5 : f32
      %rowInit = tensor.empty(%m, %n, %p) : tensor<?x?x?xf32>
      %scalarInit = tensor.empty(%m, %n) : tensor<?x?xf32>
      %zeroInit = linalg.fill ins(%zero : f32) outs(%scalarInit : tensor<?x?xf32>) -> tensor<?x?xf32>
      %lowInit = linalg.fill ins(%low : f32) outs(%scalarInit : tensor<?x?xf32>) -> tensor<?x?xf32>
{}
      return {} : {}
    }})",
                       arguments, results, body, returned, results);
  }

private:
  RowsText &add(const std::string &name, std::vector<std::string> reads, const std::string &code,
                const std::string &iterators, const std::string &init, bool scalarResult) {
    std::string dims = iterators.size() == 2 ? "(a, b)" : "(a, b, c)", maps, operands, types, blockArguments, kinds;
    unsigned number = 0;
    for (const std::string &read : reads) {
      std::string operand = read.substr(0, read.find('/')), kind = read.substr(read.find('/') + 1);
      maps += fmt::format("affine_map<{} -> {}>, ", dims,
                          kind == "row"      ? "(a, b, c)"
                          : kind == "scalar" ? "(a, b)"
                                             : "(c)");
      operands += (number ? ", " : "") + operand;
      types += (number ? ", " : "") + std::string(kind == "row"      ? "tensor<?x?x?xf32>"
                                                  : kind == "scalar" ? "tensor<?x?xf32>"
                                                                     : "tensor<?xf32>");
      blockArguments += fmt::format("%a{}: f32, ", number++);
    }
    maps += fmt::format("affine_map<{} -> {}>", dims, scalarResult ? "(a, b)" : "(a, b, c)");
    for (char each : iterators)
      kinds += fmt::format("{}\"{}\"", kinds.empty() ? "" : ", ", each == 'p' ? "parallel" : "reduction");
    std::string type = scalarResult ? "tensor<?x?xf32>" : "tensor<?x?x?xf32>";
    body +=
        fmt::format("      {} = linalg.generic {{indexing_maps = [{}], iterator_types = [{}]}} {} outs({} : {}) {{\n"
                    "      ^bb0({}%o: f32):\n        {}\n        linalg.yield %y : f32\n      }} -> {}\n",
                    name, maps, kinds, reads.empty() ? "" : fmt::format("ins({} : {})", operands, types), init, type,
                    blockArguments, code, type);
    return *this;
  }

  std::string arguments, results, body;
};

std::string layerNorm() {
  return RowsText("%x: tensor<?x?x?xf32>, %gain: tensor<?xf32>, %bias: tensor<?xf32>", "tensor<?x?x?xf32>")
      .reduce("%sum", {"%x/row"}, "%y = arith.addf %o, %a0 : f32")
      .map("%mean", {"%sum/scalar"}, "%y = arith.divf %a0, %count : f32", true)
      .map("%centred", {"%x/row", "%mean/scalar"}, "%y = arith.subf %a0, %a1 : f32")
      .reduce("%squares", {"%centred/row"}, "%s = arith.mulf %a0, %a0 : f32 %y = arith.addf %o, %s : f32")
      .map("%inverse", {"%squares/scalar"},
           "%v = arith.divf %a0, %count : f32 %e = arith.addf %v, %epsilon : f32 %y = math.rsqrt %e : f32", true)
      .map("%result", {"%centred/row", "%inverse/scalar", "%gain/last", "%bias/last"},
           "%s = arith.mulf %a0, %a1 : f32 %t = arith.mulf %s, %a2 : f32 %y = arith.addf %t, %a3 : f32")
      .text("%result");
}

std::string softmax() {
  return RowsText("%x: tensor<?x?x?xf32>", "tensor<?x?x?xf32>")
      .reduce("%largest", {"%x/row"}, "%y = arith.maximumf %o, %a0 : f32", true)
      .map("%powers", {"%x/row", "%largest/scalar"}, "%d = arith.subf %a0, %a1 : f32 %y = math.exp %d : f32")
      .reduce("%sum", {"%powers/row"}, "%y = arith.addf %o, %a0 : f32")
      .map("%result", {"%powers/row", "%sum/scalar"}, "%y = arith.divf %a0, %a1 : f32")
      .text("%result");
}

/// -log softmax at the label's place, and the softmax too.
std::string crossEntropy(bool overLogits = false) {
  std::string inPlace = overLogits ? " {attn.in_place = 0 : i64}" : "";
  return RowsText("%x: tensor<?x?x?xf32>" + inPlace + ", %labels: tensor<?x?xi32>",
                  overLogits ? "tensor<?x?x?xf32>, tensor<?x?xf32>" : "tensor<?x?xf32>, tensor<?x?x?xf32>")
      .reduce("%largest", {"%x/row"}, "%y = arith.maximumf %o, %a0 : f32", true)
      .map("%powers", {"%x/row", "%largest/scalar"}, "%d = arith.subf %a0, %a1 : f32 %y = math.exp %d : f32")
      .reduce("%sum", {"%powers/row"}, "%y = arith.addf %o, %a0 : f32")
      .map("%probabilities", {"%powers/row", "%sum/scalar"}, "%y = arith.divf %a0, %a1 : f32")
      .map("%loss", {"%sum/scalar", "%largest/scalar"},
           R"(%i = linalg.index 0 : index
              %j = linalg.index 1 : index
              %label = tensor.extract %labels[%i, %j] : tensor<?x?xi32>
              %k = arith.index_cast %label : i32 to index
              %picked = tensor.extract %x[%i, %j, %k] : tensor<?x?x?xf32>
              %l = math.log %a0 : f32
              %s = arith.addf %l, %a1 : f32
              %y = arith.subf %s, %picked : f32)",
           true)
      .text(overLogits ? "%probabilities, %loss" : "%loss, %probabilities");
}

const std::vector<Shape> shapes = {{1, 1, 1},   {2, 3, 5},   {3, 2, 16},  {2, 2, 64},
                                   {1, 4, 100}, {4, 5, 257}, {3, 40, 768}};

using Targets = std::vector<std::string>;
const Targets processors = {"native", "x86-64-v3"}, everywhere = {"native", "x86-64-v3", "cuda"};

std::string check(const std::string &text, const std::vector<HostArray> &inputs, const std::vector<Shape> &results,
                  const Targets &targets = everywhere) {
  for (const std::string &target : targets) {
    OracleCheck oracle{text, inputs, results};
    oracle.target = target;
    if (std::string difference = differenceFromOracle(oracle); !difference.empty())
      return target + ": " + difference;
  }
  return "";
}

TEST(Rows, LayerNorm) {
  for (const Shape &shape : shapes)
    EXPECT_EQ(
        check(layerNorm(),
              {HostArray::random(shape, 1, -2, 5), HostArray::random({shape[2]}, 2), HostArray::random({shape[2]}, 3)},
              {shape}),
        "")
        << shape[2];
}

TEST(Rows, Softmax) {
  for (const Shape &shape : shapes)
    EXPECT_EQ(check(softmax(), {HostArray::random(shape, 1, -20, 20)}, {shape}), "") << shape[2];
}

TEST(Rows, SoftmaxOfInfinities) {
  HostArray x = HostArray::random({1, 3, 40}, 1);
  for (int i = 0; i < 40; ++i)
    x.f32()[i] = i < 30 ? -INFINITY : x.f32()[i]; // masked
  x.f32()[40 + 7] = NAN;
  x.f32()[80 + 9] = 3e38f;
  EXPECT_EQ(check(softmax(), {x}, {x.shape}), "");
}

TEST(Rows, CrossEntropyWithSoftmax) {
  for (const Shape &shape : shapes) {
    HostArray labels({shape[0], shape[1]}, ElementKind::I32);
    for (int64_t i = 0; i < labels.size(); ++i)
      labels.i32()[i] = static_cast<int32_t>(i * 31 % shape[2]);
    EXPECT_EQ(check(crossEntropy(), {HostArray::random(shape, 1, -5, 5), labels}, {{shape[0], shape[1]}, shape}), "")
        << shape[2];
  }
}

TEST(Rows, ProbabilitiesOverTheLogitsOfWhichOneIsPicked) {
  KernelRunner runner(crossEntropy(/*overLogits=*/true), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  RunOptions over;
  over.inPlaceOperand = 0;
  for (const Shape &shape : shapes) {
    HostArray labels({shape[0], shape[1]}, ElementKind::I32);
    for (int64_t i = 0; i < labels.size(); ++i)
      labels.i32()[i] = static_cast<int32_t>(i * 31 % shape[2]);
    std::vector<HostArray> inputs = {HostArray::random(shape, 1, -5, 5), labels};
    std::vector<HostArray> apart = runner.run(inputs, {shape, {shape[0], shape[1]}});
    std::vector<HostArray> shared = runner.run(inputs, {shape, {shape[0], shape[1]}}, over);
    EXPECT_EQ(apart[0].bytes, shared[0].bytes) << shape[2];
    EXPECT_EQ(apart[1].bytes, shared[1].bytes) << shape[2];
  }
}

TEST(Rows, LabelOutOfRange) {
  KernelRunner runner(crossEntropy(), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  HostArray labels = HostArray::of({1, 2}, std::vector<int32_t>{3, 9});
  runner.run({HostArray::random({1, 2, 9}, 1), labels}, {{1, 2}, {1, 2, 9}});
  EXPECT_EQ(runner.status(), 5);
}

TEST(Rows, LongRow) {
  Shape shape{1, 2, 50257};
  EXPECT_EQ(check(softmax(), {HostArray::random(shape, 1, -5, 5)}, {shape}), "");
}

TEST(Rows, NoRows) { EXPECT_EQ(check(softmax(), {HostArray::random({2, 0, 7}, 1)}, {{2, 0, 7}}), ""); }

TEST(Rows, SoftmaxKeepsItsExponentials) {
  KernelRunner runner(softmax(), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  EXPECT_EQ(runner.code().workerBytes.evaluate({2, 3, 100, 2, 3, 100}), 448);
  KernelRunner norm(layerNorm(), *createCpuEmitter());
  EXPECT_EQ(norm.code().workerBytes, SizeExpr(0));
}

TEST(Rows, ArgMax) {
  std::string text =
      R"(func.func private @k(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xi32>) attributes {attn.kernel = "rows"} {
      %c0 = arith.constant 0 : index
      %m = tensor.dim %x, %c0 : tensor<?x?xf32>
      %low = arith.constant 0xFF800000 : f32
      %none = arith.constant 0 : i32
      %e = tensor.empty(%m) : tensor<?xf32>
      %f = tensor.empty(%m) : tensor<?xi32>
      %a = linalg.fill ins(%low : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      %b = linalg.fill ins(%none : i32) outs(%f : tensor<?xi32>) -> tensor<?xi32>
      %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                                              affine_map<(i, j) -> (i)>],
                             iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<?x?xf32>) outs(%a, %b : tensor<?xf32>, tensor<?xi32>) {
      ^bb0(%y: f32, %best: f32, %at: i32):
        %j = linalg.index 1 : index
        %k = arith.index_cast %j : index to i32
        %c = arith.cmpf ogt, %y, %best : f32
        %s = arith.select %c, %y, %best : f32
        %t = arith.select %c, %k, %at : i32
        linalg.yield %s, %t : f32, i32
      } -> (tensor<?xf32>, tensor<?xi32>)
      return %r#0, %r#1 : tensor<?xf32>, tensor<?xi32>
    })";
  for (int64_t length : {1, 7, 100})
    EXPECT_EQ(check(text, {HostArray::random({9, length}, 1)}, {{9}, {9}}, processors), "") << length;
}

TEST(Rows, Refusals) {
  std::string text = layerNorm();
  text.replace(text.find("math.rsqrt"), 10, "math.atan");
  KernelRunner runner(text, *createCpuEmitter());
  EXPECT_EQ(runner.message(), "cpu does not take this kernel: its formula holds math.atan");
}

} // namespace
} // namespace attnc
