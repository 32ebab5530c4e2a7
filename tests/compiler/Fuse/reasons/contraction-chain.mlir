// Two contractions in a row.
// EXPECT f
// EXPECT   kernel f_gemm_0 (gemm) from -:20:8, -:29:8
// EXPECT   left     f_gemm_0 -> f_gemm_0 [contraction-chain]
// EXPECT            a contraction sums over whole rows of its operand, which another contraction computes in tiles; materialises 64*n bytes
// EXPECT            to change it: write the two as one sum, or multiply their two constant factors in advance
// EXPECT weights
// EXPECT   made     @w -> f_gemm_0 [weight-packed]
// EXPECT            only contractions read the weight, so only its packed copy is stored; packed it takes 1024 bytes
model.parameter @w : tensor<16x16xf32> checkpoint "w" init <"zeros", 0.0, 0.0>
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]})
    -> (tensor<?x16xf32> {model.name = "r0", model.shape = ["n", "16"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
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
  %feq = tensor.empty(%n) : tensor<?x16xf32>
  %fq = linalg.fill ins(%zero : f32) outs(%feq : tensor<?x16xf32>) -> tensor<?x16xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, n, k) -> (i, k)>, affine_map<(i, n, k) -> (k, n)>, affine_map<(i, n, k) -> (i, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %w : tensor<?x16xf32>, tensor<16x16xf32>) outs(%fq : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  return %q : tensor<?x16xf32>
}
