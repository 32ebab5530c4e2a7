// RUN: attn-opt %s --attn-materialise-scores --split-input-file | FileCheck %s

// Refused attention is a product, a row's largest score, exponentials, their sum, weights, and a product.
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

// Attention with a normaliser that has no decomposition remains.
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

// -----

// The weight formula reads the materialised weights; a sum in it is computed from them before.
// CHECK-LABEL: @weighted
// CHECK-NOT:     attn.attend
// CHECK:         arith.divf
// CHECK:         %[[SUMS:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[SHARES:[0-9]+]] : tensor<6x4xf32>, tensor<8x6xf32>)
// CHECK:           arith.mulf
// CHECK:           arith.addf
// CHECK:         linalg.generic {{.*}} ins(%[[SHARES]], %[[SUMS]] :
// CHECK:           arith.mulf
// CHECK-NOT:     attn.attend
builtin.module attributes {attn.refused = [{fusion = ""}]} {
func.func @weighted(%s: tensor<8x6xf32>, %g: tensor<6x4xf32>) -> tensor<8xf32> {
  %n = arith.constant 8 : index
  %m = arith.constant 6 : index
  %d = arith.constant 4 : index
  %y = attn.attend softmax outer(%n) keys(%m) values() yields [value]
    score(%i, %j) {
      %a = tensor.extract %s[%i, %j] : tensor<8x6xf32>
      attn.yield %a : f32
    }
    weight(%w: f32, %i, %j) {
      %sum = attn.reduce add (%c) in (%d) {
        %e = tensor.extract %g[%j, %c] : tensor<6x4xf32>
        %p = arith.mulf %e, %w : f32
        attn.yield %p : f32
      } : f32
      %both = arith.mulf %w, %sum : f32
      attn.yield %both : f32
    }
    value(%i, %j) {
      %e = tensor.extract %s[%i, %j] : tensor<8x6xf32>
      attn.yield %e : f32
    } : tensor<8xf32>
  return %y : tensor<8xf32>
}
}

// -----

// The keys are a part of a dimension, so the tensor is no operand: its elements are loaded one by one.
// CHECK-LABEL: @part
// CHECK-NOT:     attn.attend
// CHECK:         linalg.generic
// CHECK:           tensor.extract %{{.*}} : tensor<8x6xf32>
// CHECK-NOT:     attn.attend
builtin.module attributes {attn.refused = [{fusion = ""}]} {
func.func @part(%s: tensor<8x6xf32>) -> tensor<8xf32> {
  %n = arith.constant 8 : index
  %m = arith.constant 5 : index
  %y = attn.attend softmax outer(%n) keys(%m) values() yields [value]
    score(%i, %j) {
      %a = tensor.extract %s[%i, %j] : tensor<8x6xf32>
      attn.yield %a : f32
    }
    value(%i, %j) {
      %e = tensor.extract %s[%i, %j] : tensor<8x6xf32>
      attn.yield %e : f32
    } : tensor<8xf32>
  return %y : tensor<8xf32>
}
}

// -----

// A cache is undefined after its last position, and plain code would multiply these elements by zero.
// CHECK-LABEL: @cached
// CHECK:         attn.attend softmax
builtin.module attributes {attn.refused = [{fusion = ""}]} {
func.func @cached(%k: tensor<1x4xf32>, %cache: tensor<2x8x4xf32>, %length: tensor<i32>) -> (tensor<1x4xf32>, tensor<2x8x4xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  %d = arith.constant 4 : index
  %next = model.append %k to %cache[%1] at %length along 0 : tensor<1x4xf32> to tensor<2x8x4xf32> at tensor<i32>
  %keys = model.element %next[%1] : tensor<2x8x4xf32> -> tensor<8x4xf32>
  %y = attn.attend softmax outer(%1) keys(%n) values(%d) yields [value]
    score(%i, %j) {
      %a = tensor.extract %keys[%j, %0] : tensor<8x4xf32>
      attn.yield %a : f32
    }
    mask(%i, %j) {
      %l = tensor.extract %length[] : tensor<i32>
      %last = arith.index_cast %l : i32 to index
      %kept = arith.cmpi sle, %j, %last : index
      attn.yield %kept : i1
    }
    value(%i, %j, %c) {
      %e = tensor.extract %keys[%j, %c] : tensor<8x4xf32>
      attn.yield %e : f32
    } : tensor<1x4xf32>
  return %y, %next : tensor<1x4xf32>, tensor<2x8x4xf32>
}
}
