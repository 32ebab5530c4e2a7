// Tests the flops in the certificate of attention.
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/Nest/KernelSizes.h"
#include "dialects/Attn/Attn.h"
#include "tests/support/ParsedModule.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

constexpr const char *attention = R"(
func.func private @k(%q: tensor<5x64xf32>, %k: tensor<7x64xf32>, %v: tensor<7x16xf32>, %m: tensor<5x7xf32>)
    -> tensor<5x16xf32> attributes {{attn.kernel = "attend"}} {{
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c64 = arith.constant 64 : index
  %c16 = arith.constant 16 : index
  %scale = arith.constant 0.125 : f32
  %r = attn.attend {} outer(%c5) keys(%c7) values(%c16) yields [value]
    score(%i, %j) {{
      %s = attn.reduce add (%d) in (%c64) {{
        %a = tensor.extract %q[%i, %d] : tensor<5x64xf32>
        %b = tensor.extract %k[%j, %d] : tensor<7x64xf32>
        %p = arith.mulf %a, %b : f32
        attn.yield %p : f32
      }} : f32
      %t = arith.mulf %s, %scale : f32
      %bias = tensor.extract %m[%i, %j] : tensor<5x7xf32>
      %u = arith.addf %t, %bias : f32
      attn.yield %u : f32
    }}
    mask(%i, %j) {{
      %keep = arith.cmpi ule, %j, %i : index
      attn.yield %keep : i1
    }}
    weight(%p: f32, %i, %j) {{
      %w = arith.mulf %p, %p : f32
      attn.yield %w : f32
    }}
    value(%i, %j, %f) {{
      %x = tensor.extract %v[%j, %f] : tensor<7x16xf32>
      attn.yield %x : f32
    }} : tensor<5x16xf32>
  return %r : tensor<5x16xf32>
}})";

/// Returns the flops in the certificate of the kernel above.
int64_t certified(const char *normaliser) {
  ParsedModule module(fmt::format(attention, normaliser));
  EXPECT_TRUE(module) << module.diagnostics();
  Target target = llvm::cantFail(Target::resolve("x86-64-v3"));
  mlir::OwningOpRef<mlir::ModuleOp> code = mlir::ModuleOp::create(module.get().getLoc());
  auto result = emitAttend(module.function(), target, *code);
  return mlir::succeeded(result) ? result->cost.flops.constant() : -1;
}

TEST(AttendCost, CountsTheFormulas) {
  // Flops per pair: a dot product of 64, a scale, a bias; a weight; a multiply-add for each of 16 values; the
  // normaliser.
  int64_t formulas = 2 * 64 + 2 + 1 + 2 * 16;
  EXPECT_EQ(certified("softmax"), 5 * 7 * (formulas + 4));
  EXPECT_EQ(certified("ratio"), 5 * 7 * (formulas + 1));
}

} // namespace
} // namespace attnc
