// RUN: attn-opt %S/reasons/formula-folded.mlir --attn-fold-pair-formulas | FileCheck %s
// RUN: attn-opt %s --attn-fold-pair-formulas | FileCheck %s --check-prefix=KEPT

// A bias of all pairs becomes arithmetic on the indices of the score.
// CHECK-NOT: linalg.generic
// CHECK:     attn.attend
// CHECK-NOT: linalg.generic

// A tensor without an element for each pair remains as it is.
// KEPT-LABEL: @keys
// KEPT:         %[[K:.*]] = linalg.generic
// KEPT:         attn.attend
// KEPT:           tensor.extract %[[K]]
func.func @keys() -> tensor<6x8xf32> {
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<8xf32>
  %k = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%e : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<8xf32>
  %p = attn.attend softmax outer(%c6) keys(%c8) values() yields [weights]
    score(%i, %j) {
      %r = tensor.extract %k[%j] : tensor<8xf32>
      attn.yield %r : f32
    } : tensor<6x8xf32>
  return %p : tensor<6x8xf32>
}
