// Attention, then a projection.
// EXPECT f
// EXPECT   kernel f_attend_0 (attend) from -:20:8
// EXPECT   kernel f_gemm_0 (gemm) from -:36:8
// EXPECT   left     f_attend_0 -> f_gemm_0 [attend-result-contracted]
// EXPECT            a contraction sums over whole rows of its operand, which attention computes one head at a time; materialises 64*n bytes
// EXPECT            to change it: not possible, because attention has to finish all heads of a row first
// EXPECT weights
// EXPECT   made     @w -> f_gemm_0 [weight-packed]
// EXPECT            only contractions read the weight, so only its packed copy is stored; packed it takes 1024 bytes
model.parameter @w : tensor<16x16xf32> checkpoint "w" init <"zeros", 0.0, 0.0>
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]})
    -> (tensor<?x16xf32> {model.name = "r0", model.shape = ["n", "16"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %w = model.get @w : tensor<16x16xf32>
  %y = attn.attend softmax outer(%n) keys(%n) values(%c16) yields [value]
    score(%i, %j) {
      %s = attn.reduce add (%d) in (%c16) {
        %qe = tensor.extract %x[%i, %d] : tensor<?x16xf32>
        %ke = tensor.extract %x[%j, %d] : tensor<?x16xf32>
        %m = arith.mulf %qe, %ke : f32
        attn.yield %m : f32
      } : f32
      attn.yield %s : f32
    }
    value(%i, %j, %d) {
      %ve = tensor.extract %x[%j, %d] : tensor<?x16xf32>
      attn.yield %ve : f32
    } : tensor<?x16xf32>
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
