// RUN: attn-opt %S/reasons/pointwise-fused.mlir --attn-fuse-pointwise | FileCheck %s
// RUN: attn-opt %s --attn-fuse-pointwise | FileCheck %s --check-prefix=KEPT

// A chain of two is one op.
// CHECK:     linalg.generic
// CHECK:       arith.addf
// CHECK-NEXT:  math.tanh
// CHECK-NOT: linalg.generic

// A tensor with two readers is computed once, in an op of its own.
// KEPT-LABEL: @two_readers
// KEPT:         math.exp
// KEPT:         linalg.generic
// KEPT:         linalg.generic
func.func @two_readers(%x: tensor<64x16xf32>) -> (tensor<64x16xf32>, tensor<16x64xf32>) {
  %e = tensor.empty() : tensor<64x16xf32>
  %f = tensor.empty() : tensor<16x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<64x16xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<64x16xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<64x16xf32>) outs(%f : tensor<16x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.mulf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<16x64xf32>
  return %z, %w : tensor<64x16xf32>, tensor<16x64xf32>
}
