// RUN: attn-opt %s --attn-raise-views | FileCheck %s

// CHECK-LABEL: @merge_heads
// CHECK:         %[[T:.*]] = linalg.transpose {{.*}} permutation = [0, 2, 1, 3]
// CHECK:         tensor.collapse_shape %[[T]] {{\[}}[0], [1], [2, 3]]
// CHECK-NOT:     linalg.generic
func.func @merge_heads(%y: tensor<2x12x8x64xf32>) -> tensor<2x8x768xf32> {
  %c64 = arith.constant 64 : index
  %e = tensor.empty() : tensor<2x8x768xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(b, s, m) -> (b, s, m)>],
      iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<2x8x768xf32>) {
  ^bb0(%o: f32):
    %b = linalg.index 0 : index
    %s = linalg.index 1 : index
    %m = linalg.index 2 : index
    %h = arith.floordivsi %m, %c64 : index
    %d = arith.remsi %m, %c64 : index
    %r = tensor.extract %y[%b, %h, %s, %d] : tensor<2x12x8x64xf32>
    linalg.yield %r : f32
  } -> tensor<2x8x768xf32>
  return %z : tensor<2x8x768xf32>
}

// CHECK-LABEL: @list_of_one
// CHECK:         tensor.expand_shape %arg0 {{\[}}[0, 1], [2]] {{.*}} : tensor<?x4xf32> into tensor<1x?x4xf32>
// CHECK-NOT:     model.with_element
func.func @list_of_one(%x: tensor<?x4xf32>, %list: tensor<1x?x4xf32>) -> tensor<1x?x4xf32> {
  %c0 = arith.constant 0 : index
  %one = model.with_element %x into %list[%c0] : tensor<?x4xf32> into tensor<1x?x4xf32>
  return %one : tensor<1x?x4xf32>
}

// An index that is used twice selects a diagonal, which is no view.
// CHECK-LABEL: @diagonal
// CHECK:         linalg.generic
func.func @diagonal(%y: tensor<8x8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %r = tensor.extract %y[%i, %i] : tensor<8x8xf32>
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %z : tensor<8xf32>
}

// An index that no subscript uses broadcasts, which is no view, even after an index of unknown extent.
// CHECK-LABEL: @repeat
// CHECK:         linalg.generic
func.func @repeat(%x: tensor<?xf32>, %n: index) -> tensor<?x4x7xf32> {
  %e = tensor.empty(%n) : tensor<?x4x7xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?x4x7xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?x4x7xf32>
  return %z : tensor<?x4x7xf32>
}
