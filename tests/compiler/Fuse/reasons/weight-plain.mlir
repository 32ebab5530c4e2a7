// A single row against the rows of a weight.
// EXPECT f
// EXPECT   kernel f_gemm_0 (gemm) from -:19:8
// EXPECT weights
// EXPECT   left     @w -> f_gemm_0 [weight-plain]
// EXPECT            the contraction reads the weight unpacked: it has few rows, a size is unknown at compile time, or a training step updates the weight
// EXPECT            to change it: use a weight with constant sizes, multiply it with more rows, or compile entry points for inference alone
model.parameter @w : tensor<16x16xf32> checkpoint "w" init <"zeros", 0.0, 0.0>
func.func @f(%x: tensor<?x16xf32> {model.name = "x", model.shape = ["n", "16"]},
    %z: tensor<1x16xf32> {model.name = "z", model.shape = ["1", "16"]})
    -> (tensor<1x16xf32> {model.name = "r0", model.shape = ["1", "16"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %w = model.get @w : tensor<16x16xf32>
  %ye = tensor.empty() : tensor<1x16xf32>
  %yf = linalg.fill ins(%zero : f32) outs(%ye : tensor<1x16xf32>) -> tensor<1x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, n, k) -> (i, k)>, affine_map<(i, n, k) -> (n, k)>, affine_map<(i, n, k) -> (i, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%z, %w : tensor<1x16xf32>, tensor<16x16xf32>) outs(%yf : tensor<1x16xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x16xf32>
  return %y : tensor<1x16xf32>
}
