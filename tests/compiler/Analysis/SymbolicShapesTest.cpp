#include "compiler/Analysis/SymbolicShapes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tests/support/ParsedModule.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

const char *text = R"(
func.func private @kernel(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {attn.kernel = "loops"} {
  return %x : tensor<?x8xf32>
}
func.func @entry(%x: tensor<?x?x8xf32> {model.name = "x", model.shape = ["batch", "seq", "8"]},
                 %y: tensor<?x4xi1> {model.name = "y", model.shape = ["seq", "4"]}) -> tensor<?x8xf32>
    attributes {model.entry, model.dimensions = [#model.dimension<"batch", -1>, #model.dimension<"seq", -1>]} {
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %z = func.call @kernel(%flat) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}
func.func @plain(%x: tensor<?xf32>, %n: index) { return }
)";

TEST(SymbolicShapes, AreInTheNamesOfTheDimensions) {
  ParsedModule module(text);
  ASSERT_TRUE(module) << module.diagnostics();
  auto entry = module.function("entry");
  SymbolicShapes shapes(entry);
  EXPECT_EQ(shapes.text(shapes.bytes(entry.getArgument(0))), "32*batch*seq");
  EXPECT_EQ(shapes.extent(entry.getArgument(1), 0), shapes.extent(entry.getArgument(0), 1));
}

TEST(SymbolicShapes, CountAByteForATruthValue) {
  ParsedModule module(text);
  auto entry = module.function("entry");
  SymbolicShapes shapes(entry);
  EXPECT_EQ(shapes.text(shapes.bytes(entry.getArgument(1))), "4*seq");
}

TEST(SymbolicShapes, FollowReshapesAndCalls) {
  ParsedModule module(text);
  auto entry = module.function("entry");
  SymbolicShapes shapes(entry);
  mlir::Value result = entry.front().getTerminator()->getOperand(0);
  EXPECT_EQ(shapes.text(shapes.extent(result, 0)), "batch*seq");
}

TEST(SymbolicShapes, NameWhatHasNoNameByItsArgument) {
  ParsedModule module(text);
  auto plain = module.function("plain");
  SymbolicShapes shapes(plain);
  EXPECT_EQ(shapes.text(shapes.extent(plain.getArgument(0), 0)), "arg0.0");
  EXPECT_EQ(shapes.text(shapes.size(plain.getArgument(1))), "arg1");
}

} // namespace
} // namespace attnc
