func.func @f(%x: tensor<4x3xf32> {model.name = "x", model.shape = ["4", "3"]}) -> (tensor<3x4xf32> {model.shape = ["3", "4"]})
    attributes {model.entry, model.dimensions = []} {
  %0 = tensor.empty() : tensor<3x4xf32>
  %1 = linalg.transpose ins(%x : tensor<4x3xf32>) outs(%0 : tensor<3x4xf32>) permutation = x
  return %1 : tensor<3x4xf32>
}
