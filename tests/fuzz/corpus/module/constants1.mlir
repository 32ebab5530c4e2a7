#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func @f(%x: tensor<?x3xf32> {model.name = "x", model.shape = ["n", "3"]}) -> (tensor<?x3xf32> {model.name = "y", model.shape = ["n", "3"]}) attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
%c = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
 %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %c : tensor<?x3xf32>, tensor<3xf32>) outs(%x : tensor<?x3xf32>) {
 ^bb0(%a: f32, %b: f32, %o: f32): %s = arith.addf %a, %b : f32 
 linalg.yield %s : f32 } -> tensor<?x3xf32>
 return %y : tensor<?x3xf32>
}
