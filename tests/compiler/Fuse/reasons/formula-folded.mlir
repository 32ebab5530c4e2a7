// A bias of all pairs, which is a tensor of its own, is computed inside the score.
// EXPECT f
// EXPECT   kernel f_attend_0 (attend) from -:23:8
// EXPECT   made     -:13:11 -> -:23:8 [formula-folded]
// EXPECT            each element is computed once, inside the formula that reads it; saves 4*n*n bytes
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]})
    -> (tensor<?x16xf32> {model.name = "r0", model.shape = ["n", "16"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %be = tensor.empty(%n, %n) : tensor<?x?xf32>
  %bias = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%be : tensor<?x?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %j, %i : index
    %w = arith.index_cast %d : index to i32
    %r = arith.sitofp %w : i32 to f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %y = attn.attend softmax outer(%n) keys(%n) values(%c16) yields [value]
    score(%i, %j) {
      %s = attn.reduce add (%d) in (%c16) {
        %qe = tensor.extract %x[%i, %d] : tensor<?x16xf32>
        %ke = tensor.extract %x[%j, %d] : tensor<?x16xf32>
        %m = arith.mulf %qe, %ke : f32
        attn.yield %m : f32
      } : f32
      %be0 = tensor.extract %bias[%i, %j] : tensor<?x?xf32>
      %sb = arith.addf %s, %be0 : f32
      attn.yield %sb : f32
    }
    value(%i, %j, %d) {
      %ve = tensor.extract %x[%j, %d] : tensor<?x16xf32>
      attn.yield %ve : f32
    } : tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
