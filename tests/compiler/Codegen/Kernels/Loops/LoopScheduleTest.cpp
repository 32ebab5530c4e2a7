#include "compiler/Codegen/Kernels/Loops/LoopSchedule.h"
#include "tests/support/OracleCheck.h"
#include "tests/support/ParsedModule.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

/// Returns a kernel that gathers the channels of pixels at subscripts from data.
std::string sampling(int64_t channels) {
  return fmt::format(R"(
    func.func private @k(%image: tensor<?x7x{0}xf32>, %places: tensor<?x24xi32>) -> tensor<?x24x{0}xf32>
        attributes {{attn.kernel = "loops"}} {{
      %c0 = arith.constant 0 : index
      %n = tensor.dim %places, %c0 : tensor<?x24xi32>
      %init = tensor.empty(%n) : tensor<?x24x{0}xf32>
      %r = linalg.generic {{indexing_maps = [affine_map<(b, j, c) -> (b, j)>, affine_map<(b, j, c) -> (b, j, c)>],
                            iterator_types = ["parallel", "parallel", "parallel"]}}
          ins(%places : tensor<?x24xi32>) outs(%init : tensor<?x24x{0}xf32>) {{
      ^bb0(%place: i32, %o: f32):
        %b = linalg.index 0 : index
        %c = linalg.index 2 : index
        %p = arith.index_cast %place : i32 to index
        %x = tensor.extract %image[%b, %p, %c] : tensor<?x7x{0}xf32>
        %y = arith.mulf %x, %x : f32
        linalg.yield %y : f32
      }} -> tensor<?x24x{0}xf32>
      return %r : tensor<?x24x{0}xf32>
    }})",
                     channels);
}

std::optional<unsigned> vectorOf(const std::string &text) {
  ParsedModule module(text);
  EXPECT_TRUE(bool(module)) << module.diagnostics();
  mlir::func::FuncOp kernel = module.function();
  auto op = *kernel.getOps<mlir::linalg::GenericOp>().begin();
  return scheduleLoops(op, KernelSizes(kernel), 16).vector;
}

TEST(LoopSchedule, TakesTheLastLoopIntoLanes) { EXPECT_EQ(vectorOf(sampling(16)), 2); }

/// A last dimension of one element makes the elements of the dimension before it adjacent.
TEST(LoopSchedule, PassesOverALastDimensionOfOne) { EXPECT_EQ(vectorOf(sampling(1)), 1); }

TEST(LoopSchedule, GathersOneChannelAsTheOracleDoes) {
  for (int64_t batch : {0, 1, 5}) {
    HostArray places({batch, 24}, ElementKind::I32);
    for (int64_t i = 0; i < places.size(); ++i)
      places.i32()[i] = int32_t((i * 5) % 7);
    for (std::string target : {"native", "x86-64-v3", "cuda"}) {
      OracleCheck oracle{sampling(1), {HostArray::random({batch, 7, 1}, 1), places}, {{batch, 24, 1}}, {}};
      oracle.target = target;
      EXPECT_EQ(differenceFromOracle(oracle), "") << target << ", " << batch;
    }
  }
}

} // namespace
} // namespace attnc
