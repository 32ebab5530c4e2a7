// A sum over the first index, then a pointwise op.
// EXPECT f
// EXPECT   kernel f_loops_0 (loops) from -:16:8
// EXPECT   kernel f_loops_1 (loops) from -:22:8
// EXPECT   left     f_loops_0 -> f_loops_1 [reduced-first]
// EXPECT            the value is complete only when the reduction has ended; materialises 64 bytes
// EXPECT            to change it: not possible, because the first use needs the complete value
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]})
    -> (tensor<16xf32> {model.name = "r0", model.shape = ["16"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %ze = tensor.empty() : tensor<16xf32>
  %zf = linalg.fill ins(%zero : f32) outs(%ze : tensor<16xf32>) -> tensor<16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x16xf32>) outs(%zf : tensor<16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.addf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s : tensor<16xf32>) outs(%ze : tensor<16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = math.tanh %a0 : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}
