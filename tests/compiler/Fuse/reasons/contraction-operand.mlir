// The operand of a contraction is computed once.
// EXPECT f
// EXPECT   kernel f_loops_0 (loops) from -:20:8
// EXPECT   kernel f_gemm_0 (gemm) from -:28:8
// EXPECT   left     f_loops_0 -> f_gemm_0 [contraction-operand]
// EXPECT            a contraction reads each element of its operand once for every tile, so the operand is computed once and stored; materialises 64*n bytes
// EXPECT            to change it: not possible, because a contraction reads its operands from memory
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
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %w = model.get @w : tensor<16x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = math.tanh %a0 : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  %fep = tensor.empty(%n) : tensor<?x16xf32>
  %fp = linalg.fill ins(%zero : f32) outs(%fep : tensor<?x16xf32>) -> tensor<?x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, n, k) -> (i, k)>, affine_map<(i, n, k) -> (k, n)>, affine_map<(i, n, k) -> (i, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %w : tensor<?x16xf32>, tensor<16x16xf32>) outs(%fp : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  return %p : tensor<?x16xf32>
}
