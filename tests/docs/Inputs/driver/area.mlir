// An entry point with a size that no table of a model can hold.
func.func @f(%x: tensor<?xf32> {model.name = "x", model.shape = ["n*n"]}) -> (tensor<?xf32> {model.shape = ["n*n"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  return %x : tensor<?xf32>
}
