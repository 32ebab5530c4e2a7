#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
module @mlp attributes {model.hyperparameters = {dim = "4", layers = "3"}} {
  model.parameter @blocks.weight [3] : tensor<4x4xf32> checkpoint "blocks.{0}.weight" init <"normal", 0.000000e+00 : f64, 2.000000e-02 : f64>
  model.parameter @blocks.bias [3] : tensor<4xf32> checkpoint "blocks.{0}.bias" init <"zeros", 0.000000e+00 : f64, 0.000000e+00 : f64>
  func.func @forward(%arg0: tensor<?x4xf32> {model.name = "x", model.shape = ["rows", "4"]}) -> (tensor<?x4xf32> {model.name = "forward", model.shape = ["rows", "4"]}) attributes {model.dimensions = [#model.dimension<"rows", 512>], model.entry} {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x4xf32>
    %c0_0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %0 = scf.for %arg1 = %c0_0 to %c3 step %c1 iter_args(%arg2 = %arg0) -> (tensor<?x4xf32>) {
      %1 = model.get @blocks.weight[%arg1] : tensor<4x4xf32>
      %2 = tensor.empty() : tensor<4x4xf32>
      %transposed = linalg.transpose ins(%1 : tensor<4x4xf32>) outs(%2 : tensor<4x4xf32>) permutation = [1, 0] 
      %cst = arith.constant 0.000000e+00 : f32
      %3 = tensor.empty(%dim) : tensor<?x4xf32>
      %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<?x4xf32>) -> tensor<?x4xf32>
      %5 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg2, %transposed : tensor<?x4xf32>, tensor<4x4xf32>) outs(%4 : tensor<?x4xf32>) {
      ^bb0(%in: f32, %in_1: f32, %out: f32):
        %11 = arith.mulf %in, %in_1 : f32
        %12 = arith.addf %out, %11 : f32
        linalg.yield %12 : f32
      } -> tensor<?x4xf32>
      %6 = model.get @blocks.bias[%arg1] : tensor<4xf32>
      %7 = tensor.empty(%dim) : tensor<?x4xf32>
      %8 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%5, %6 : tensor<?x4xf32>, tensor<4xf32>) outs(%7 : tensor<?x4xf32>) {
      ^bb0(%in: f32, %in_1: f32, %out: f32):
        %11 = arith.addf %in, %in_1 : f32
        linalg.yield %11 : f32
      } -> tensor<?x4xf32>
      %9 = tensor.empty(%dim) : tensor<?x4xf32>
      %10 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg2, %8 : tensor<?x4xf32>, tensor<?x4xf32>) outs(%9 : tensor<?x4xf32>) {
      ^bb0(%in: f32, %in_1: f32, %out: f32):
        %11 = arith.addf %in, %in_1 : f32
        linalg.yield %11 : f32
      } -> tensor<?x4xf32>
      scf.yield %10 : tensor<?x4xf32>
    }
    return %0 : tensor<?x4xf32>
  }
}
