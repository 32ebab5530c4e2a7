// Control flow that import never makes.
func.func @f(%x: tensor<?xf32> {model.name = "x", model.shape = ["n"]}, %c: tensor<i1> {model.name = "c", model.shape = []})
    -> (tensor<?xf32> {model.name = "y", model.shape = ["n"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    %e = math.exp %x : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
