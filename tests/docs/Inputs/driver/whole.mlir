func.func @f(%x: tensor<3xf32> {model.name = "x", model.shape = ["3"]}) -> (tensor<3xf32> {model.name = "y", model.shape = ["3"]})
    attributes {model.entry, model.dimensions = []} {
  %y = arith.addf %x, %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
