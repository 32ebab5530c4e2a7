// RUN: attn-opt %s --attn-form-contractions | FileCheck %s

// A factor shared by the heads of a group is copied once per head, in its memory order, not transposed by features.
// CHECK-LABEL: func.func @grouped_values
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x?x64xf32>)
// CHECK-NOT: tensor<8x64x?xf32>
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%{{.*}}, %{{.*}} : tensor<8x?x?xf32>, tensor<8x?x64xf32>)
func.func @grouped_values(%p: tensor<8x?x?xf32>, %v: tensor<2x?x64xf32>) -> tensor<8x?x64xf32>
    attributes {model.entry, model.dimensions = []} {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %p, %c1 : tensor<8x?x?xf32>
  %empty = tensor.empty(%n) : tensor<8x?x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x?x64xf32>) -> tensor<8x?x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, i, e, j) -> (h, i, j)>, affine_map<(h, i, e, j) -> (h, i, e)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p : tensor<8x?x?xf32>) outs(%init : tensor<8x?x64xf32>) {
  ^bb0(%weight: f32, %out: f32):
    %h = linalg.index 0 : index
    %g = arith.floordivsi %h, %c4 : index
    %e = linalg.index 2 : index
    %j = linalg.index 3 : index
    %value = tensor.extract %v[%g, %j, %e] : tensor<2x?x64xf32>
    %term = arith.mulf %weight, %value : f32
    %sum = arith.addf %out, %term : f32
    linalg.yield %sum : f32
  } -> tensor<8x?x64xf32>
  return %r : tensor<8x?x64xf32>
}
