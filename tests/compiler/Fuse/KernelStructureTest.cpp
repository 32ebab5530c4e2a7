#include "compiler/Fuse/KernelStructure.h"
#include "tests/support/ParsedModule.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

TEST(KernelStructure, HasNoNamesAndNoPlaces) {
  ParsedModule module(R"(
    func.func private @a(%x: tensor<4xf32>, %y: f32) -> f32 attributes {attn.kernel = "loops"} {
      %s = arith.addf %y, %y : f32 loc("a.attn":1:2)
      return %s : f32
    }
    func.func private @renamed(%first: tensor<4xf32>, %second: f32) -> f32 attributes {attn.kernel = "loops"} {
      %sum = arith.addf %second, %second : f32 loc("b.attn":3:4)
      return %sum : f32
    }
    func.func private @product(%x: tensor<4xf32>, %y: f32) -> f32 attributes {attn.kernel = "loops"} {
      %s = arith.mulf %y, %y : f32
      return %s : f32
    }
    func.func private @longer(%x: tensor<5xf32>, %y: f32) -> f32 attributes {attn.kernel = "loops"} {
      %s = arith.addf %y, %y : f32
      return %s : f32
    }
    func.func private @rows(%x: tensor<4xf32>, %y: f32) -> f32 attributes {attn.kernel = "rows"} {
      %s = arith.addf %y, %y : f32
      return %s : f32
    })");
  ASSERT_TRUE(module) << module.diagnostics();
  std::string first = kernelFingerprint(module.function("a"));
  EXPECT_EQ(first.size(), 32u);
  EXPECT_EQ(kernelFingerprint(module.function("renamed")), first);
  for (const char *other : {"product", "longer", "rows"})
    EXPECT_NE(kernelFingerprint(module.function(other)), first) << other;
}

} // namespace
} // namespace attnc
