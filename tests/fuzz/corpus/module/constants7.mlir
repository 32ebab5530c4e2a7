func.func @f(%x: tensor<3xi32> {model.name = "x", model.shape = ["3"]}) -> (tensor<3xi32> {model.name = "y", model.shape = ["3"]}) attributes {model.entry, model.dimensions = []} {
 %c = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
 %y = linalg.generic {indexing_maps = [affine_map<(d0)->(d0)>, affine_map<(d0)->(d0)>, affine_map<(d0)->(d0)>], iterator_types = ["parallel"]} ins(%x, %c : tensor<3xi32>, tensor<3xi32>) outs(%x : tensor<3xi32>) {
 ^bb0(%a: i32, %b: i32, %o: i32): %s = arith.addi %a, %b : i32 
 linalg.yield %s : i32 } -> tensor<3xi32>
 return %y : tensor<3xi32>
}
