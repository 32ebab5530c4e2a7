func.func @f(%x: tensor<3xf32> {model.name = "x", model.shape = ["3"]}, %r: tensor<3xf32> {model.name = "r", model.shape = ["3"]})
    -> (tensor<3xf32> {model.name = "y", model.shape = ["3"]}) attributes {model.entry, model.dimensions = []} {
  %y = tensor.insert_slice %x into %r[0] [3] [1] : tensor<3xf32> into tensor<3xf32>
  return %y : tensor<3xf32>
}
