// RUN: attn-opt %s --attn-batch-iterations --canonicalize --cse | FileCheck %s

#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#out = affine_map<(i, j, k) -> (i, j)>
#row = affine_map<(i, j) -> (i, j)>
#bias = affine_map<(i, j) -> (j)>
#left = affine_map<(k, i, j) -> (k, i)>
#right = affine_map<(k, i, j) -> (k, j)>
#sum = affine_map<(k, i, j) -> (i, j)>

// CHECK-DAG: #[[X:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[W:.+]] = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
// CHECK-DAG: #[[OUT:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

// The product of the input with a weight, and its bias, are computed before the loop for all steps.
// CHECK-LABEL: func.func @in_front
// CHECK:         %[[ALL:.+]] = linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[OUT]]]
// CHECK:         %[[BIASED:.+]] = linalg.generic {{.*}} ins(%[[ALL]],
// CHECK:         scf.for
// CHECK-NEXT:      model.element %[[BIASED]]
// CHECK-NEXT:      linalg.generic {{.*}}["parallel", "parallel"]
// CHECK-NOT:       linalg.generic
// CHECK:           scf.yield
func.func @in_front(%xs: tensor<?x?x8xf32>, %weight: tensor<8x4xf32>, %b: tensor<4xf32>, %h0: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  %steps = tensor.dim %xs, %zero : tensor<?x?x8xf32>
  %batch = tensor.dim %xs, %one : tensor<?x?x8xf32>
  %empty = tensor.empty(%batch) : tensor<?x4xf32>
  %start = linalg.fill ins(%none : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %last = scf.for %t = %zero to %steps step %one iter_args(%h = %h0) -> tensor<?x4xf32> {
    %x = model.element %xs[%t] : tensor<?x?x8xf32> -> tensor<?x8xf32>
    %u = linalg.generic {indexing_maps = [#x, #w, #out], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %weight : tensor<?x8xf32>, tensor<8x4xf32>) outs(%start : tensor<?x4xf32>) {
    ^bb0(%a: f32, %c: f32, %s: f32):
      %p = arith.mulf %a, %c : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
    } -> tensor<?x4xf32>
    %v = linalg.generic {indexing_maps = [#row, #bias, #row], iterator_types = ["parallel", "parallel"]}
        ins(%u, %b : tensor<?x4xf32>, tensor<4xf32>) outs(%empty : tensor<?x4xf32>) {
    ^bb0(%a: f32, %c: f32, %s: f32):
      %q = arith.addf %a, %c : f32
      linalg.yield %q : f32
    } -> tensor<?x4xf32>
    %next = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel", "parallel"]}
        ins(%v, %h : tensor<?x4xf32>, tensor<?x4xf32>) outs(%empty : tensor<?x4xf32>) {
    ^bb0(%a: f32, %c: f32, %s: f32):
      %q = arith.mulf %a, %c : f32
      linalg.yield %q : f32
    } -> tensor<?x4xf32>
    scf.yield %next : tensor<?x4xf32>
  } {model.scan = "forward"}
  return %last : tensor<?x4xf32>
}

// The gradient of a weight is one product over steps and rows, of the states and the steps' cotangents.
// CHECK-LABEL: func.func @behind
// CHECK:         %[[LOOP:.+]]:2 = scf.for
// CHECK-NOT:       "reduction"
// CHECK:           model.with_element
// CHECK:         linalg.generic {{.*}}["reduction", "reduction", "parallel", "parallel"]} ins(%arg0, %[[LOOP]]#1
func.func @behind(%hs: tensor<?x?x8xf32>, %d0: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<8x4xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  %steps = tensor.dim %hs, %zero : tensor<?x?x8xf32>
  %batch = tensor.dim %hs, %one : tensor<?x?x8xf32>
  %empty = tensor.empty(%batch) : tensor<?x4xf32>
  %weight = tensor.empty() : tensor<8x4xf32>
  %start = linalg.fill ins(%none : f32) outs(%weight : tensor<8x4xf32>) -> tensor<8x4xf32>
  %d, %sum = scf.for %t = %zero to %steps step %one iter_args(%before = %d0, %w = %start) -> (tensor<?x4xf32>, tensor<8x4xf32>) {
    %back = arith.subi %steps, %one : index
    %place = arith.subi %back, %t : index
    %h = model.element %hs[%place] : tensor<?x?x8xf32> -> tensor<?x8xf32>
    %dz = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
        ins(%before : tensor<?x4xf32>) outs(%empty : tensor<?x4xf32>) {
    ^bb0(%a: f32, %s: f32):
      %q = arith.mulf %a, %a : f32
      linalg.yield %q : f32
    } -> tensor<?x4xf32>
    %term = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["reduction", "parallel", "parallel"]}
        ins(%h, %dz : tensor<?x8xf32>, tensor<?x4xf32>) outs(%start : tensor<8x4xf32>) {
    ^bb0(%a: f32, %c: f32, %s: f32):
      %p = arith.mulf %a, %c : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
    } -> tensor<8x4xf32>
    %next = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel", "parallel"]}
        ins(%w, %term : tensor<8x4xf32>, tensor<8x4xf32>) outs(%weight : tensor<8x4xf32>) {
    ^bb0(%a: f32, %c: f32, %s: f32):
      %q = arith.addf %a, %c : f32
      linalg.yield %q : f32
    } -> tensor<8x4xf32>
    scf.yield %dz, %next : tensor<?x4xf32>, tensor<8x4xf32>
  } {model.scan = "forward"}
  return %d, %sum : tensor<?x4xf32>, tensor<8x4xf32>
}
