// Only the first row of the doubled tensor is used.
// EXPECT f
// EXPECT   kernel f_loops_0 (loops) from -:14:8
// EXPECT   made     -:14:8 -> -:20:8 [slice-narrowed]
// EXPECT            only the slice that is used is computed; saves 64*n bytes
// EXPECT   made     -:14:8 -> -:14:8 [view-folded]
// EXPECT            the consumer reads its elements in place, by subscript; saves 64 bytes
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]})
    -> (tensor<1x16xf32> {model.name = "r0", model.shape = ["1", "16"]})
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
  %t = tensor.extract_slice %y[0, 0] [1, 16] [1, 1] : tensor<?x16xf32> to tensor<1x16xf32>
  return %t : tensor<1x16xf32>
}
