// Exponentials that are not divided by their sum are no attention.
// EXPECT f
// EXPECT   kernel f_gemm_0 (gemm) from -:30:10, -:43:10
// EXPECT   kernel f_gemm_1 (gemm) from -:52:11
// EXPECT   left     -:52:11 [not-normalised]
// EXPECT            the exponentials are not divided by their sum, as in a softmax, so the code is not attention
// EXPECT            to change it: divide by the sum of the exponentials
// EXPECT   made     -:26:19 -> -:30:10 [view-folded]
// EXPECT            the consumer reads its elements in place, by subscript; saves 64*n bytes
// EXPECT   made     -:37:10 -> -:43:10 [pointwise-fused]
// EXPECT            each element is computed where it is used; saves 4*n*n bytes
// EXPECT   made     -:43:10 -> -:30:10 [epilogue-fused]
// EXPECT            it is applied to each tile of the contraction before the tile is stored; saves 4*n*n bytes
// EXPECT   left     f_gemm_0 -> f_gemm_1 [contraction-chain]
// EXPECT            a contraction sums over whole rows of its operand, which another contraction computes in tiles; materialises 4*n*n bytes
// EXPECT            to change it: write the two as one sum, or multiply their two constant factors in advance
#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
module @not_normalised {
  func.func @f(%arg0: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]}) -> (tensor<?x16xf32> {model.name = "f", model.shape = ["n", "16"]}) attributes {model.dimensions = [#model.dimension<"n", -1>], model.entry} {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x16xf32>
    %0 = tensor.empty(%dim) : tensor<16x?xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<?x16xf32>) outs(%0 : tensor<16x?xf32>) permutation = [1, 0] 
    %cst = arith.constant 0.000000e+00 : f32
    %1 = tensor.empty(%dim, %dim) : tensor<?x?xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %transposed : tensor<?x16xf32>, tensor<16x?xf32>) outs(%2 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %11 = arith.mulf %in, %in_1 : f32
      %12 = arith.addf %out, %11 : f32
      linalg.yield %12 : f32
    } -> tensor<?x?xf32>
    %4 = tensor.empty(%dim, %dim) : tensor<?x?xf32>
    %5 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<?x?xf32>) outs(%4 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = math.exp %in : f32
      linalg.yield %11 : f32
    } -> tensor<?x?xf32>
    %6 = tensor.empty(%dim, %dim) : tensor<?x?xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<?x?xf32>) outs(%6 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %cst_1 = arith.constant 5.000000e-01 : f32
      %11 = arith.mulf %in, %cst_1 : f32
      linalg.yield %11 : f32
    } -> tensor<?x?xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %8 = tensor.empty(%dim) : tensor<?x16xf32>
    %9 = linalg.fill ins(%cst_0 : f32) outs(%8 : tensor<?x16xf32>) -> tensor<?x16xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%7, %arg0 : tensor<?x?xf32>, tensor<?x16xf32>) outs(%9 : tensor<?x16xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %11 = arith.mulf %in, %in_1 : f32
      %12 = arith.addf %out, %11 : f32
      linalg.yield %12 : f32
    } -> tensor<?x16xf32>
    return %10 : tensor<?x16xf32>
  }
}
