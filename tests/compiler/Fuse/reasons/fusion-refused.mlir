// An override refuses the epilogue everywhere, so the bias is added by a kernel of its own.
// EXPECT f
// EXPECT   kernel f_gemm_0 (gemm) from -:25:8
// EXPECT   kernel f_loops_0 (loops) from -:32:8
// EXPECT   left     f_gemm_0 -> f_loops_0 [fusion-refused]
// EXPECT            a strategy refuses this fusion; materialises 64*n bytes
// EXPECT            to change it: remove the override from the strategy
// EXPECT weights
// EXPECT   made     @w -> f_gemm_0 [weight-packed]
// EXPECT            only contractions read the weight, so only its packed copy is stored; packed it takes 1024 bytes
builtin.module attributes {attn.refused = [{fusion = "epilogue-fused"}]} {
model.parameter @w : tensor<16x16xf32> checkpoint "w" init <"zeros", 0.0, 0.0>
model.parameter @b : tensor<16xf32> checkpoint "b" init <"zeros", 0.0, 0.0>
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]})
    -> (tensor<?x16xf32> {model.name = "r0", model.shape = ["n", "16"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %w = model.get @w : tensor<16x16xf32>
  %b = model.get @b : tensor<16xf32>
  %fep = tensor.empty(%n) : tensor<?x16xf32>
  %fp = linalg.fill ins(%zero : f32) outs(%fep : tensor<?x16xf32>) -> tensor<?x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, n, k) -> (i, k)>, affine_map<(i, n, k) -> (k, n)>, affine_map<(i, n, k) -> (i, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x16xf32>, tensor<16x16xf32>) outs(%fp : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<?x16xf32>, tensor<16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.addf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
}
