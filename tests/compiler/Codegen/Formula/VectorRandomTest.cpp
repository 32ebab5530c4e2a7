// Counts the products in the draws of a vector; end-to-end tests compare the draws with the oracle.
#include "compiler/Codegen/Formula/VectorRandom.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"
#include "tests/support/ParsedModule.h"
#include <gtest/gtest.h>

using namespace attnc;

/// Returns the number of products in the draws of eight lanes with these `columns`.
static int productsOf(const std::string &columns) {
  ParsedModule module(R"(
    func.func @draw(%seed: i32, %number: index, %i: i32) -> vector<8xf32> {
      %four = arith.constant 4 : index
      %lanes = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
      %seeds = vector.broadcast %seed : i32 to vector<8xi32>
      %rows = vector.broadcast %i : i32 to vector<8xi32>
      )" + columns + R"(
      %u = attn.uniform %seeds, %seeds, %seeds at [%rows, %columns] site 3 : vector<8xi32> -> vector<8xf32>
      return %u : vector<8xf32>
    })");
  EXPECT_TRUE(module) << module.diagnostics();
  mlir::attn::UniformOp draw;
  module.get().walk([&](mlir::attn::UniformOp op) { draw = op; });
  mlir::OpBuilder builder(draw);
  draw.getResult().replaceAllUsesWith(expandUniform(builder, draw));
  draw.erase();
  EXPECT_TRUE(succeeded(mlir::verify(module.get())));
  int products = 0;
  module.get().walk([&](mlir::arith::MulIOp op) { products += mlir::isa<mlir::VectorType>(op.getType()); });
  return products;
}

static std::string neighboursOf(const std::string &base) {
  return base + " %bases = vector.broadcast %base : i32 to vector<8xi32>"
                " %columns = arith.addi %bases, %lanes : vector<8xi32>";
}

TEST(VectorRandom, FourNeighboursShareACounter) {
  EXPECT_EQ(productsOf("%columns = arith.addi %lanes, %lanes : vector<8xi32>"), 20);
  EXPECT_EQ(productsOf("%columns = arith.constant dense<[8, 9, 10, 11, 12, 13, 14, 15]> : vector<8xi32>"), 10);
  EXPECT_EQ(productsOf(neighboursOf("%first = arith.muli %number, %four : index "
                                    "%base = arith.index_cast %first : index to i32")),
            10);
  EXPECT_EQ(productsOf(neighboursOf("%base = arith.index_cast %number : index to i32")), 20)
      << "four may not divide the first column";
  // The first product of a constant folds.
  EXPECT_EQ(productsOf("%columns = arith.constant dense<[6, 7, 8, 9, 10, 11, 12, 13]> : vector<8xi32>"), 19);
  EXPECT_EQ(productsOf("%columns = arith.constant dense<[4, 5, 6, 7, 12, 13, 14, 15]> : vector<8xi32>"), 19);
}
