// Each iteration reads the result of the previous one.
// EXPECT f
// EXPECT   kernel f_loops_0 (loops) from -:16:8
// EXPECT   left     f_loops_0 -> f_loops_0 [loop-carried]
// EXPECT            one iteration of a loop passes the value to the next; materialises 64*n bytes
// EXPECT            to change it: not possible, because the next iteration reads the value from memory
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]})
    -> (tensor<?x16xf32> {model.name = "r0", model.shape = ["n", "16"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %c3 = arith.constant 3 : index
  %y = scf.for %l = %c0 to %c3 step %c1 iter_args(%z = %x) -> (tensor<?x16xf32>) {
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%z : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = math.tanh %a0 : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  scf.yield %t : tensor<?x16xf32>
  }
  return %y : tensor<?x16xf32>
}
