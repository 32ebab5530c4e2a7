// A pointwise result that is read at rows given as data.
// EXPECT f
// EXPECT   kernel f_loops_0 (loops) from -:15:8
// EXPECT   kernel f_loops_1 (loops) from -:21:8
// EXPECT   left     f_loops_0 -> f_loops_1 [read-by-data]
// EXPECT            it is read at subscripts that come from data; materialises 64*n bytes
// EXPECT            to change it: subscript by indices instead of data
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]},
    %rows: tensor<?xi32> {model.name = "rows", model.shape = ["n"]})
    -> (tensor<?x16xf32> {model.name = "r0", model.shape = ["n", "16"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = math.tanh %a0 : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<?xi32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%a0: i32, %o: f32):
    %row = arith.index_cast %a0 : i32 to index
    %j = linalg.index 1 : index
    %r = tensor.extract %y[%row, %j] : tensor<?x16xf32>
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
