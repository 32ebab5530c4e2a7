// A softmax, read transposed.
// EXPECT f
// EXPECT   kernel f_rows_0 (rows) from -:23:9, -:30:9, -:39:9, -:45:8
// EXPECT   kernel f_loops_0 (loops) from -:52:8
// EXPECT   made     -:23:9 -> -:30:9 [rows-fused]
// EXPECT            it is computed row by row, together with the reductions over the same rows; saves 4*n bytes
// EXPECT   made     -:30:9 -> -:39:9 [rows-fused]
// EXPECT            it is computed row by row, together with the reductions over the same rows; saves 64*n bytes
// EXPECT   made     -:39:9 -> -:45:8 [rows-fused]
// EXPECT            it is computed row by row, together with the reductions over the same rows; saves 4*n bytes
// EXPECT   left     f_rows_0 -> f_loops_0 [different-rows]
// EXPECT            the two iterate over different rows; materialises 64*n bytes
// EXPECT            to change it: iterate over the same leading indices in both
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]})
    -> (tensor<16x?xf32> {model.name = "r0", model.shape = ["16", "n"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %pme = tensor.empty(%n) : tensor<?xf32>
  %pmf = linalg.fill ins(%low : f32) outs(%pme : tensor<?xf32>) -> tensor<?xf32>
  %pm = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x16xf32>) outs(%pmf : tensor<?xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.maximumf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %pxe = tensor.empty(%n) : tensor<?x16xf32>
  %px = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %pm : tensor<?x16xf32>, tensor<?xf32>) outs(%pxe : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  %pse = tensor.empty(%n) : tensor<?xf32>
  %psf = linalg.fill ins(%zero : f32) outs(%pse : tensor<?xf32>) -> tensor<?xf32>
  %ps = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%px : tensor<?x16xf32>) outs(%psf : tensor<?xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.addf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%px, %ps : tensor<?x16xf32>, tensor<?xf32>) outs(%pxe : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  %te = tensor.empty(%n) : tensor<16x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<?x16xf32>) outs(%te : tensor<16x?xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %v = arith.addf %a0, %a0 : f32
    linalg.yield %v : f32
  } -> tensor<16x?xf32>
  return %y : tensor<16x?xf32>
}
