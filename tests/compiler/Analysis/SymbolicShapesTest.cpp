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
func.func private @filtered(%x: tensor<?xf32>, %counts: tensor<2xi32>) -> tensor<?xf32>
    attributes {attn.kernel = "loops"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = tensor.extract %counts[%c0] : tensor<2xi32>
  %second = tensor.extract %counts[%c1] : tensor<2xi32>
  %a = arith.index_cast %first : i32 to index
  %b = arith.index_cast %second : i32 to index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %size = arith.addi %a, %b : index
  %all = arith.addi %size, %n : index
  %result = tensor.empty(%all) : tensor<?xf32>
  return %result : tensor<?xf32>
}
func.func @filter(%x: tensor<?xf32>, %counts: tensor<2xi32>) -> tensor<?xf32> {
  %z = func.call @filtered(%x, %counts) : (tensor<?xf32>, tensor<2xi32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}
)";

TEST(SymbolicShapes, AreInTheNamesOfTheDimensions) {
  ParsedModule module(text);
  ASSERT_TRUE(module) << module.diagnostics();
  auto entry = module.function("entry");
  SymbolicShapes shapes(entry);
  EXPECT_EQ(shapes.text(shapes.bytes(entry.getArgument(0))), "32*batch*seq");
  EXPECT_EQ(shapes.extent(entry.getArgument(1), 0), shapes.extent(entry.getArgument(0), 1));
}

TEST(SymbolicShapes, OfDeclaredMultiplesAndQuotients) {
  ParsedModule module(R"(
func.func @entry(%x: tensor<?xf32> {model.name = "x", model.shape = ["2*n + 1"]},
                 %y: tensor<?x?xf32> {model.name = "y", model.shape = ["n*m", "(m + 15) / 16"]},
                 %z: tensor<?xf32> {model.name = "z", model.shape = ["m"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>, #model.dimension<"m", -1>]} {
  return
})");
  ASSERT_TRUE(module) << module.diagnostics();
  auto entry = module.function("entry");
  SymbolicShapes shapes(entry);
  EXPECT_EQ(shapes.text(shapes.extent(entry.getArgument(0), 0)), "2*n + 1");
  EXPECT_EQ(shapes.text(shapes.elements(entry.getArgument(1))), "n*m*((m + 15) / 16)");
  EXPECT_TRUE(shapes.symbolValue(0)) << "from 2*n + 1";
  EXPECT_TRUE(shapes.symbolValue(1).getDefiningOp<mlir::tensor::DimOp>()) << "from m";
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

/// Two sizes of the callee that its operands do not determine may differ, so they are not one symbol.
TEST(SymbolicShapes, SizesFromDataOfACalleeAreOneSymbolOfTheCall) {
  ParsedModule module(text);
  ASSERT_TRUE(module) << module.diagnostics();
  auto filter = module.function("filter");
  SymbolicShapes shapes(filter);
  mlir::Value result = filter.front().getTerminator()->getOperand(0);
  std::string extent = shapes.text(shapes.extent(result, 0));
  EXPECT_EQ(extent, shapes.names().back()) << "neither 2 times a symbol nor a sum";
  EXPECT_EQ(extent, shapes.text(shapes.extent(result, 0)));
}

} // namespace
} // namespace attnc
