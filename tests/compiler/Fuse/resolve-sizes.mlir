// RUN: attn-opt %s --attn-resolve-sizes --split-input-file | FileCheck %s

// The size of a result is a size of an argument, through ops and reshapes.
// CHECK-LABEL: @of_results
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf32>
// CHECK:         %[[N:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<?x8xf32>
// CHECK-NOT:     tensor.dim
// CHECK:         tensor.empty(%[[N]]) : tensor<?x8xf32>
// CHECK-NOT:     tensor.dim
// CHECK:         tensor.empty(%{{.*}}) : tensor<?xf32>
// CHECK-NOT:     tensor.dim
func.func @of_results(%x: tensor<?x8xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.tanh %a : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  %flat = tensor.collapse_shape %y [[0, 1]] : tensor<?x8xf32> into tensor<?xf32>
  %m = tensor.dim %flat, %c0 : tensor<?xf32>
  %f = tensor.empty(%m) : tensor<?xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%flat : tensor<?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.absf %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %z : tensor<?xf32>
}

// -----

// The sizes of two arguments remain distinct, because they may differ.
// CHECK-LABEL: @of_arguments
// CHECK-SAME:    %[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>
// CHECK-DAG:     tensor.dim %[[X]]
// CHECK-DAG:     tensor.dim %[[Y]]
func.func @of_arguments(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.empty(%m) : tensor<?xf32>
  return %e, %f : tensor<?xf32>, tensor<?xf32>
}
