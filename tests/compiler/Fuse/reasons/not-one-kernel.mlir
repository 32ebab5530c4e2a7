// The rows of the result are its innermost dimension; in the matrix, the summed dimension separates them.
// EXPECT f
// EXPECT   kernel f_loops_0 (loops) from -:21:8
// EXPECT   kernel f_loops_1 (loops) from -:28:8
// EXPECT   left     -:21:8 [not-one-kernel]
// EXPECT            no emitter supports these operations as one kernel, so each becomes a separate kernel
// EXPECT            to change it: split it into computations of one kind each: on rows, a sum, or a formula of elements
// EXPECT   left     f_loops_0 -> f_loops_1 [reduced-first]
// EXPECT            the value is complete only when the reduction has ended; materialises 36*n bytes
// EXPECT            to change it: not possible, because the first use needs the complete value
func.func @f(%x: tensor<?x16x9xf32> {model.name = "x", model.shape = ["n", "16", "9"]},
    %w: tensor<16x1xf32> {model.name = "w", model.shape = ["16", "1"]})
    -> (tensor<?x9x1xf32> {model.name = "r0", model.shape = ["n", "9", "1"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16x9xf32>
  %ye = tensor.empty(%n) : tensor<?x9x1xf32>
  %yf = linalg.fill ins(%zero : f32) outs(%ye : tensor<?x9x1xf32>) -> tensor<?x9x1xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, n, k) -> (i, k, j)>, affine_map<(i, j, n, k) -> (k, n)>, affine_map<(i, j, n, k) -> (i, j, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x16x9xf32>, tensor<16x1xf32>) outs(%yf : tensor<?x9x1xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x9x1xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j, n) -> (i, j, n)>, affine_map<(i, j, n) -> (i, j, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<?x9x1xf32>) outs(%ye : tensor<?x9x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %m = arith.addf %a0, %one : f32
    linalg.yield %m : f32
  } -> tensor<?x9x1xf32>
  return %z : tensor<?x9x1xf32>
}
