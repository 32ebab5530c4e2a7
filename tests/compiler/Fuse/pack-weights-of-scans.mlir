// RUN: attn-opt %s --attn-form-contractions --attn-outline-kernels --attn-pack-weights=target=x86-64-v4 | FileCheck %s

// A weight that all steps of a scan read is packed before the scan.
// CHECK-LABEL: func.func @recurrence
// CHECK:         %[[PANELS:.+]] = call @recurrence_gemm_0_pack(%arg1)
// CHECK:         scf.for
// CHECK:           call @recurrence_gemm_0(%{{.+}}, %[[PANELS]])
// CHECK:       func.func private @recurrence_gemm_0({{.*}}{attn.packed =
// CHECK:       func.func private @recurrence_gemm_0_pack({{.*}} attributes {attn.kernel = "pack", attn.packed =
func.func @recurrence(%h0: tensor<?x16xf32>, %w: tensor<16x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %h0, %c0 : tensor<?x16xf32>
  %last = scf.for %t = %c0 to %n step %c1 iter_args(%h = %h0) -> tensor<?x16xf32> {
    %e = tensor.empty(%n) : tensor<?x16xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(i, n, k) -> (i, k)>, affine_map<(i, n, k) -> (k, n)>, affine_map<(i, n, k) -> (i, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%h, %w : tensor<?x16xf32>, tensor<16x16xf32>) outs(%f : tensor<?x16xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.mulf %a, %b : f32
      %r = arith.addf %o, %m : f32
      linalg.yield %r : f32
    } -> tensor<?x16xf32>
    scf.yield %p : tensor<?x16xf32>
  } {model.scan = "forward"}
  return %last : tensor<?x16xf32>
}
