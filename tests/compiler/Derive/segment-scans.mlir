// RUN: attn-opt %s --attn-segment-scans --canonicalize --cse | FileCheck %s

#element = affine_map<(i) -> (i)>
#sum = affine_map<(i) -> ()>

// A scan of n steps becomes a loop over segments of 8 steps, and a scan of the n mod 8 remaining steps.
// CHECK-LABEL: func.func @g
// CHECK-SAME:    attn.scans = [{cuttable, place = {{.*}}, segment = 8 : i64, steps = "n"}]
// CHECK-NOT:     attn.segments
// CHECK:         %[[SEGMENTS:.+]] = arith.divui %[[STEPS:.+]], %[[EIGHT:.+]] : index
// CHECK:         %[[WHOLE:.+]] = arith.muli %[[SEGMENTS]], %[[EIGHT]]
// CHECK:         %[[REST:.+]] = arith.subi %[[STEPS]], %[[WHOLE]]
// CHECK:         %[[LISTS:.+]] = tensor.expand_shape %{{.*}} output_shape [%[[SEGMENTS]], 8, 3]
// CHECK:         %[[LAST:.+]] = scf.for %[[S:.+]] = %{{.*}} to %[[SEGMENTS]] step
// CHECK:           %[[LIST:.+]] = model.element %[[LISTS]][%[[S]]]
// CHECK:           scf.for %[[T:.+]] = %{{.*}} to %[[EIGHT]] step
// CHECK:             model.element %[[LIST]][%[[T]]]
// CHECK:           } {model.scan = "forward"}
// CHECK:         scf.for %{{.*}} to %[[REST]] step %{{.*}} iter_args(%{{.*}} = %[[LAST]])
// CHECK:         } {model.scan = "forward"}
func.func @g(%x: tensor<?x3xf32> {model.name = "x", model.shape = ["n", "3"]},
             %h0: tensor<3xf32> {model.name = "h0", model.shape = ["3"]})
    -> (tensor<f32> {model.name = "g", model.shape = []})
    attributes {model.dimensions = [#model.dimension<"n", -1>], model.entry, model.gradient,
                attn.segments = array<i64: 8>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %last = scf.for %t = %c0 to %n step %c1 iter_args(%h = %h0) -> tensor<3xf32> {
    %element = model.element %x[%t] : tensor<?x3xf32> -> tensor<3xf32>
    %state = tensor.empty() : tensor<3xf32>
    %next = linalg.generic {indexing_maps = [#element, #element, #element], iterator_types = ["parallel"]}
        ins(%h, %element : tensor<3xf32>, tensor<3xf32>) outs(%state : tensor<3xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %p = arith.mulf %a, %b : f32
      linalg.yield %p : f32
    } -> tensor<3xf32>
    scf.yield %next : tensor<3xf32>
  } {model.scan = "forward"}
  %empty = tensor.empty() : tensor<f32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [#element, #sum], iterator_types = ["reduction"]}
      ins(%last : tensor<3xf32>) outs(%none : tensor<f32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %loss : tensor<f32>
}
