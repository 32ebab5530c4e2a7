func.func @f(%x: tensor<3xf32> {model.name = "x", model.shape = ["3"]}) -> (tensor<3xf32> {model.name = "y", model.shape = ["3"]})
    attributes {model.entry, model.dimensions = []} {
  %c = arith.constant dense<2.0> : tensor<3xf32>
  return %c : tensor<3xf32>
}
