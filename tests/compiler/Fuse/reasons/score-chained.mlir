// Heads that are mixed before the softmax.
// EXPECT f
// EXPECT   kernel f_gemm_0 (gemm) from -:43:10
// EXPECT   kernel f_gemm_1 (gemm) from -:52:10, -:59:10
// EXPECT   kernel f_rows_0 (rows) from -:67:11, -:73:11
// EXPECT   kernel f_gemm_2 (gemm) from -:81:11
// EXPECT   left     -:81:11 [score-chained]
// EXPECT            the score sums over other sums, which attention would compute again for every pair
// EXPECT            to change it: write each score as one sum over features
// EXPECT   made     -:39:19 -> -:43:10 [view-folded]
// EXPECT            the consumer reads its elements in place, by subscript; saves 64*h*n bytes
// EXPECT   made     -:59:10 -> -:52:10 [epilogue-fused]
// EXPECT            it is applied to each tile of the contraction before the tile is stored; saves 4*h*n*n bytes
// EXPECT   made     -:67:11 -> -:73:11 [rows-fused]
// EXPECT            it is computed row by row, together with the reductions over the same rows; saves 4*h*n bytes
// EXPECT   left     f_gemm_0 -> f_gemm_1 [contraction-chain]
// EXPECT            a contraction sums over whole rows of its operand, which another contraction computes in tiles; materialises 4*h*n*n bytes
// EXPECT            to change it: write the two as one sum, or multiply their two constant factors in advance
// EXPECT   left     f_gemm_1 -> f_rows_0 [row-after-tile]
// EXPECT            a reduction needs whole rows, which the contraction computes in tiles; materialises 4*h*n*n bytes
// EXPECT            to change it: not possible, because rows are complete only when the contraction has ended
// EXPECT   left     f_rows_0 -> f_gemm_2 [contraction-operand]
// EXPECT            a contraction reads each element of its operand once for every tile, so the operand is computed once and stored; materialises 4*h*n*n bytes
// EXPECT            to change it: not possible, because a contraction reads its operands from memory
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d3, d1, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
module @score_chained {
  func.func @f(%arg0: tensor<?x?x16xf32> {model.name = "x", model.shape = ["h", "n", "16"]}, %arg1: tensor<?x?xf32> {model.name = "mix", model.shape = ["h", "h"]}) -> (tensor<?x?x16xf32> {model.name = "f", model.shape = ["h", "n", "16"]}) attributes {model.dimensions = [#model.dimension<"h", -1>, #model.dimension<"n", -1>], model.entry} {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x?x16xf32>
    %c1 = arith.constant 1 : index
    %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?x16xf32>
    %0 = tensor.empty(%dim, %dim_0) : tensor<?x16x?xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<?x?x16xf32>) outs(%0 : tensor<?x16x?xf32>) permutation = [0, 2, 1] 
    %cst = arith.constant 0.000000e+00 : f32
    %1 = tensor.empty(%dim, %dim_0, %dim_0) : tensor<?x?x?xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %transposed : tensor<?x?x16xf32>, tensor<?x16x?xf32>) outs(%2 : tensor<?x?x?xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %17 = arith.mulf %in, %in_4 : f32
      %18 = arith.addf %out, %17 : f32
      linalg.yield %18 : f32
    } -> tensor<?x?x?xf32>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %4 = tensor.empty(%dim, %dim_0, %dim_0) : tensor<?x?x?xf32>
    %5 = linalg.fill ins(%cst_1 : f32) outs(%4 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %6 = linalg.generic {indexing_maps = [#map3, #map4, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg1, %3 : tensor<?x?xf32>, tensor<?x?x?xf32>) outs(%5 : tensor<?x?x?xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %17 = arith.mulf %in, %in_4 : f32
      %18 = arith.addf %out, %17 : f32
      linalg.yield %18 : f32
    } -> tensor<?x?x?xf32>
    %7 = tensor.empty(%dim, %dim_0, %dim_0) : tensor<?x?x?xf32>
    %8 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<?x?x?xf32>) outs(%7 : tensor<?x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = math.exp %in : f32
      linalg.yield %17 : f32
    } -> tensor<?x?x?xf32>
    %cst_2 = arith.constant 0.000000e+00 : f32
    %9 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
    %10 = linalg.fill ins(%cst_2 : f32) outs(%9 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %11 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%8 : tensor<?x?x?xf32>) outs(%10 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = arith.addf %out, %in : f32
      linalg.yield %17 : f32
    } -> tensor<?x?xf32>
    %12 = tensor.empty(%dim, %dim_0, %dim_0) : tensor<?x?x?xf32>
    %13 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %11 : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%12 : tensor<?x?x?xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %17 = arith.divf %in, %in_4 : f32
      linalg.yield %17 : f32
    } -> tensor<?x?x?xf32>
    %cst_3 = arith.constant 0.000000e+00 : f32
    %14 = tensor.empty(%dim, %dim_0) : tensor<?x?x16xf32>
    %15 = linalg.fill ins(%cst_3 : f32) outs(%14 : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%13, %arg0 : tensor<?x?x?xf32>, tensor<?x?x16xf32>) outs(%15 : tensor<?x?x16xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %17 = arith.mulf %in, %in_4 : f32
      %18 = arith.addf %out, %17 : f32
      linalg.yield %18 : f32
    } -> tensor<?x?x16xf32>
    return %16 : tensor<?x?x16xf32>
  }
}
