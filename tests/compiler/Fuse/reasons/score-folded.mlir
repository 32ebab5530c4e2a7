// A maximum over features has no gradient in attention.
// EXPECT f
// EXPECT   kernel f_rows_0 (rows) from -:32:10, -:39:10
// EXPECT   kernel f_rows_1 (rows) from -:47:10, -:53:10
// EXPECT   kernel f_gemm_0 (gemm) from -:61:11
// EXPECT   left     -:61:11 [score-folded]
// EXPECT            the score is a maximum, minimum or product over features, for which attention has no gradient
// EXPECT            to change it: write the score as a sum over features, or leave out the gradient
// EXPECT   made     -:32:10 -> -:39:10 [rows-fused]
// EXPECT            it is computed row by row, together with the reductions over the same rows; saves 4*n*n bytes
// EXPECT   made     -:47:10 -> -:53:10 [rows-fused]
// EXPECT            it is computed row by row, together with the reductions over the same rows; saves 4*n bytes
// EXPECT   left     f_rows_0 -> f_rows_1 [different-rows]
// EXPECT            the two iterate over different rows; materialises 4*n*n bytes
// EXPECT            to change it: iterate over the same leading indices in both
// EXPECT   left     f_rows_1 -> f_gemm_0 [contraction-operand]
// EXPECT            a contraction reads each element of its operand once for every tile, so the operand is computed once and stored; materialises 4*n*n bytes
// EXPECT            to change it: not possible, because a contraction reads its operands from memory
#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0, d1, d2) -> (d2, d1)>
module @score_folded {
  func.func @f(%arg0: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]}) -> (tensor<?x16xf32> {model.name = "f", model.shape = ["n", "16"]}) attributes {model.dimensions = [#model.dimension<"n", -1>], model.entry} {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x16xf32>
    %cst = arith.constant 0xFF800000 : f32
    %0 = tensor.empty(%dim, %dim) : tensor<?x?xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg0 : tensor<?x16xf32>, tensor<?x16xf32>) outs(%1 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %13 = arith.addf %in, %in_2 : f32
      %14 = arith.maximumf %out, %13 : f32
      linalg.yield %14 : f32
    } -> tensor<?x?xf32>
    %3 = tensor.empty(%dim, %dim) : tensor<?x?xf32>
    %4 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<?x?xf32>) outs(%3 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = math.exp %in : f32
      linalg.yield %13 : f32
    } -> tensor<?x?xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %5 = tensor.empty(%dim) : tensor<?xf32>
    %6 = linalg.fill ins(%cst_0 : f32) outs(%5 : tensor<?xf32>) -> tensor<?xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%4 : tensor<?x?xf32>) outs(%6 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.addf %out, %in : f32
      linalg.yield %13 : f32
    } -> tensor<?xf32>
    %8 = tensor.empty(%dim, %dim) : tensor<?x?xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%4, %7 : tensor<?x?xf32>, tensor<?xf32>) outs(%8 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %13 = arith.divf %in, %in_2 : f32
      linalg.yield %13 : f32
    } -> tensor<?x?xf32>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %10 = tensor.empty(%dim) : tensor<?x16xf32>
    %11 = linalg.fill ins(%cst_1 : f32) outs(%10 : tensor<?x16xf32>) -> tensor<?x16xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map5, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%9, %arg0 : tensor<?x?xf32>, tensor<?x16xf32>) outs(%11 : tensor<?x16xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %13 = arith.mulf %in, %in_2 : f32
      %14 = arith.addf %out, %13 : f32
      linalg.yield %14 : f32
    } -> tensor<?x16xf32>
    return %12 : tensor<?x16xf32>
  }
}
