// RUN: attn-opt --attn-eliminate-common-values %s > %t.shared && FileCheck %s --implicit-check-not=attn.hash --input-file %t.shared
// The pass leaves the same IR as common subexpression elimination; tests/tools/growth.test measures its time.
// RUN: attn-opt --cse %s | diff %t.shared -

#row = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @formulas
// CHECK: %[[X2:.+]] = linalg.generic
// CHECK:   arith.mulf %{{.*}}, %cst
// CHECK: %[[X3:.+]] = linalg.generic
// CHECK:   arith.mulf %{{.*}}, %cst_0
// CHECK-NOT: linalg.generic
// CHECK: return %[[X2]], %[[X3]], %[[X2]]
func.func @formulas(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %also_two = arith.constant 2.0 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>)
      outs(%empty : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %y = arith.mulf %in, %two : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>)
      outs(%empty : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %y = arith.mulf %in, %three : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  // Another constant of the same value.
  %c = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>)
      outs(%empty : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %y = arith.mulf %in, %also_two : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  return %a, %b, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Formulas are equal only after the tensors that they read by subscripts are merged.
// CHECK-LABEL: func.func @captured
// CHECK: %[[FILL:.+]] = linalg.fill
// CHECK: %[[A:.+]] = linalg.generic
// CHECK:   tensor.extract %[[FILL]]
// CHECK: %[[C:.+]] = linalg.generic
// CHECK:   tensor.extract %arg0
// CHECK-NOT: linalg.generic
// CHECK: return %[[A]], %[[A]], %[[C]]
func.func @captured(%x: tensor<8xf32>, %n: index) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %two = arith.constant 2.0 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %also_empty = tensor.empty() : tensor<8xf32>
  %filled = linalg.fill ins(%two : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %also_filled = linalg.fill ins(%two : f32) outs(%also_empty : tensor<8xf32>) -> tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#row], iterator_types = ["parallel"]} outs(%empty : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %y = tensor.extract %filled[%i] : tensor<8xf32>
    %z = arith.addf %y, %y : f32
    linalg.yield %z : f32
  } -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#row], iterator_types = ["parallel"]} outs(%also_empty : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %y = tensor.extract %also_filled[%i] : tensor<8xf32>
    %z = arith.addf %y, %y : f32
    linalg.yield %z : f32
  } -> tensor<8xf32>
  %c = linalg.generic {indexing_maps = [#row], iterator_types = ["parallel"]} outs(%empty : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %y = tensor.extract %x[%i] : tensor<8xf32>
    %z = arith.addf %y, %y : f32
    linalg.yield %z : f32
  } -> tensor<8xf32>
  return %a, %b, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Loops with equal bounds and equal bodies are merged too.
// CHECK-LABEL: func.func @loops
// CHECK: %[[A:.+]] = scf.for
// CHECK:   arith.mulf
// CHECK: %[[C:.+]] = scf.for
// CHECK:   arith.addf
// CHECK-NOT: scf.for
// CHECK: return %[[A]], %[[A]], %[[C]]
func.func @loops(%x: f32, %n: index) -> (f32, f32, f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = scf.for %i = %zero to %n step %one iter_args(%y = %x) -> f32 {
    %z = arith.mulf %y, %y : f32
    scf.yield %z : f32
  }
  %b = scf.for %i = %zero to %n step %one iter_args(%y = %x) -> f32 {
    %z = arith.mulf %y, %y : f32
    scf.yield %z : f32
  }
  %c = scf.for %i = %zero to %n step %one iter_args(%y = %x) -> f32 {
    %z = arith.addf %y, %y : f32
    scf.yield %z : f32
  }
  return %a, %b, %c : f32, f32, f32
}
