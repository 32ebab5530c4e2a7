// Rows of a megabyte between the reductions of a softmax.
// EXPECT f
// EXPECT   kernel f_rows_0 (rows) from -:22:9, -:29:9
// EXPECT   kernel f_rows_1 (rows) from -:38:9, -:44:8
// EXPECT   made     -:22:9 -> -:29:9 [rows-fused]
// EXPECT            it is computed row by row, together with the reductions over the same rows; saves 4*n bytes
// EXPECT   made     -:38:9 -> -:44:8 [rows-fused]
// EXPECT            it is computed row by row, together with the reductions over the same rows; saves 4*n bytes
// EXPECT   left     f_rows_0 -> f_rows_1 [row-scratch]
// EXPECT            the rows between the two do not fit in the scratch of a worker; materialises 1048576*n bytes
// EXPECT            to change it: shorten the rows between the two to at most 512 KiB
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]},
    %z: tensor<?x262144xf32> {model.name = "z", model.shape = ["n", "262144"]})
    -> (tensor<?x262144xf32> {model.name = "r0", model.shape = ["n", "262144"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %pme = tensor.empty(%n) : tensor<?xf32>
  %pmf = linalg.fill ins(%low : f32) outs(%pme : tensor<?xf32>) -> tensor<?xf32>
  %pm = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%z : tensor<?x262144xf32>) outs(%pmf : tensor<?xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.maximumf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %pxe = tensor.empty(%n) : tensor<?x262144xf32>
  %px = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%z, %pm : tensor<?x262144xf32>, tensor<?xf32>) outs(%pxe : tensor<?x262144xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x262144xf32>
  %pse = tensor.empty(%n) : tensor<?xf32>
  %psf = linalg.fill ins(%zero : f32) outs(%pse : tensor<?xf32>) -> tensor<?xf32>
  %ps = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%px : tensor<?x262144xf32>) outs(%psf : tensor<?xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.addf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%px, %ps : tensor<?x262144xf32>, tensor<?xf32>) outs(%pxe : tensor<?x262144xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<?x262144xf32>
  return %p : tensor<?x262144xf32>
}
