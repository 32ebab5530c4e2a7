// A chain of two pointwise ops.
// EXPECT f
// EXPECT   kernel f_loops_0 (loops) from -:18:8
// EXPECT   made     -:12:8 -> -:18:8 [pointwise-fused]
// EXPECT            each element is computed where it is used; saves 64*n bytes
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]})
    -> (tensor<?x16xf32> {model.name = "r0", model.shape = ["n", "16"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.addf %a0, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = math.tanh %a0 : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
