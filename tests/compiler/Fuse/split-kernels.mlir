// RUN: attn-opt %s --attn-split-kernels=target=x86-64-v3 | FileCheck %s
// RUN: attn-opt %S/Inputs/grouped-columns.mlir --attn-form-contractions --attn-outline-kernels --attn-split-kernels | \
// RUN:     FileCheck %s --check-prefix=FILL

// The rows of these outer products are not contiguous. The zeros that the scatter starts from are a kernel, too.
// FILL-LABEL:    func.func @f(
// FILL-NOT:      linalg.fill
// FILL-COUNT-2:  call @f_loops
// FILL:          return

// No emitter supports a gemm kernel whose epilogue is a reduction, so each op becomes a kernel.
// CHECK-LABEL: func.func @entry
// CHECK-COUNT-2: call @entry_loops
// CHECK-NOT:   call
// CHECK:       return
// CHECK-NOT:   @entry_gemm_0
func.func private @entry_gemm_0(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4xf32>
    attributes {attn.kernel = "gemm"} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                                        affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<8x6xf32>) outs(%f : tensor<4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  %t = tensor.empty() : tensor<4xf32>
  %g = linalg.fill ins(%zero : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]} ins(%y : tensor<4x6xf32>) outs(%g : tensor<4xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %sum, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func @entry(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4xf32>
    attributes {model.entry, model.dimensions = []} {
  %y = call @entry_gemm_0(%x, %w) : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
