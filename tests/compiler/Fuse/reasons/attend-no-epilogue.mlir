// Attention, then a pointwise op.
// EXPECT f
// EXPECT   kernel f_attend_0 (attend) from -:15:8
// EXPECT   kernel f_loops_0 (loops) from -:29:8
// EXPECT   left     f_attend_0 -> f_loops_0 [attend-no-epilogue]
// EXPECT            an attention kernel has no epilogue; materialises 64*n bytes
// EXPECT            to change it: if it is linear in the values, write it in the formula of the value
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]})
    -> (tensor<?x16xf32> {model.name = "r0", model.shape = ["n", "16"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
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
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = math.tanh %a0 : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
