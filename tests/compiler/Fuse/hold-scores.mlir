// RUN: attn-opt %s --attn-hold-scores --split-input-file | FileCheck %s

// Refused attention is a product, a row's largest score, exponentials, their sum, shares, and a product.
// CHECK-LABEL: @held
// CHECK-NOT:     attn.attend
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK:         arith.cmpi sle
// CHECK:         arith.select
// CHECK:         arith.maximumf
// CHECK:         math.exp
// CHECK:         arith.divf
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-NOT:     attn.attend
builtin.module attributes {attn.refused = [{fusion = "attention-fused"}]} {
func.func @held(%q: tensor<8x4xf32>, %k: tensor<8x4xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %n = arith.constant 8 : index
  %d = arith.constant 4 : index
  %y = attn.attend softmax outer(%n) keys(%n) values(%d) yields [value]
    score(%i, %j) {
      %s = attn.reduce add (%c) in (%d) {
        %a = tensor.extract %q[%i, %c] : tensor<8x4xf32>
        %b = tensor.extract %k[%j, %c] : tensor<8x4xf32>
        %p = arith.mulf %a, %b : f32
        attn.yield %p : f32
      } : f32
      attn.yield %s : f32
    }
    mask(%i, %j) {
      %kept = arith.cmpi sle, %j, %i : index
      attn.yield %kept : i1
    }
    value(%i, %j, %c) {
      %e = tensor.extract %v[%j, %c] : tensor<8x4xf32>
      attn.yield %e : f32
    } : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
}

// -----

// Of a normaliser that plain code does not have, attention stays.
// CHECK-LABEL: @kept
// CHECK:         attn.attend hard
builtin.module attributes {attn.refused = [{fusion = ""}]} {
func.func @kept(%v: tensor<8xf32>) -> tensor<8xf32> {
  %n = arith.constant 8 : index
  %y = attn.attend hard outer(%n) keys(%n) values() yields [value]
    score(%i, %j) {
      %a = tensor.extract %v[%j] : tensor<8xf32>
      attn.yield %a : f32
    }
    value(%i, %j) {
      %e = tensor.extract %v[%j] : tensor<8xf32>
      attn.yield %e : f32
    } : tensor<8xf32>
  return %y : tensor<8xf32>
}
}
