#include "compiler/Codegen/Nest/LoopBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tests/compiler/Codegen/Nest/CodeFunction.h"
#include <gtest/gtest.h>

using namespace attnc;
using namespace mlir;

namespace {

/// A function of one index, to which `loops` appends code.
class LoopBuilderTest : public testing::Test, protected CodeFunction {
protected:
  LoopBuilderTest()
      : CodeFunction([](Builder &types) { return SmallVector<Type>{types.getIndexType()}; }),
        loops(builder, UnknownLoc::get(&context), 16) {}

  /// The result of a loop that adds its index to `start`, and how many times its body was emitted.
  Value sum(Value begin, Value end, int64_t step, Value start) {
    return loops.loop(begin, end, loops.constant(step), {start}, [&](Value index, ValueRange carried) {
      ++bodies;
      return LoopBuilder::Values{loops.add(carried[0], index)};
    })[0];
  }
  int64_t loopOps() { return llvm::range_size(function.getOps<scf::ForOp>()); }

  LoopBuilder loops;
  int bodies = 0;
};

TEST_F(LoopBuilderTest, aLoopWithoutIterationsIsItsStart) {
  Value start = function.getArgument(0);
  EXPECT_EQ(sum(loops.constant(3), loops.constant(3), 1, start), start);
  EXPECT_EQ(sum(loops.constant(5), loops.constant(3), 1, start), start);
  EXPECT_EQ(loopOps(), 0);
  EXPECT_EQ(bodies, 0);
}

TEST_F(LoopBuilderTest, oneIterationIsItsBody) {
  EXPECT_EQ(LoopBuilder::constantOf(sum(loops.constant(3), loops.constant(5), 2, loops.constant(4))), 7);
  EXPECT_EQ(LoopBuilder::constantOf(sum(loops.constant(3), loops.constant(4), 2, loops.constant(4))), 7);
  EXPECT_EQ(loopOps(), 0);
  EXPECT_EQ(bodies, 2);
}

TEST_F(LoopBuilderTest, moreOrUnknownIterationsAreALoop) {
  Value unknown = function.getArgument(0);
  sum(loops.constant(0), loops.constant(3), 2, unknown);
  sum(loops.constant(0), unknown, 1, unknown);
  sum(unknown, loops.constant(0), 1, unknown);
  EXPECT_EQ(loopOps(), 3);
  EXPECT_EQ(bodies, 3);
}

} // namespace
