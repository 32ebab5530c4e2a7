#same = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<6xf32> {model.name = "x", model.shape = ["6"]}) -> (tensor<6xf32> {model.name = "y", model.shape = ["6"]})
    attributes {model.entry, model.dimensions = []} {
  %zero = arith.constant 0 : index
  %number = arith.constant 2.0 : f32
  %empty = tensor.empty() : tensor<6xf32>
  %four = tensor.extract_slice %x[0] [4] [1] : tensor<6xf32> to tensor<4xf32>
  %made = OP
  %y = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel"]}
      ins(%x, %made : tensor<6xf32>, tensor<6xf32>) outs(%empty : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}
