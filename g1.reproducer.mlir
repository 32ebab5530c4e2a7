// attnc failed in phase 'generate' on /tmp/lead/g1.attn, target native
// /tmp/lead/g1.attn:11:13: no emitter takes kernel grad_loops_9; the cpu emitter does not: its formula holds attn.term
#loc1 = loc("/tmp/lead/g1.attn":3:3 to :4)
#loc2 = loc("/tmp/lead/g1.attn":4:3 to :4)
#loc5 = loc("/tmp/lead/g1.attn":10:11 to :13)
#loc7 = loc("/tmp/lead/g1.attn":11:13 to :22)
#loc9 = loc("/tmp/lead/g1.attn":12:5 to :41)
#loc10 = loc("/tmp/lead/g1.attn":5:49 to :54)
#loc11 = loc("/tmp/lead/g1.attn":5:49 to :58)
#loc12 = loc("/tmp/lead/g1.attn":5:44 to :59)
#loc13 = loc("/tmp/lead/g1.attn":5:40 to :59)
#loc14 = loc("/tmp/lead/g1.attn":13:10 to :15)
#loc15 = loc("/tmp/lead/g1.attn":13:5 to :16)
#map = affine_map<(d0, d1) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0, d1) -> (d1)>
#map6 = affine_map<(d0, d1) -> ()>
#map7 = affine_map<() -> ()>
module @g1 attributes {model.hyperparameters = {dim = "24"}} {
  model.parameter @layers.w [3] : tensor<24x24xf32> checkpoint "layers.{0}.w" init <"normal", 0.000000e+00 : f64, 3.000000e-01 : f64> loc(#loc1)
  model.parameter @layers.b [3] : tensor<24xf32> checkpoint "layers.{0}.b" init <"zeros", 0.000000e+00 : f64, 0.000000e+00 : f64> loc(#loc2)
  model.parameter @table : tensor<10x24xf32> checkpoint "table" init <"normal", 0.000000e+00 : f64, 5.000000e-01 : f64> loc(#loc3)
  func.func @loss(%arg0: tensor<?xi32> {model.name = "at", model.shape = ["n"]} loc("/tmp/lead/g1.attn":10:11 to :13)) -> (tensor<f32> {model.name = "loss", model.shape = []}) attributes {model.dimensions = [#model.dimension<"n", -1>], model.entry} {
    %c0 = arith.constant 0 : index loc(#loc6)
    %dim = tensor.dim %arg0, %c0 : tensor<?xi32> loc(#loc6)
    %0 = tensor.empty(%dim) : tensor<?x24xf32> loc(#loc7)
    %1 = model.get @table : tensor<10x24xf32> loc(#loc3)
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<?xi32>) outs(%0 : tensor<?x24xf32>) {
    ^bb0(%in: i32 loc("/tmp/lead/g1.attn":10:11 to :13), %out: f32 loc("/tmp/lead/g1.attn":11:13 to :22)):
      %12 = linalg.index 1 : index loc(#loc7)
      %13 = arith.index_cast %in : i32 to index loc(#loc8)
      %extracted = tensor.extract %1[%13, %12] : tensor<10x24xf32> loc(#loc7)
      linalg.yield %extracted : f32 loc(#loc7)
    } -> tensor<?x24xf32> loc(#loc7)
    %c0_0 = arith.constant 0 : index loc(#loc9)
    %c1 = arith.constant 1 : index loc(#loc9)
    %c3 = arith.constant 3 : index loc(#loc9)
    %3 = scf.for %arg1 = %c0_0 to %c3 step %c1 iter_args(%arg2 = %2) -> (tensor<?x24xf32>) {
      %12 = model.get @layers.w[%arg1] : tensor<24x24xf32> loc(#loc1)
      %cst_1 = arith.constant 0.000000e+00 : f32 loc(#loc10)
      %13 = tensor.empty(%dim) : tensor<?x24xf32> loc(#loc10)
      %14 = linalg.fill ins(%cst_1 : f32) outs(%13 : tensor<?x24xf32>) -> tensor<?x24xf32> loc(#loc10)
      %15 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg2, %12 : tensor<?x24xf32>, tensor<24x24xf32>) outs(%14 : tensor<?x24xf32>) {
      ^bb0(%in: f32 loc("/tmp/lead/g1.attn":11:13 to :22), %in_2: f32 loc("/tmp/lead/g1.attn":3:3 to :4), %out: f32 loc("/tmp/lead/g1.attn":5:49 to :54)):
        %23 = arith.mulf %in, %in_2 : f32 loc(#loc10)
        %24 = arith.addf %out, %23 : f32 loc(#loc10)
        linalg.yield %24 : f32 loc(#loc10)
      } -> tensor<?x24xf32> loc(#loc10)
      %16 = model.get @layers.b[%arg1] : tensor<24xf32> loc(#loc2)
      %17 = tensor.empty(%dim) : tensor<?x24xf32> loc(#loc11)
      %18 = linalg.generic {indexing_maps = [#map1, #map5, #map1], iterator_types = ["parallel", "parallel"]} ins(%15, %16 : tensor<?x24xf32>, tensor<24xf32>) outs(%17 : tensor<?x24xf32>) {
      ^bb0(%in: f32 loc("/tmp/lead/g1.attn":5:49 to :54), %in_2: f32 loc("/tmp/lead/g1.attn":4:3 to :4), %out: f32 loc("/tmp/lead/g1.attn":5:49 to :58)):
        %23 = arith.addf %in, %in_2 : f32 loc(#loc11)
        linalg.yield %23 : f32 loc(#loc11)
      } -> tensor<?x24xf32> loc(#loc11)
      %19 = tensor.empty(%dim) : tensor<?x24xf32> loc(#loc12)
      %20 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<?x24xf32>) outs(%19 : tensor<?x24xf32>) {
      ^bb0(%in: f32 loc("/tmp/lead/g1.attn":5:49 to :58), %out: f32 loc("/tmp/lead/g1.attn":5:44 to :59)):
        %23 = math.tanh %in : f32 loc(#loc12)
        linalg.yield %23 : f32 loc(#loc12)
      } -> tensor<?x24xf32> loc(#loc12)
      %21 = tensor.empty(%dim) : tensor<?x24xf32> loc(#loc13)
      %22 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2, %20 : tensor<?x24xf32>, tensor<?x24xf32>) outs(%21 : tensor<?x24xf32>) {
      ^bb0(%in: f32 loc("/tmp/lead/g1.attn":11:13 to :22), %in_2: f32 loc("/tmp/lead/g1.attn":5:44 to :59), %out: f32 loc("/tmp/lead/g1.attn":5:40 to :59)):
        %23 = arith.addf %in, %in_2 : f32 loc(#loc13)
        linalg.yield %23 : f32 loc(#loc13)
      } -> tensor<?x24xf32> loc(#loc13)
      scf.yield %22 : tensor<?x24xf32> loc(#loc9)
    } loc(#loc9)
    %4 = tensor.empty(%dim) : tensor<?x24xf32> loc(#loc14)
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %3 : tensor<?x24xf32>, tensor<?x24xf32>) outs(%4 : tensor<?x24xf32>) {
    ^bb0(%in: f32 loc("/tmp/lead/g1.attn":12:5 to :41), %in_1: f32 loc("/tmp/lead/g1.attn":12:5 to :41), %out: f32 loc("/tmp/lead/g1.attn":13:10 to :15)):
      %12 = arith.mulf %in, %in_1 : f32 loc(#loc14)
      linalg.yield %12 : f32 loc(#loc14)
    } -> tensor<?x24xf32> loc(#loc14)
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc15)
    %6 = tensor.empty() : tensor<f32> loc(#loc15)
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<f32>) -> tensor<f32> loc(#loc15)
    %8 = linalg.generic {indexing_maps = [#map1, #map6], iterator_types = ["reduction", "reduction"]} ins(%5 : tensor<?x24xf32>) outs(%7 : tensor<f32>) {
    ^bb0(%in: f32 loc("/tmp/lead/g1.attn":13:10 to :15), %out: f32 loc("/tmp/lead/g1.attn":13:5 to :16)):
      %12 = arith.addf %out, %in : f32 loc(#loc15)
      linalg.yield %12 : f32 loc(#loc15)
    } -> tensor<f32> loc(#loc15)
    %c24 = arith.constant 24 : index loc(#loc15)
    %9 = arith.muli %c24, %dim : index loc(#loc15)
    %10 = tensor.empty() : tensor<f32> loc(#loc15)
    %11 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = []} ins(%8 : tensor<f32>) outs(%10 : tensor<f32>) {
    ^bb0(%in: f32 loc("/tmp/lead/g1.attn":13:5 to :16), %out: f32 loc("/tmp/lead/g1.attn":13:5 to :16)):
      %12 = arith.index_cast %9 : index to i32 loc(#loc15)
      %13 = arith.sitofp %12 : i32 to f32 loc(#loc15)
      %14 = arith.divf %in, %13 : f32 loc(#loc15)
      linalg.yield %14 : f32 loc(#loc15)
    } -> tensor<f32> loc(#loc15)
    return %11 : tensor<f32> loc(#loc4)
  } loc(#loc4)
  func.func @grad(%arg0: tensor<?xi32> {model.name = "at", model.shape = ["n"]} loc("/tmp/lead/g1.attn":10:11 to :13)) -> (tensor<f32> {model.name = "grad", model.shape = []}) attributes {model.dimensions = [#model.dimension<"n", -1>], model.entry, model.gradient} {
    %c0 = arith.constant 0 : index loc(#loc6)
    %dim = tensor.dim %arg0, %c0 : tensor<?xi32> loc(#loc6)
    %0 = tensor.empty(%dim) : tensor<?x24xf32> loc(#loc7)
    %1 = model.get @table : tensor<10x24xf32> loc(#loc3)
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<?xi32>) outs(%0 : tensor<?x24xf32>) {
    ^bb0(%in: i32 loc("/tmp/lead/g1.attn":10:11 to :13), %out: f32 loc("/tmp/lead/g1.attn":11:13 to :22)):
      %12 = linalg.index 1 : index loc(#loc7)
      %13 = arith.index_cast %in : i32 to index loc(#loc8)
      %extracted = tensor.extract %1[%13, %12] : tensor<10x24xf32> loc(#loc7)
      linalg.yield %extracted : f32 loc(#loc7)
    } -> tensor<?x24xf32> loc(#loc7)
    %c0_0 = arith.constant 0 : index loc(#loc9)
    %c1 = arith.constant 1 : index loc(#loc9)
    %c3 = arith.constant 3 : index loc(#loc9)
    %3 = scf.for %arg1 = %c0_0 to %c3 step %c1 iter_args(%arg2 = %2) -> (tensor<?x24xf32>) {
      %12 = model.get @layers.w[%arg1] : tensor<24x24xf32> loc(#loc1)
      %cst_1 = arith.constant 0.000000e+00 : f32 loc(#loc10)
      %13 = tensor.empty(%dim) : tensor<?x24xf32> loc(#loc10)
      %14 = linalg.fill ins(%cst_1 : f32) outs(%13 : tensor<?x24xf32>) -> tensor<?x24xf32> loc(#loc10)
      %15 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg2, %12 : tensor<?x24xf32>, tensor<24x24xf32>) outs(%14 : tensor<?x24xf32>) {
      ^bb0(%in: f32 loc("/tmp/lead/g1.attn":11:13 to :22), %in_2: f32 loc("/tmp/lead/g1.attn":3:3 to :4), %out: f32 loc("/tmp/lead/g1.attn":5:49 to :54)):
        %23 = arith.mulf %in, %in_2 : f32 loc(#loc10)
        %24 = arith.addf %out, %23 : f32 loc(#loc10)
        linalg.yield %24 : f32 loc(#loc10)
      } -> tensor<?x24xf32> loc(#loc10)
      %16 = model.get @layers.b[%arg1] : tensor<24xf32> loc(#loc2)
      %17 = tensor.empty(%dim) : tensor<?x24xf32> loc(#loc11)
      %18 = linalg.generic {indexing_maps = [#map1, #map5, #map1], iterator_types = ["parallel", "parallel"]} ins(%15, %16 : tensor<?x24xf32>, tensor<24xf32>) outs(%17 : tensor<?x24xf32>) {
      ^bb0(%in: f32 loc("/tmp/lead/g1.attn":5:49 to :54), %in_2: f32 loc("/tmp/lead/g1.attn":4:3 to :4), %out: f32 loc("/tmp/lead/g1.attn":5:49 to :58)):
        %23 = arith.addf %in, %in_2 : f32 loc(#loc11)
        linalg.yield %23 : f32 loc(#loc11)
      } -> tensor<?x24xf32> loc(#loc11)
      %19 = tensor.empty(%dim) : tensor<?x24xf32> loc(#loc12)
      %20 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<?x24xf32>) outs(%19 : tensor<?x24xf32>) {
      ^bb0(%in: f32 loc("/tmp/lead/g1.attn":5:49 to :58), %out: f32 loc("/tmp/lead/g1.attn":5:44 to :59)):
        %23 = math.tanh %in : f32 loc(#loc12)
        linalg.yield %23 : f32 loc(#loc12)
      } -> tensor<?x24xf32> loc(#loc12)
      %21 = tensor.empty(%dim) : tensor<?x24xf32> loc(#loc13)
      %22 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2, %20 : tensor<?x24xf32>, tensor<?x24xf32>) outs(%21 : tensor<?x24xf32>) {
      ^bb0(%in: f32 loc("/tmp/lead/g1.attn":11:13 to :22), %in_2: f32 loc("/tmp/lead/g1.attn":5:44 to :59), %out: f32 loc("/tmp/lead/g1.attn":5:40 to :59)):
        %23 = arith.addf %in, %in_2 : f32 loc(#loc13)
        linalg.yield %23 : f32 loc(#loc13)
      } -> tensor<?x24xf32> loc(#loc13)
      scf.yield %22 : tensor<?x24xf32> loc(#loc9)
    } loc(#loc9)
    %4 = tensor.empty(%dim) : tensor<?x24xf32> loc(#loc14)
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %3 : tensor<?x24xf32>, tensor<?x24xf32>) outs(%4 : tensor<?x24xf32>) {
    ^bb0(%in: f32 loc("/tmp/lead/g1.attn":12:5 to :41), %in_1: f32 loc("/tmp/lead/g1.attn":12:5 to :41), %out: f32 loc("/tmp/lead/g1.attn":13:10 to :15)):
      %12 = arith.mulf %in, %in_1 : f32 loc(#loc14)
      linalg.yield %12 : f32 loc(#loc14)
    } -> tensor<?x24xf32> loc(#loc14)
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc15)
    %6 = tensor.empty() : tensor<f32> loc(#loc15)
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<f32>) -> tensor<f32> loc(#loc15)
    %8 = linalg.generic {indexing_maps = [#map1, #map6], iterator_types = ["reduction", "reduction"]} ins(%5 : tensor<?x24xf32>) outs(%7 : tensor<f32>) {
    ^bb0(%in: f32 loc("/tmp/lead/g1.attn":13:10 to :15), %out: f32 loc("/tmp/lead/g1.attn":13:5 to :16)):
      %12 = arith.addf %out, %in : f32 loc(#loc15)
      linalg.yield %12 : f32 loc(#loc15)
    } -> tensor<f32> loc(#loc15)
    %c24 = arith.constant 24 : index loc(#loc15)
    %9 = arith.muli %c24, %dim : index loc(#loc15)
    %10 = tensor.empty() : tensor<f32> loc(#loc15)
    %11 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = []} ins(%8 : tensor<f32>) outs(%10 : tensor<f32>) {
    ^bb0(%in: f32 loc("/tmp/lead/g1.attn":13:5 to :16), %out: f32 loc("/tmp/lead/g1.attn":13:5 to :16)):
      %12 = arith.index_cast %9 : index to i32 loc(#loc15)
      %13 = arith.sitofp %12 : i32 to f32 loc(#loc15)
      %14 = arith.divf %in, %13 : f32 loc(#loc15)
      linalg.yield %14 : f32 loc(#loc15)
    } -> tensor<f32> loc(#loc15)
    return %11 : tensor<f32> loc(#loc16)
  } loc(#loc16)
} loc(#loc)
#loc = loc(unknown)
#loc3 = loc("/tmp/lead/g1.attn":9:3 to :8)
#loc4 = loc("/tmp/lead/g1.attn":16:8 to :12)
#loc6 = loc("/tmp/lead/g1.attn":10:19 to :20)
#loc8 = loc("/tmp/lead/g1.attn":11:19 to :21)
#loc16 = loc("/tmp/lead/g1.attn":17:8 to :12)
