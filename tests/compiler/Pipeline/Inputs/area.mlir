// An entry point with a size that overflows the table of a model.
func.func @f(%x: tensor<?xf32> {model.name = "x", model.shape = ["max(n, 4)"]}) -> (tensor<?xf32> {model.shape = ["max(n, 4)"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  return %x : tensor<?xf32>
}
