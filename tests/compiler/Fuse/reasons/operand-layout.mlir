// The matrices of a batch are interleaved, element by element.
// EXPECT f
// EXPECT   kernel f_loops_0 (loops) from -:18:8
// EXPECT   kernel f_gemm_0 (gemm) from -:18:8
// EXPECT   left     f_loops_0 -> f_gemm_0 [operand-layout]
// EXPECT            the contraction reads its operand in another order, so a kernel copies it in that order; materialises 2048 bytes
// EXPECT            to change it: compute the tensor in the order in which the contraction reads it: features last
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]},
    %z: tensor<4x?x16xf32> {model.name = "z", model.shape = ["4", "n", "16"]},
    %u: tensor<16x8x4xf32> {model.name = "u", model.shape = ["16", "8", "4"]})
    -> (tensor<4x?x8xf32> {model.name = "r0", model.shape = ["4", "n", "8"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %ze = tensor.empty(%n) : tensor<4x?x8xf32>
  %zf = linalg.fill ins(%zero : f32) outs(%ze : tensor<4x?x8xf32>) -> tensor<4x?x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, i, n, k) -> (b, i, k)>, affine_map<(b, i, n, k) -> (k, n, b)>, affine_map<(b, i, n, k) -> (b, i, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%z, %u : tensor<4x?x16xf32>, tensor<16x8x4xf32>) outs(%zf : tensor<4x?x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<4x?x8xf32>
  return %y : tensor<4x?x8xf32>
}
