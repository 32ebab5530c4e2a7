// The gradient of a Gaussian kernel by its centres.
// EXPECT f
// EXPECT   kernel f_attend_gradient_0 (attend_gradient) from -:16:8
// EXPECT   left     -:16:8 [pair-by-pair]
// EXPECT            the gradient does not consist of dot products and rows of values, so it is computed pair by pair, which takes several times as long
// EXPECT            to change it: write the score as a dot product of rows, or as an additive score: sum of v * tanh(q + k)
func.func @f(%x: tensor<?x8xf32> {model.name = "x", model.shape = ["n", "8"]},
             %y: tensor<?x8xf32> {model.name = "y", model.shape = ["n", "8"]},
             %lse: tensor<?xf32> {model.name = "lse", model.shape = ["n"]},
             %dy: tensor<?x8xf32> {model.name = "dy", model.shape = ["n", "8"]})
    -> (tensor<?x8xf32> {model.name = "r0", model.shape = ["n", "8"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %r = attn.attend_gradient softmax outer(%n) keys(%n) values(%c8) yields [value]
      cotangents(%dy : tensor<?x8xf32>) saved(%y, %lse : tensor<?x8xf32>, tensor<?xf32>) of(%x : tensor<?x8xf32>)
    score(%i, %j) {
      %s = attn.reduce add (%d) in (%c8) {
        %a = tensor.extract %x[%i, %d] : tensor<?x8xf32>
        %b = tensor.extract %x[%j, %d] : tensor<?x8xf32>
        %m = arith.subf %a, %b : f32
        %q = arith.mulf %m, %m : f32
        attn.yield %q : f32
      } : f32
      %t = arith.negf %s : f32
      attn.yield %t : f32
    }
    value(%i, %j, %d) {
      %v = tensor.extract %x[%j, %d] : tensor<?x8xf32>
      attn.yield %v : f32
    }
  return %r : tensor<?x8xf32>
}
