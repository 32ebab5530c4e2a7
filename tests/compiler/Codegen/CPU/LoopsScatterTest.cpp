// Terms added to rows of a table, against the oracle: each number of columns has its own sweeps.
#include "tests/support/OracleCheck.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

/// The gradient of an embedding: rows that come twice, in order.
std::string gradient(int64_t columns) {
  return fmt::format(R"(
    func.func private @k(%x: tensor<7x{0}xf32>, %at: tensor<?x?xi32>, %y: tensor<?x?x{0}xf32>) -> tensor<7x{0}xf32>
        attributes {{attn.kernel = "loops"}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %columns = arith.constant {0} : index
      %m = tensor.dim %at, %c0 : tensor<?x?xi32>
      %n = tensor.dim %at, %c1 : tensor<?x?xi32>
      %r = attn.scatter_add (%i, %j, %c) in (%m, %n, %columns) into(%x : tensor<7x{0}xf32>) {{
        %row = tensor.extract %at[%i, %j] : tensor<?x?xi32>
        %to = arith.index_cast %row : i32 to index
        %term = tensor.extract %y[%i, %j, %c] : tensor<?x?x{0}xf32>
        attn.term %term at[%to, %c] : f32
      }}
      return %r : tensor<7x{0}xf32>
    }})",
                     columns);
}

TEST(LoopsScatter, AddsRowsOfEachWidth) {
  using Shape = std::vector<int64_t>;
  for (int64_t columns : {1, 5, 16, 24, 63, 64, 70, 128, 192})
    for (Shape rows : {Shape{2, 5}, {1, 1}, {3, 0}, {0, 2}}) {
      HostArray at(rows, ElementKind::I32);
      for (int64_t i = 0; i < at.size(); ++i)
        at.i32()[i] = int32_t((i * 5) % 7 / 2);
      for (std::string target : {"native", "x86-64-v3"}) {
        OracleCheck oracle{gradient(columns),
                           {HostArray::random({7, columns}, 1), at, HostArray::random({rows[0], rows[1], columns}, 2)},
                           {{7, columns}},
                           {}};
        oracle.target = target;
        EXPECT_EQ(differenceFromOracle(oracle), "") << target << ", " << columns << " columns of " << rows[0] << " x "
                                                    << rows[1];
      }
    }
}

} // namespace
} // namespace attnc
