// RUN: attn-opt %S/reasons/contraction-chain.mlir --attn-form-contractions --attn-outline-kernels | FileCheck %s --check-prefix=OUTLINED
// RUN: attn-opt %S/reasons/contraction-chain.mlir --attn-form-contractions --attn-outline-kernels --cse --attn-deduplicate-kernels | FileCheck %s

// OUTLINED: func.func private @f_gemm_0{{.*}}attn.kernel = "gemm"
// OUTLINED: func.func private @f_gemm_1{{.*}}attn.kernel = "gemm"

// CHECK:     call @f_gemm_0(
// CHECK:     call @f_gemm_0(
// CHECK:     func.func private @f_gemm_0
// CHECK-NOT: func.func private

// A tensor of another shape makes another kernel.
// RUN: attn-opt %s --attn-outline-kernels --cse --attn-deduplicate-kernels | FileCheck %s --check-prefix=APART
// APART: call @apart_loops_0(
// APART: call @apart_loops_1(
// APART: func.func private @apart_loops_0
// APART: func.func private @apart_loops_1
func.func @apart(%x: tensor<8xf32>, %y: tensor<9xf32>) -> (tensor<8xf32>, tensor<9xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<9xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%y : tensor<9xf32>) outs(%f : tensor<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<9xf32>
  return %z, %w : tensor<8xf32>, tensor<9xf32>
}
