// RUN: attn-opt --load-pass-plugin=%{lib}/soft-cap.so --pass-pipeline='builtin.module(func.func(soft-cap{cap=30}))' %s \
// RUN:   | FileCheck %s

func.func @f(%n: index, %s: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: score(%[[I:.*]], %[[J:.*]]) {
  // CHECK-NEXT: %[[S:.*]] = tensor.extract %{{.*}}[%[[I]], %[[J]]]
  // CHECK-NEXT: %[[CAP:.*]] = arith.constant 3.0{{.*}} : f32
  // CHECK-NEXT: %[[SHARE:.*]] = arith.divf %[[S]], %[[CAP]]
  // CHECK-NEXT: %[[TANH:.*]] = math.tanh %[[SHARE]]
  // CHECK-NEXT: %[[CAPPED:.*]] = arith.mulf %[[TANH]], %[[CAP]]
  // CHECK-NEXT: attn.yield %[[CAPPED]]
  %y = attn.attend softmax outer(%n) keys(%n) values() yields [weights]
    score(%i, %j) { %e = tensor.extract %s[%i, %j] : tensor<?x?xf32> attn.yield %e : f32 } : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
