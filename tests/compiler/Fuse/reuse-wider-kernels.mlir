// RUN: attn-opt %s --attn-outline-kernels --cse --attn-deduplicate-kernels --attn-reuse-wider-kernels | FileCheck %s --implicit-check-not=func.func

// The kernel of @saved yields lse, then the value that the kernel of @plain yields.
// CHECK-LABEL: func.func @plain
// CHECK:         %[[RESULTS:.*]]:2 = call @saved_attend_0(
// CHECK-NEXT:    return %[[RESULTS]]#1 : tensor<8x4xf32>
func.func @plain(%q: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %n = arith.constant 8 : index
  %d = arith.constant 4 : index
  %y = attn.attend softmax outer(%n) keys(%n) values(%d) yields [value]
    score(%i, %j) {
      %s = attn.reduce add (%c) in (%d) {
        %a = tensor.extract %q[%i, %c] : tensor<8x4xf32>
        %b = tensor.extract %q[%j, %c] : tensor<8x4xf32>
        %p = arith.mulf %a, %b : f32
        attn.yield %p : f32
      } : f32
      attn.yield %s : f32
    }
    value(%i, %j, %c) {
      %e = tensor.extract %q[%j, %c] : tensor<8x4xf32>
      attn.yield %e : f32
    } : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @saved
// CHECK:         call @saved_attend_0(
func.func @saved(%q: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8xf32>) {
  %n = arith.constant 8 : index
  %d = arith.constant 4 : index
  %l, %y = attn.attend softmax outer(%n) keys(%n) values(%d) yields [lse, value]
    score(%i, %j) {
      %s = attn.reduce add (%c) in (%d) {
        %a = tensor.extract %q[%i, %c] : tensor<8x4xf32>
        %b = tensor.extract %q[%j, %c] : tensor<8x4xf32>
        %p = arith.mulf %a, %b : f32
        attn.yield %p : f32
      } : f32
      attn.yield %s : f32
    }
    value(%i, %j, %c) {
      %e = tensor.extract %q[%j, %c] : tensor<8x4xf32>
      attn.yield %e : f32
    } : tensor<8xf32>, tensor<8x4xf32>
  return %y, %l : tensor<8x4xf32>, tensor<8xf32>
}

// Another score: @masked keeps its kernel.
// CHECK-LABEL: func.func @masked
// CHECK:         call @masked_attend_0(
func.func @masked(%q: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %n = arith.constant 8 : index
  %d = arith.constant 4 : index
  %y = attn.attend softmax outer(%n) keys(%n) values(%d) yields [value]
    score(%i, %j) {
      %s = attn.reduce add (%c) in (%d) {
        %a = tensor.extract %q[%i, %c] : tensor<8x4xf32>
        %b = tensor.extract %q[%j, %c] : tensor<8x4xf32>
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
      %e = tensor.extract %q[%j, %c] : tensor<8x4xf32>
      attn.yield %e : f32
    } : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A kernel that yields lse alone is no replacement.
// CHECK-LABEL: func.func @alone
// CHECK:         call @alone_attend_0(
func.func @alone(%q: tensor<8x4xf32>) -> tensor<8xf32> {
  %n = arith.constant 8 : index
  %d = arith.constant 4 : index
  %l = attn.attend softmax outer(%n) keys(%d) values() yields [lse]
    score(%i, %j) {
      %s = tensor.extract %q[%i, %j] : tensor<8x4xf32>
      attn.yield %s : f32
    } : tensor<8xf32>
  return %l : tensor<8xf32>
}

// CHECK: func.func private @{{saved|masked|alone}}_attend_0
// CHECK: func.func private @{{saved|masked|alone}}_attend_0
// CHECK: func.func private @{{saved|masked|alone}}_attend_0
