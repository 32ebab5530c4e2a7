// RUN: attn-opt %s --attn-fold-views --canonicalize | FileCheck %s

// A slice of features, split into heads and transposed, is read in place.
// CHECK-LABEL: @attend
// CHECK-SAME:    %[[X:.*]]: tensor<8x768xf32>
// CHECK:         attn.attend
// CHECK:         score(%[[H:.*]], %[[I:.*]], %[[J:.*]])
// CHECK:           %[[P:.*]] = arith.muli %[[H]], %{{.*}} : index
// CHECK:           %[[Q:.*]] = arith.addi %[[P]], %{{.*}} : index
// CHECK:           tensor.extract %[[X]][%[[J]], %[[Q]]]
func.func @attend(%x: tensor<8x768xf32>) -> tensor<6x8x8xf32> {
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c0 = arith.constant 0 : index
  %s = tensor.extract_slice %x[0, 384] [8, 384] [1, 1] : tensor<8x768xf32> to tensor<8x384xf32>
  %w = tensor.expand_shape %s [[0], [1, 2]] output_shape [8, 6, 64] : tensor<8x384xf32> into tensor<8x6x64xf32>
  %e = tensor.empty() : tensor<6x8x64xf32>
  %k = linalg.transpose ins(%w : tensor<8x6x64xf32>) outs(%e : tensor<6x8x64xf32>) permutation = [1, 0, 2]
  %p = attn.attend softmax outer(%c6, %c8) keys(%c8) values() yields [weights]
    score(%h, %i, %j) {
      %r = tensor.extract %k[%h, %j, %c0] : tensor<6x8x64xf32>
      attn.yield %r : f32
    } : tensor<6x8x8xf32>
  return %p : tensor<6x8x8xf32>
}

// The transpose follows the attend, which writes the transposed layout.
// CHECK-LABEL: @layout
// CHECK:         attn.attend
// CHECK:         value_layout = array<i64: 1, 0>
// CHECK-NEXT:    return
func.func @layout(%x: tensor<6x8xf32>, %e: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %p = attn.attend softmax outer(%c6, %c8) keys(%c8) values() yields [value]
    score(%h, %i, %j) {
      %r = tensor.extract %x[%h, %j] : tensor<6x8xf32>
      attn.yield %r : f32
    } value(%h, %i, %j) {
      %v = tensor.extract %x[%h, %j] : tensor<6x8xf32>
      attn.yield %v : f32
    } : tensor<6x8xf32>
  %t = linalg.transpose ins(%p : tensor<6x8xf32>) outs(%e : tensor<8x6xf32>) permutation = [1, 0]
  return %t : tensor<8x6xf32>
}

// A product that is transposed is written transposed.
// CHECK-LABEL: @product
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.generic
// CHECK-SAME:      outs(%{{.*}} : tensor<16x8xf32>)
// CHECK-NOT:     linalg.transpose
// CHECK:         return
func.func @product(%x: tensor<4x8xf32>, %y: tensor<4x16xf32>, %e: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>,
                                        affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<4x8xf32>, tensor<4x16xf32>) outs(%start : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x16xf32>
  %t = linalg.transpose ins(%p : tensor<8x16xf32>) outs(%e : tensor<16x8xf32>) permutation = [1, 0]
  return %t : tensor<16x8xf32>
}

// A result for the caller must be in memory, so the slice remains.
// CHECK-LABEL: @result
// CHECK-SAME:    %[[X:.*]]: tensor<8x768xf32>
// CHECK-NEXT:    %[[S:.*]] = tensor.extract_slice %[[X]]
// CHECK-NEXT:    return %[[S]]
func.func @result(%x: tensor<8x768xf32>) -> tensor<8x384xf32> {
  %s = tensor.extract_slice %x[0, 384] [8, 384] [1, 1] : tensor<8x768xf32> to tensor<8x384xf32>
  return %s : tensor<8x384xf32>
}
