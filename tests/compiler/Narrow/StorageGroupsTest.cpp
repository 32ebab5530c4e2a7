// Tests that an op between kernels gives its operands and results the same storage: if one of them must be f32, all
// are.
#include "compiler/Narrow/Narrow.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "tests/support/ParsedModule.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

std::string pointwise(const std::string &name, const std::string &formula) {
  return "func.func private @" + name + R"((%x: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {attn.kernel = "loops"} {
  %empty = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%e: f32, %out: f32):
    %r = )" +
         formula + R"( %e : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
})";
}

/// Kernels compute a and b, `moves` computes `%moved` from them, and a kernel applies `formula` to its elements.
std::string program(const std::string &moves, const std::string &formula) {
  return pointwise("made", "math.absf") + pointwise("read", formula) + R"(
func.func @f(%x: tensor<8x8xf32>, %yes: i1) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = call @made(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = call @made(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
)" + moves +
         R"(
  %y = call @read(%moved) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
})";
}

/// Returns the number of the two calls of `made` whose results are stored in bf16.
int countNarrow(const std::string &text) {
  ParsedModule module(text);
  EXPECT_TRUE(module) << module.diagnostics();
  if (!module)
    return -1;
  mlir::Builder builder(module.get().getContext());
  narrowStorage(module.get(), builder.getBF16Type(), [](mlir::func::FuncOp) { return Verdict::yes(); });
  EXPECT_TRUE(mlir::succeeded(mlir::verify(module.get()))) << module.diagnostics();
  int narrow = 0;
  module.function("f").walk(
      [&](mlir::func::CallOp call) { narrow += mlir::getElementTypeOrSelf(call.getResult(0)).isBF16(); });
  return narrow;
}

class StorageGroupsTest : public testing::TestWithParam<const char *> {};

TEST_P(StorageGroupsTest, AreStoredAlike) {
  EXPECT_EQ(countNarrow(program(GetParam(), "math.tanh")), 2) << GetParam();
  EXPECT_EQ(countNarrow(program(GetParam(), "math.cos")), 0) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(
    Ops, StorageGroupsTest,
    testing::Values(
        "%all = tensor.concat dim(0) %a, %b : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>\n"
        "%moved = tensor.extract_slice %all[4, 0] [8, 8] [1, 1] : tensor<16x8xf32> to tensor<8x8xf32>",
        "%moved = tensor.insert_slice %a into %b[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<8x8xf32>",
        "%moved = arith.select %yes, %a, %b : tensor<8x8xf32>",
        "%moved = scf.if %yes -> tensor<8x8xf32> {\n scf.yield %a : tensor<8x8xf32>\n} else {\n"
        " scf.yield %b : tensor<8x8xf32>\n}",
        "%moved = scf.for %i = %c0 to %c8 step %c1 iter_args(%held = %a) -> tensor<8x8xf32> {\n"
        " scf.yield %b : tensor<8x8xf32>\n}"));

} // namespace
} // namespace attnc
