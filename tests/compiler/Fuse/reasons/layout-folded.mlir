// Attention writes its result transposed.
// EXPECT f
// EXPECT   kernel f_attend_0 (attend) from -:12:8
// EXPECT   made     -:12:8 -> -:27:8 [layout-folded]
// EXPECT            the result is written in the order in which the next op reads it; saves 64*n bytes
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]})
    -> (tensor<16x?xf32> {model.name = "r0", model.shape = ["16", "n"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
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
  %te = tensor.empty(%n) : tensor<16x?xf32>
  %t = linalg.transpose ins(%y : tensor<?x16xf32>) outs(%te : tensor<16x?xf32>) permutation = [1, 0]
  return %t : tensor<16x?xf32>
}
