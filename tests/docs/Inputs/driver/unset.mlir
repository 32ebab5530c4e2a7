func.func @f(%x: tensor<3xf32> {model.name = "x", model.shape = ["3"]}) -> (tensor<3xf32> {model.name = "y", model.shape = ["3"]})
    attributes {model.entry, model.dimensions = []} {
  %e = tensor.empty() : tensor<3xf32>
  return %e : tensor<3xf32>
}
