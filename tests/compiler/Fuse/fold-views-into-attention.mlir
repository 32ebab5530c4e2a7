// RUN: attn-opt %s --attn-fold-views-into-attention --canonicalize | FileCheck %s

// Attention reads the transposed keys in place; the pointwise op still reads the transpose.
// CHECK-LABEL: @attend
// CHECK-SAME:    %[[X:.*]]: tensor<8x6xf32>
// CHECK:         linalg.transpose
// CHECK:         attn.attend
// CHECK:           tensor.extract %[[X]][
// CHECK:         linalg.generic
func.func @attend(%x: tensor<8x6xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>) {
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<6x8xf32>
  %k = linalg.transpose ins(%x : tensor<8x6xf32>) outs(%e : tensor<6x8xf32>) permutation = [1, 0]
  %p = attn.attend softmax outer(%c6) keys(%c8) values() yields [weights]
    score(%i, %j) {
      %r = tensor.extract %k[%i, %j] : tensor<6x8xf32>
      attn.yield %r : f32
    } : tensor<6x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]} ins(%k : tensor<6x8xf32>) outs(%e : tensor<6x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %z = math.exp %a : f32
    linalg.yield %z : f32
  } -> tensor<6x8xf32>
  return %p, %y : tensor<6x8xf32>, tensor<6x8xf32>
}
