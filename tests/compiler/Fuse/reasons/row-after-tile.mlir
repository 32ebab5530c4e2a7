// A softmax over the columns of a product.
// EXPECT f
// EXPECT   kernel f_gemm_0 (gemm) from -:28:8
// EXPECT   kernel f_rows_0 (rows) from -:37:9, -:44:9, -:53:9, -:59:8
// EXPECT   made     -:37:9 -> -:44:9 [rows-fused]
// EXPECT            it is computed row by row, together with the reductions over the same rows; saves 4*n bytes
// EXPECT   made     -:44:9 -> -:53:9 [rows-fused]
// EXPECT            it is computed row by row, together with the reductions over the same rows; saves 64*n bytes
// EXPECT   made     -:53:9 -> -:59:8 [rows-fused]
// EXPECT            it is computed row by row, together with the reductions over the same rows; saves 4*n bytes
// EXPECT   left     f_gemm_0 -> f_rows_0 [row-after-tile]
// EXPECT            a reduction needs whole rows, which the contraction computes in tiles; materialises 64*n bytes
// EXPECT            to change it: not possible, because rows are complete only when the contraction has ended
// EXPECT weights
// EXPECT   made     @w -> f_gemm_0 [weight-packed]
// EXPECT            only contractions read the weight, so only its packed copy is stored; packed it takes 1024 bytes
model.parameter @w : tensor<16x16xf32> checkpoint "w" init <"zeros", 0.0, 0.0>
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]})
    -> (tensor<?x16xf32> {model.name = "r0", model.shape = ["n", "16"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %w = model.get @w : tensor<16x16xf32>
  %fep = tensor.empty(%n) : tensor<?x16xf32>
  %fp = linalg.fill ins(%zero : f32) outs(%fep : tensor<?x16xf32>) -> tensor<?x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, n, k) -> (i, k)>, affine_map<(i, n, k) -> (k, n)>, affine_map<(i, n, k) -> (i, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x16xf32>, tensor<16x16xf32>) outs(%fp : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  %qme = tensor.empty(%n) : tensor<?xf32>
  %qmf = linalg.fill ins(%low : f32) outs(%qme : tensor<?xf32>) -> tensor<?xf32>
  %qm = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<?x16xf32>) outs(%qmf : tensor<?xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.maximumf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %qxe = tensor.empty(%n) : tensor<?x16xf32>
  %qx = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %qm : tensor<?x16xf32>, tensor<?xf32>) outs(%qxe : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  %qse = tensor.empty(%n) : tensor<?xf32>
  %qsf = linalg.fill ins(%zero : f32) outs(%qse : tensor<?xf32>) -> tensor<?xf32>
  %qs = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%qx : tensor<?x16xf32>) outs(%qsf : tensor<?xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.addf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%qx, %qs : tensor<?x16xf32>, tensor<?xf32>) outs(%qxe : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  return %q : tensor<?x16xf32>
}
