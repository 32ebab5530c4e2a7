#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func @f(%x: tensor<?x3xf32> {model.name = "x", model.shape = ["n", "3"]}) -> (tensor<?x3xf32> {model.name = "y", model.shape = ["n", "3"]}) attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
%c = arith.constant 2.0 : f32
 %c0 = arith.constant 0 : index
 %n = tensor.dim %x, %c0 : tensor<?x3xf32>
 %e = tensor.empty(%n) : tensor<?x3xf32>
 %y = linalg.fill ins(%c : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
 return %y : tensor<?x3xf32>
}
