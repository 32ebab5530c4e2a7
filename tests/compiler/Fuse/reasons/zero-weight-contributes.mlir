// A softmax weight with a term added is no weight of attention.
// EXPECT f
// EXPECT   kernel f_gemm_0 (gemm) from -:35:10, -:42:10
// EXPECT   kernel f_rows_0 (rows) from -:50:10, -:56:11
// EXPECT   kernel f_gemm_1 (gemm) from -:66:11
// EXPECT   left     -:66:11 [zero-weight-contributes]
// EXPECT            a pair with attention weight 0 would still contribute to the result, but attention skips such pairs
// EXPECT            to change it: make the term that is added to the attention weights 0 for such pairs, or mask them in the score
// EXPECT   made     -:31:19 -> -:35:10 [view-folded]
// EXPECT            the consumer reads its elements in place, by subscript; saves 64*n bytes
// EXPECT   made     -:42:10 -> -:35:10 [epilogue-fused]
// EXPECT            it is applied to each tile of the contraction before the tile is stored; saves 4*n*n bytes
// EXPECT   made     -:50:10 -> -:56:11 [rows-fused]
// EXPECT            it is computed row by row, together with the reductions over the same rows; saves 4*n bytes
// EXPECT   left     f_gemm_0 -> f_rows_0 [row-after-tile]
// EXPECT            a reduction needs whole rows, which the contraction computes in tiles; materialises 4*n*n bytes
// EXPECT            to change it: not possible, because rows are complete only when the contraction has ended
// EXPECT   left     f_rows_0 -> f_gemm_1 [contraction-operand]
// EXPECT            a contraction reads each element of its operand once for every tile, so the operand is computed once and stored; materialises 4*n*n bytes
// EXPECT            to change it: not possible, because a contraction reads its operands from memory
#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0)>
module @weight_of_nothing {
  func.func @f(%arg0: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]}) -> (tensor<?x16xf32> {model.name = "f", model.shape = ["n", "16"]}) attributes {model.dimensions = [#model.dimension<"n", -1>], model.entry} {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x16xf32>
    %0 = tensor.empty(%dim) : tensor<16x?xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<?x16xf32>) outs(%0 : tensor<16x?xf32>) permutation = [1, 0] 
    %cst = arith.constant 0.000000e+00 : f32
    %1 = tensor.empty(%dim, %dim) : tensor<?x?xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %transposed : tensor<?x16xf32>, tensor<16x?xf32>) outs(%2 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %14 = arith.mulf %in, %in_2 : f32
      %15 = arith.addf %out, %14 : f32
      linalg.yield %15 : f32
    } -> tensor<?x?xf32>
    %4 = tensor.empty(%dim, %dim) : tensor<?x?xf32>
    %5 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<?x?xf32>) outs(%4 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = math.exp %in : f32
      linalg.yield %14 : f32
    } -> tensor<?x?xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %6 = tensor.empty(%dim) : tensor<?xf32>
    %7 = linalg.fill ins(%cst_0 : f32) outs(%6 : tensor<?xf32>) -> tensor<?xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%5 : tensor<?x?xf32>) outs(%7 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.addf %out, %in : f32
      linalg.yield %14 : f32
    } -> tensor<?xf32>
    %9 = tensor.empty(%dim, %dim) : tensor<?x?xf32>
    %10 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%5, %8 : tensor<?x?xf32>, tensor<?xf32>) outs(%9 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %cst_3 = arith.constant 5.000000e-01 : f32
      %14 = arith.divf %in, %in_2 : f32
      %15 = arith.addf %cst_3, %14 : f32
      linalg.yield %15 : f32
    } -> tensor<?x?xf32>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %11 = tensor.empty(%dim) : tensor<?x16xf32>
    %12 = linalg.fill ins(%cst_1 : f32) outs(%11 : tensor<?x16xf32>) -> tensor<?x16xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10, %arg0 : tensor<?x?xf32>, tensor<?x16xf32>) outs(%12 : tensor<?x16xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %14 = arith.mulf %in, %in_2 : f32
      %15 = arith.addf %out, %14 : f32
      linalg.yield %15 : f32
    } -> tensor<?x16xf32>
    return %13 : tensor<?x16xf32>
  }
}
