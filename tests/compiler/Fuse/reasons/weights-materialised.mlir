// The weights of attention go to another computation.
// EXPECT f
// EXPECT   kernel f_attend_0 (attend) from -:15:8
// EXPECT   kernel f_loops_0 (loops) from -:26:8
// EXPECT   left     f_attend_0 -> f_loops_0 [weights-materialised]
// EXPECT            another computation reads the attention weights, one for each query-key pair; materialises 4*n*n bytes
// EXPECT            to change it: yield a statistic of the attention weights instead: top, entropy or key_sums
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]})
    -> (tensor<?x?xf32> {model.name = "r0", model.shape = ["n", "n"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %we = tensor.empty(%n, %n) : tensor<?x?xf32>
  %p = attn.attend softmax outer(%n) keys(%n) values() yields [weights]
    score(%i, %j) {
      %s = attn.reduce add (%d) in (%c16) {
        %qe = tensor.extract %x[%i, %d] : tensor<?x16xf32>
        %ke = tensor.extract %x[%j, %d] : tensor<?x16xf32>
        %m = arith.mulf %qe, %ke : f32
        attn.yield %m : f32
      } : f32
      attn.yield %s : f32
    }
 : tensor<?x?xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<?x?xf32>) outs(%we : tensor<?x?xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.addf %a0, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}
