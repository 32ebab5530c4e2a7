// RUN: attn-opt %S/reasons/weight-packed.mlir --attn-form-contractions --attn-outline-kernels --attn-pack-weights=target=x86-64-v4 | FileCheck %s
// RUN: attn-opt %S/reasons/weight-packed.mlir --attn-form-contractions --attn-outline-kernels --attn-pack-weights=target=x86-64-v3 | FileCheck %s --check-prefix=NARROW
// RUN: attn-opt %s --attn-form-contractions --attn-outline-kernels --attn-pack-weights=target=x86-64-v4 | FileCheck %s --check-prefix=PLAIN

// The weight of a contraction is packed in panels of the target's width.
// CHECK:      func.func private @f_gemm_0(%arg0: tensor<?x16xf32>, %arg1: tensor<16x16xf32> {attn.packed = {{{.*}}layout = "panels"
// NARROW:     func.func private @f_gemm_0({{.*}}{attn.packed =

// An argument of the caller is no weight, and is not packed.
// PLAIN-LABEL: func.func private @product_gemm_0
// PLAIN-NOT:   attn.packed
func.func @product(%x: tensor<?x16xf32>, %w: tensor<16x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, n, k) -> (i, k)>, affine_map<(i, n, k) -> (k, n)>, affine_map<(i, n, k) -> (i, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x16xf32>, tensor<16x16xf32>) outs(%f : tensor<?x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  return %p : tensor<?x16xf32>
}
