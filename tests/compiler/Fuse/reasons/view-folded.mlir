// A transposed tensor is read in place.
// EXPECT f
// EXPECT   kernel f_loops_0 (loops) from -:13:8
// EXPECT   made     -:12:8 -> -:13:8 [view-folded]
// EXPECT            the consumer reads its elements in place, by subscript; saves 64*n bytes
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]})
    -> (tensor<16x?xf32> {model.name = "r0", model.shape = ["16", "n"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %te = tensor.empty(%n) : tensor<16x?xf32>
  %t = linalg.transpose ins(%x : tensor<?x16xf32>) outs(%te : tensor<16x?xf32>) permutation = [1, 0]
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<16x?xf32>) outs(%te : tensor<16x?xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %v = arith.mulf %a0, %a0 : f32
    linalg.yield %v : f32
  } -> tensor<16x?xf32>
  return %r : tensor<16x?xf32>
}
