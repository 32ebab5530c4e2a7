// The sum of powers of two, without a derivative.
func.func @loss(%x: tensor<4xf32> {model.name = "x", model.shape = ["4"]})
    -> (tensor<f32> {model.name = "loss", model.shape = []}) attributes {model.entry, model.gradient, model.dimensions = []} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%start : tensor<f32>) {
  ^bb0(%a: f32, %s: f32):
    %power = math.exp2 %a : f32
    %next = arith.addf %s, %power : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}
