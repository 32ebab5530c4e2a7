// RUN: attn-opt %s | attn-opt | FileCheck %s
// RUN: attn-opt %s -mlir-print-op-generic | attn-opt | FileCheck %s

// CHECK-LABEL: func.func @dot_product
func.func @dot_product(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>, %v: tensor<?x64xf32>, %n: index, %m: index)
    -> (tensor<64x?xf32>, tensor<?xf32>) {
  %d = arith.constant 64 : index
  // CHECK: attn.attend softmax outer(%{{.*}}) keys(%{{.*}}) values(%{{.*}}) yields [value, lse]
  // CHECK-SAME: score(%[[I:.*]], %[[J:.*]]) {
  // CHECK-NEXT:   %[[DOT:.*]] = attn.reduce add (%[[D:.*]]) in (%{{.*}}) {
  // CHECK-NEXT:     tensor.extract %{{.*}}[%[[I]], %[[D]]]
  // CHECK:          attn.yield %{{.*}} : f32
  // CHECK-NEXT:   } : f32
  // CHECK-NEXT:   attn.yield %[[DOT]] : f32
  // CHECK-NEXT: } mask(%[[I:.*]], %[[J:.*]]) {
  // CHECK:      } weight(%{{.*}}: f32, %{{.*}}, %{{.*}}) {
  // CHECK:      } value(%{{.*}}, %{{.*}}, %{{.*}}) {
  // CHECK:      } {value_layout = array<i64: 1, 0>} : tensor<64x?xf32>, tensor<?xf32>
  %y:2 = attn.attend softmax outer(%n) keys(%m) values(%d) yields [value, lse]
    score(%i, %j) {
      %s = attn.reduce add (%c) in (%d) {
        %a = tensor.extract %q[%i, %c] : tensor<?x64xf32>
        %b = tensor.extract %k[%j, %c] : tensor<?x64xf32>
        %p = arith.mulf %a, %b : f32
        attn.yield %p : f32
      } : f32
      attn.yield %s : f32
    }
    mask(%i, %j) {
      %c = arith.cmpi sle, %j, %i : index
      attn.yield %c : i1
    }
    weight(%p: f32, %i, %j) {
      %s = arith.mulf %p, %p : f32
      attn.yield %s : f32
    }
    value(%i, %j, %c) {
      %e = tensor.extract %v[%j, %c] : tensor<?x64xf32>
      attn.yield %e : f32
    } {value_layout = array<i64: 1, 0>} : tensor<64x?xf32>, tensor<?xf32>
  return %y#0, %y#1 : tensor<64x?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @weights_alone
func.func @weights_alone(%s: tensor<4x5x6xf32>) -> tensor<4x5x6xf32> {
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  // CHECK: attn.attend ratio outer(%{{.*}}) keys(%{{.*}}, %{{.*}}) values() yields [weights] score
  // CHECK-NOT: mask
  %w = attn.attend ratio outer(%c4) keys(%c5, %c6) values() yields [weights]
    score(%i, %a, %b) {
      %e = tensor.extract %s[%i, %a, %b] : tensor<4x5x6xf32>
      attn.yield %e : f32
    } : tensor<4x5x6xf32>
  return %w : tensor<4x5x6xf32>
}

// CHECK-LABEL: func.func @normalisers
func.func @normalisers(%s: tensor<4x5xf32>, %e: tensor<4xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  // CHECK: attn.attend entmax(1.5) outer(%{{.*}}) keys(%{{.*}}) values() yields [weights] score
  // CHECK-NOT: alpha
  %x = attn.attend entmax(1.5) outer(%c4) keys(%c5) values() yields [weights]
    score(%i, %j) { %a = tensor.extract %s[%i, %j] : tensor<4x5xf32> attn.yield %a : f32 } : tensor<4x5xf32>
  // CHECK: attn.attend softmax outer
  // CHECK: sink(%{{[^,]*}}) {
  %y = attn.attend softmax outer(%c4) keys(%c5) values() yields [weights]
    score(%i, %j) { %a = tensor.extract %s[%i, %j] : tensor<4x5xf32> attn.yield %a : f32 }
    sink(%i) { %a = tensor.extract %e[%i] : tensor<4xf32> attn.yield %a : f32 } : tensor<4x5xf32>
  return %x, %y : tensor<4x5xf32>, tensor<4x5xf32>
}

// CHECK-LABEL: func.func @gradient
func.func @gradient(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: %[[V:.+]] = attn.variable %{{.*}} number 3 : tensor<f32>
  %v = attn.variable %x number 3 : tensor<f32>
  // CHECK: attn.gradient %[[V]] of %[[V]] : tensor<f32>, tensor<f32>
  %g = attn.gradient %v of %v : tensor<f32>, tensor<f32>
  return %g : tensor<f32>
}
