#include "compiler/Codegen/Interface/Kernel.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

constexpr KernelKind kinds[] = {
#define KERNEL_KIND(KIND, NAME, ...) KernelKind::KIND,
#include "compiler/Codegen/Interface/KernelKinds.def"
};

TEST(KernelKinds, EveryNameIsReadBack) {
  for (KernelKind kind : kinds)
    EXPECT_EQ(parseKernelKind(kernelKindName(kind)), kind) << kernelKindName(kind).str();
  EXPECT_EQ(parseKernelKind("matmul"), std::nullopt);
  EXPECT_EQ(parseKernelKind(""), std::nullopt);
}

TEST(KernelKinds, RootOpsAreFound) {
  using namespace mlir;
  EXPECT_EQ(findKernelKindByRoot(attn::AttendOp::getOperationName()), KernelKind::Attend);
  EXPECT_EQ(findKernelKindByRoot(attn::AttendGradientOp::getOperationName()), KernelKind::AttendGradient);
  EXPECT_EQ(findKernelKindByRoot(linalg::GenericOp::getOperationName()), std::nullopt);
}

} // namespace
} // namespace attnc
