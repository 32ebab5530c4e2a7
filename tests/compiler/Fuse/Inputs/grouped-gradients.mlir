func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]},
             %s: tensor<?x2xi32> {model.name = "s", model.shape = ["n", "2"]},
             %w: tensor<4x32x16xf32> {model.name = "w", model.shape = ["4", "32", "16"]},
             %dy: tensor<?x2x32xf32> {model.name = "dy", model.shape = ["n", "2", "32"]})
    -> (tensor<?x16xf32> {model.name = "dx", model.shape = ["n", "16"]},
        tensor<4x32x16xf32> {model.name = "dw", model.shape = ["4", "32", "16"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %dx = linalg.generic {indexing_maps = [affine_map<(i, k, r, o) -> (i, r, o)>, affine_map<(i, k, r, o) -> (i, r)>, affine_map<(i, k, r, o) -> (i, k)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%dy, %s : tensor<?x2x32xf32>, tensor<?x2xi32>) outs(%fill : tensor<?x16xf32>) {
  ^bb0(%a: f32, %number: i32, %out: f32):
    %k = linalg.index 1 : index
    %o = linalg.index 3 : index
    %at = arith.index_cast %number : i32 to index
    %b = tensor.extract %w[%at, %o, %k] : tensor<4x32x16xf32>
    %m = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %m : f32
    linalg.yield %sum : f32
  } -> tensor<?x16xf32>
  %we = tensor.empty() : tensor<4x32x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%we : tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %dw = attn.scatter_add (%i, %r, %o, %k) in (%n, %c2, %c32, %c16) into(%zeros : tensor<4x32x16xf32>) {
    %number = tensor.extract %s[%i, %r] : tensor<?x2xi32>
    %at = arith.index_cast %number : i32 to index
    %a = tensor.extract %dy[%i, %r, %o] : tensor<?x2x32xf32>
    %b = tensor.extract %x[%i, %k] : tensor<?x16xf32>
    %m = arith.mulf %a, %b : f32
    attn.term %m at[%at, %o, %k] : f32
  }
  return %dx, %dw : tensor<?x16xf32>, tensor<4x32x16xf32>
}
