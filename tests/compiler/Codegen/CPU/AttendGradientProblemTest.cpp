// Which gradients are computed in tiles, and whether the keys of a batch may be split. The other tests compare values.
#include "compiler/Codegen/CPU/AttendGradient/AttendGradientProblem.h"
#include "tests/compiler/Codegen/CPU/AttendGradientKernels.h"
#include "tests/support/ParsedModule.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

/// The verdict for the kernel, and, for yes, whether its keys may be split.
std::pair<bool, bool> tilesAndSplits(const AttendGradientKernel &kernel) {
  ParsedModule parsed(kernel.gradientText());
  EXPECT_TRUE(parsed) << parsed.diagnostics();
  AttendGradientProblem problem;
  bool isTiled = bool(readAttendGradient(parsed.function(), problem));
  return {isTiled, isTiled && problem.splitsKeys};
}

TEST(AttendGradientProblem, KeysAreSplitWithALearnedBias) {
  AttendGradientKernel kernel;
  EXPECT_EQ(tilesAndSplits(kernel), std::pair(true, true));
  kernel.captured = ", %bias: tensor<?x?x?xf32>";
  kernel.score = "%y0 = arith.mulf %s, %scale : f32 %y1 = tensor.extract %bias[%h, %i, %j] : tensor<?x?x?xf32> "
                 "%y = arith.addf %y0, %y1 : f32";
  kernel.of = {{"%bias", "tensor<?x?x?xf32>"}};
  EXPECT_EQ(tilesAndSplits(kernel), std::pair(true, true));
}

TEST(AttendGradientProblem, KeysThatShareATermAreNotSplit) {
  AttendGradientKernel kernel;
  kernel.captured = ", %slope: tensor<2xf32>";
  kernel.score = "%y0 = arith.mulf %s, %scale : f32 %y1 = tensor.extract %slope[%h] : tensor<2xf32> "
                 "%y = arith.addf %y0, %y1 : f32";
  kernel.of = {{"%slope", "tensor<2xf32>"}};
  EXPECT_EQ(tilesAndSplits(kernel), std::pair(true, false));
}

} // namespace
} // namespace attnc
