// A sum over part of each row.
// EXPECT f
// EXPECT   kernel f_loops_0 (loops) from -:14:8
// EXPECT   kernel f_rows_0 (rows) from -:17:8
// EXPECT   left     f_loops_0 -> f_rows_0 [slice-operand]
// EXPECT            a slice that is not read by subscript is copied; materialises 64*n bytes
// EXPECT            to change it: read the elements by subscript: x[i + begin] instead of a slice
func.func @f(%x: tensor<?x32xf32> {model.name = "x", model.shape = ["n", "32"]})
    -> (tensor<?xf32> {model.name = "r0", model.shape = ["n"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x32xf32>
  %s = tensor.extract_slice %x[0, 16] [%n, 16] [1, 1] : tensor<?x32xf32> to tensor<?x16xf32>
  %ye = tensor.empty(%n) : tensor<?xf32>
  %yf = linalg.fill ins(%zero : f32) outs(%ye : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%s : tensor<?x16xf32>) outs(%yf : tensor<?xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.addf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
