// RUN: attn-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @full_mask
func.func @full_mask(%n: index) -> tensor<?x?xf32> {
  // CHECK-NOT: mask
  %y = attn.attend softmax outer(%n) keys(%n) values() yields [weights]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 }
    mask(%i, %j) { %c = arith.cmpi sle, %j, %j : index attn.yield %c : i1 } : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @identity_weight
func.func @identity_weight(%n: index) -> tensor<?x?xf32> {
  // CHECK-NOT: weight(
  %one = arith.constant 1.0 : f32
  %y = attn.attend softmax outer(%n) keys(%n) values() yields [weights]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 }
    weight(%p: f32, %i, %j) { %q = arith.mulf %p, %one : f32 attn.yield %q : f32 } : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @unused_statistics
func.func @unused_statistics(%n: index, %v: tensor<?x4xf32>) -> tensor<4x?xf32> {
  // CHECK: %[[Y:.*]] = attn.attend softmax {{.*}} yields [value] score
  // CHECK: value_layout
  // CHECK: return %[[Y]]
  %c4 = arith.constant 4 : index
  %y:3 = attn.attend softmax outer(%n) keys(%n) values(%c4) yields [weights, value, lse]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 }
    value(%i, %j, %d) { %e = tensor.extract %v[%j, %d] : tensor<?x4xf32> attn.yield %e : f32 }
    {value_layout = array<i64: 1, 0>} : tensor<?x?xf32>, tensor<4x?xf32>, tensor<?xf32>
  return %y#1 : tensor<4x?xf32>
}

// CHECK-LABEL: func.func @unused_value
func.func @unused_value(%n: index, %v: tensor<?x4xf32>) -> tensor<?xf32> {
  // CHECK: attn.attend softmax outer(%{{.*}}) keys(%{{.*}}) values() yields [lse] score
  // CHECK-NOT: value
  %c4 = arith.constant 4 : index
  %y:2 = attn.attend softmax outer(%n) keys(%n) values(%c4) yields [value, lse]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 }
    value(%i, %j, %d) { %e = tensor.extract %v[%j, %d] : tensor<?x4xf32> attn.yield %e : f32 }
    {value_layout = array<i64: 1, 0>} : tensor<4x?xf32>, tensor<?xf32>
  return %y#1 : tensor<?xf32>
}

// CHECK-LABEL: func.func @nothing_used
// CHECK-NEXT: return
func.func @nothing_used(%n: index) {
  %y = attn.attend softmax outer(%n) keys(%n) values() yields [weights]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?x?xf32>
  return
}
