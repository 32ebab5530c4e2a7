// An update of a parameter moves after all reads of the parameter in its block; if it is there, nothing moves.
// RUN: attn-opt %s --attn-order-updates | FileCheck %s

model.parameter @a : tensor<4xf32> checkpoint "a" init <"ones", 0.0, 0.0>
model.parameter @b : tensor<4xf32> checkpoint "b" init <"ones", 0.0, 0.0>
model.parameter @list [2] : tensor<4xf32> checkpoint "list.{0}" init <"ones", 0.0, 0.0>
func.func private @kernel(%x: tensor<4xf32>) -> tensor<4xf32> attributes {attn.kernel = "loops"} { return %x : tensor<4xf32> }
func.func private @rows(%x: tensor<2x2xf32>) -> tensor<4xf32> attributes {attn.kernel = "loops"} {
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @train
// CHECK: %[[X:.*]] = call @kernel
// CHECK-NEXT: tensor.expand_shape
// CHECK-NEXT: %[[Y:.*]] = call @rows
// CHECK-NEXT: model.set @a, %[[X]]
// CHECK-NEXT: model.set @b, %[[Y]]
func.func @train() attributes {model.entry, model.dimensions = []} {
  %a = model.get @a : tensor<4xf32>
  %b = model.get @b : tensor<4xf32>
  %x = func.call @kernel(%b) : (tensor<4xf32>) -> tensor<4xf32>
  model.set @a, %x : tensor<4xf32>
  %view = tensor.expand_shape %a [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %y = func.call @rows(%view) : (tensor<2x2xf32>) -> tensor<4xf32>
  model.set @b, %y : tensor<4xf32>
  return
}

// Reads in a loop: by its body, and as initial values of carried values.
// CHECK-LABEL: func.func @lists
// CHECK: scf.for
// CHECK: model.get @list
// CHECK: %[[X:.*]] = func.call @kernel
// CHECK-NEXT: func.call @kernel
// CHECK-NEXT: model.set @list[{{.*}}], %[[X]]
// CHECK: scf.for
// CHECK: model.set @a
func.func @lists() attributes {model.entry, model.dimensions = []} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %a = model.get @a : tensor<4xf32>
  scf.for %l = %0 to %2 step %1 {
    %w = model.get @list[%l] : tensor<4xf32>
    %x = func.call @kernel(%w) : (tensor<4xf32>) -> tensor<4xf32>
    model.set @list[%l], %x : tensor<4xf32>
    %y = func.call @kernel(%w) : (tensor<4xf32>) -> tensor<4xf32>
  }
  %x = func.call @kernel(%a) : (tensor<4xf32>) -> tensor<4xf32>
  model.set @a, %x : tensor<4xf32>
  %r = scf.for %l = %0 to %2 step %1 iter_args(%c = %a) -> tensor<4xf32> {
    %next = func.call @kernel(%c) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  return
}

// A loop that updates a list moves after a reader of the list outside of the loop, unless the reader uses its result.
// CHECK-LABEL: func.func @loops
// CHECK: call @rows
// CHECK: scf.for
// CHECK: model.set @list
func.func @loops(%g: tensor<4xf32>) attributes {model.entry, model.dimensions = []} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  scf.for %l = %0 to %2 step %1 {
    %x = func.call @kernel(%g) : (tensor<4xf32>) -> tensor<4xf32>
    model.set @list[%l], %x : tensor<4xf32>
  }
  %w = model.get @list[%0] : tensor<4xf32>
  %view = tensor.expand_shape %w [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %y = func.call @rows(%view) : (tensor<2x2xf32>) -> tensor<4xf32>
  model.set @b, %y : tensor<4xf32>
  return
}
