// RUN: attn-opt %s --attn-form-contractions --attn-outline-kernels --attn-deduplicate-kernels --attn-pack-weights=target=x86-64-v4 | FileCheck %s

// Training steps may be called in turn, without packing between them: @second reads the value of @w that @first has
// set, so not packed. It reads @fixed, which no step sets, packed, and @infer reads both packed.
// CHECK:     func.func @second
// CHECK:     %[[W:.*]] = model.get @w
// CHECK:     %[[FIXED:.*]] = model.get @fixed
// CHECK:     call @[[PLAIN:.*]](%{{.*}}, %[[W]])
// CHECK:     call @[[PACKED:.*]](%{{.*}}, %[[FIXED]])
// CHECK:     func.func @infer
// CHECK:     call @[[PACKED]](
// CHECK:     call @[[PACKED]](
// CHECK:     func.func private @[[PLAIN]](%arg0: tensor<?x16xf32>, %arg1: tensor<16x16xf32>) ->
// CHECK:     func.func private @[[PACKED]](%arg0: tensor<?x16xf32>, %arg1: tensor<16x16xf32> {attn.packed =

#rows = affine_map<(i, n, k) -> (i, k)>
#columns = affine_map<(i, n, k) -> (k, n)>
#sums = affine_map<(i, n, k) -> (i, n)>
model.parameter @w : tensor<16x16xf32> checkpoint "w" init <"zeros", 0.0, 0.0>
model.parameter @fixed : tensor<16x16xf32> checkpoint "fixed" init <"zeros", 0.0, 0.0>
model.parameter @count : tensor<f32> checkpoint "count" init <"zeros", 0.0, 0.0>
func.func @first(%x: tensor<16x16xf32> {model.name = "x", model.shape = ["16", "16"]})
    attributes {model.entry, model.dimensions = []} {
  model.set @w, %x : tensor<16x16xf32>
  return
}
func.func @second(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]})
    -> (tensor<?x16xf32> {model.name = "r0", model.shape = ["n", "16"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %w = model.get @w : tensor<16x16xf32>
  %fixed = model.get @fixed : tensor<16x16xf32>
  %e0 = tensor.empty(%n) : tensor<?x16xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %p = linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x16xf32>, tensor<16x16xf32>) outs(%f0 : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  %e1 = tensor.empty(%n) : tensor<?x16xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %q = linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %fixed : tensor<?x16xf32>, tensor<16x16xf32>) outs(%f1 : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  %count = model.get @count : tensor<f32>
  model.set @count, %count : tensor<f32>
  return %q : tensor<?x16xf32>
}
func.func @infer(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]})
    -> (tensor<?x16xf32> {model.name = "r0", model.shape = ["n", "16"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %w = model.get @w : tensor<16x16xf32>
  %fixed = model.get @fixed : tensor<16x16xf32>
  %e0 = tensor.empty(%n) : tensor<?x16xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %p = linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x16xf32>, tensor<16x16xf32>) outs(%f0 : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  %e1 = tensor.empty(%n) : tensor<?x16xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %q = linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %fixed : tensor<?x16xf32>, tensor<16x16xf32>) outs(%f1 : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  return %q : tensor<?x16xf32>
}
