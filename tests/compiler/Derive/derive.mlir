// RUN: attn-opt %s --attn-derive --canonicalize --cse | FileCheck %s

#element = affine_map<(i) -> (i)>
#sum = affine_map<(i) -> ()>

// The gradient of a sum of squares is a second result, computed from the argument.
// CHECK-LABEL: func.func @g
// CHECK-SAME:    %[[X:.+]]: tensor<?xf32> {model.name = "x"
// CHECK-SAME:    tensor<?xf32> {model.name = "x_gradient", model.shape = ["n"]}
// CHECK-NOT:     model.gradient
// CHECK:         %[[VALUE:.+]] = linalg.generic {{.*}} iterator_types = ["reduction"]
// CHECK:         %[[LEFT:.+]] = linalg.generic {{.*}} ins(%[[X]], %[[X]],
// CHECK:         %[[RIGHT:.+]] = linalg.generic {{.*}} ins(%[[X]], %[[X]],
// CHECK:         %[[GRADIENT:.+]] = linalg.generic {{.*}} ins(%[[LEFT]], %[[RIGHT]] :
// CHECK:         return %[[VALUE]], %[[GRADIENT]] : tensor<f32>, tensor<?xf32>
func.func @g(%x: tensor<?xf32> {model.name = "x", model.shape = ["n"]})
    -> (tensor<f32> {model.name = "g", model.shape = []})
    attributes {model.dimensions = [#model.dimension<"n", -1>], model.entry, model.gradient} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %elements = tensor.empty(%n) : tensor<?xf32>
  %squares = linalg.generic {indexing_maps = [#element, #element, #element], iterator_types = ["parallel"]}
      ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%elements : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  %empty = tensor.empty() : tensor<f32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#element, #sum], iterator_types = ["reduction"]}
      ins(%squares : tensor<?xf32>) outs(%none : tensor<f32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}

// The gradient of x * x with respect to its variable v is x + x, which stays a constant: no op of `gradient` is left.
// CHECK-LABEL: func.func @nested
// CHECK-SAME:    %[[X:.+]]: tensor<f32>
// CHECK-NOT:     attn.
// CHECK:         arith.addf
// CHECK-NOT:     attn.
// CHECK:         return
func.func @nested(%x: tensor<f32> {model.name = "x", model.shape = []})
    -> (tensor<f32> {model.name = "nested", model.shape = []}) attributes {model.dimensions = [], model.entry} {
  %v = attn.variable %x number 0 : tensor<f32>
  %empty = tensor.empty() : tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
                       iterator_types = []} ins(%v, %v : tensor<f32>, tensor<f32>) outs(%empty : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<f32>
  %g = attn.gradient %y of %v : tensor<f32>, tensor<f32>
  return %g : tensor<f32>
}
