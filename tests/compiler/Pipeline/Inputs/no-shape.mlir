func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> attributes {model.entry} {
  return %x : tensor<?xf32>
}
