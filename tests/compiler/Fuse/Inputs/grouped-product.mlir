func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]},
             %s: tensor<?xi32> {model.name = "s", model.shape = ["n"]},
             %w: tensor<4x32x16xf32> {model.name = "w", model.shape = ["4", "32", "16"]})
    -> (tensor<?x32xf32> {model.name = "r", model.shape = ["n", "32"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x32xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, o, k) -> (i, k)>, affine_map<(i, o, k) -> (i)>, affine_map<(i, o, k) -> (i, o)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %s : tensor<?x16xf32>, tensor<?xi32>) outs(%fill : tensor<?x32xf32>) {
  ^bb0(%a: f32, %number: i32, %out: f32):
    %o = linalg.index 1 : index
    %k = linalg.index 2 : index
    %at = arith.index_cast %number : i32 to index
    %b = tensor.extract %w[%at, %o, %k] : tensor<4x32x16xf32>
    %m = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %m : f32
    linalg.yield %sum : f32
  } -> tensor<?x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<?x32xf32>) outs(%e : tensor<?x32xf32>) {
  ^bb0(%a: f32, %out: f32):
    %t = math.tanh %a : f32
    linalg.yield %t : f32
  } -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}
