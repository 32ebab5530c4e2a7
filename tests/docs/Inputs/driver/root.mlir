// Cube roots, which no emitter computes.
func.func @f(%x: tensor<?xf32> {model.name = "x", model.shape = ["n"]}) -> (tensor<?xf32> {model.name = "y", model.shape = ["n"]}) attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %g = math.cbrt %a : f32
    linalg.yield %g : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
