// A result in reversed order, which no emitter supports and the importer never generates.
func.func @f(%x: tensor<6xf32> {model.name = "x", model.shape = ["6"]}) -> (tensor<6xf32> {model.name = "y", model.shape = ["6"]})
    attributes {model.entry, model.dimensions = []} {
  %e = tensor.empty() : tensor<6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (5 - d0)>],
                       iterator_types = ["parallel"]} ins(%x : tensor<6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}
