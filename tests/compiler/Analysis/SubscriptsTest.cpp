#include "compiler/Analysis/Subscripts.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace attnc {
namespace {

class Subscripts : public testing::Test {
protected:
  MLIRContext context;
  AffineExpr h = getAffineDimExpr(0, &context), d = getAffineDimExpr(1, &context);
  AffineExpr s = getAffineSymbolExpr(0, &context);
  SmallVector<int64_t> extents = {12, 64};
};

TEST_F(Subscripts, DivisionTakesTheDigitsApart) {
  EXPECT_EQ(simplifySubscript((h * 64 + d).floorDiv(64), extents), h);
  EXPECT_EQ(simplifySubscript((h * 64 + d) % 64, extents), d);
  EXPECT_EQ(simplifySubscript((h * 128 + d).floorDiv(64), extents), h * 2);
}

TEST_F(Subscripts, ADigitThatMayOverflowStays) {
  EXPECT_EQ(simplifySubscript((h * 32 + d).floorDiv(32), extents), h + d.floorDiv(32));
  EXPECT_EQ(simplifySubscript((h * 32 + d) % 32, extents), d % 32);
}

TEST_F(Subscripts, ADynamicExtentHasNoBound) {
  SmallVector<int64_t> dynamic = {12, ShapedType::kDynamic};
  EXPECT_EQ(simplifySubscript((h * 64 + d) % 64, dynamic), d % 64);
}

TEST_F(Subscripts, ASymbolMayBeNegative) {
  EXPECT_EQ(simplifySubscript((d + s).floorDiv(64), extents), (d + s).floorDiv(64));
}

} // namespace
} // namespace attnc
