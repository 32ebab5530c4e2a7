func.func @f(%x: tensor<16x?xf32> {model.name = "x", model.shape = ["16", "n"]},
             %s: tensor<?xi32> {model.name = "s", model.shape = ["n"]},
             %dy: tensor<?x32xf32> {model.name = "dy", model.shape = ["n", "32"]})
    -> (tensor<4x32x16xf32> {model.name = "dw", model.shape = ["4", "32", "16"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %s, %c0 : tensor<?xi32>
  %e = tensor.empty() : tensor<4x32x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %dw = attn.scatter_add (%i, %o, %k) in (%n, %c32, %c16) into(%zeros : tensor<4x32x16xf32>) {
    %number = tensor.extract %s[%i] : tensor<?xi32>
    %at = arith.index_cast %number : i32 to index
    %a = tensor.extract %dy[%i, %o] : tensor<?x32xf32>
    %b = tensor.extract %x[%k, %i] : tensor<16x?xf32>
    %m = arith.mulf %a, %b : f32
    attn.term %m at[%at, %o, %k] : f32
  }
  return %dw : tensor<4x32x16xf32>
}
