// Imported IR: two blocks of rotary grouped-query attention and a gated MLP, and a loss.
#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d2)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
#map10 = affine_map<(d0, d1) -> ()>
#map11 = affine_map<() -> ()>
module @llama attributes {model.hyperparameters = {dim = "32", groups = "2", heads = "4", layers = "2", vocab = "64"}} {
  model.parameter @token.table : tensor<64x32xf32> checkpoint "token.weight" init <"normal", 0.000000e+00 : f64, 2.000000e-02 : f64>
  model.parameter @blocks.norm1.gain [2] : tensor<32xf32> checkpoint "blocks.{0}.norm1.weight" init <"ones", 0.000000e+00 : f64, 0.000000e+00 : f64>
  model.parameter @blocks.mix.q.weight [2] : tensor<32x32xf32> checkpoint "blocks.{0}.mix.q.weight" init <"normal", 0.000000e+00 : f64, 2.000000e-02 : f64>
  model.parameter @blocks.mix.k.weight [2] : tensor<16x32xf32> checkpoint "blocks.{0}.mix.k.weight" init <"normal", 0.000000e+00 : f64, 2.000000e-02 : f64>
  model.parameter @blocks.mix.v.weight [2] : tensor<16x32xf32> checkpoint "blocks.{0}.mix.v.weight" init <"normal", 0.000000e+00 : f64, 2.000000e-02 : f64>
  model.parameter @blocks.mix.out.weight [2] : tensor<32x32xf32> checkpoint "blocks.{0}.mix.out.weight" init <"normal", 0.000000e+00 : f64, 2.000000e-02 : f64>
  model.parameter @blocks.norm2.gain [2] : tensor<32xf32> checkpoint "blocks.{0}.norm2.weight" init <"ones", 0.000000e+00 : f64, 0.000000e+00 : f64>
  model.parameter @blocks.mlp.gate.weight [2] : tensor<128x32xf32> checkpoint "blocks.{0}.mlp.gate.weight" init <"normal", 0.000000e+00 : f64, 2.000000e-02 : f64>
  model.parameter @blocks.mlp.up.weight [2] : tensor<128x32xf32> checkpoint "blocks.{0}.mlp.up.weight" init <"normal", 0.000000e+00 : f64, 2.000000e-02 : f64>
  model.parameter @blocks.mlp.down.weight [2] : tensor<32x128xf32> checkpoint "blocks.{0}.mlp.down.weight" init <"normal", 0.000000e+00 : f64, 2.000000e-02 : f64>
  model.parameter @final.gain : tensor<32xf32> checkpoint "final.weight" init <"ones", 0.000000e+00 : f64, 0.000000e+00 : f64>
  func.func @logits(%arg0: tensor<?x?xi32> {model.name = "tokens", model.shape = ["batch", "seq"]}) -> (tensor<?x?x64xf32> {model.name = "logits", model.shape = ["batch", "seq", "64"]}) attributes {model.dimensions = [#model.dimension<"batch", -1>, #model.dimension<"seq", 64>], model.entry} {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x?xi32>
    %c1 = arith.constant 1 : index
    %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?xi32>
    %0 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
    %1 = model.get @token.table : tensor<64x32xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<?x?xi32>) outs(%0 : tensor<?x?x32xf32>) {
    ^bb0(%in: i32, %out: f32):
      %17 = linalg.index 2 : index
      %18 = arith.index_cast %in : i32 to index
      %extracted = tensor.extract %1[%18, %17] : tensor<64x32xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x32xf32>
    %c0_1 = arith.constant 0 : index
    %c1_2 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %3 = scf.for %arg1 = %c0_1 to %c2 step %c1_2 iter_args(%arg2 = %2) -> (tensor<?x?x32xf32>) {
      %cst_4 = arith.constant 0.000000e+00 : f32
      %17 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
      %18 = linalg.fill ins(%cst_4 : f32) outs(%17 : tensor<?x?xf32>) -> tensor<?x?xf32>
      %19 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg2 : tensor<?x?x32xf32>) outs(%18 : tensor<?x?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %105 = arith.mulf %in, %in : f32
        %106 = arith.addf %out, %105 : f32
        linalg.yield %106 : f32
      } -> tensor<?x?xf32>
      %20 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
      %21 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<?x?xf32>) outs(%20 : tensor<?x?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %cst_23 = arith.constant 3.200000e+01 : f32
        %105 = arith.divf %in, %cst_23 : f32
        %cst_24 = arith.constant 9.99999997E-7 : f32
        %106 = arith.addf %105, %cst_24 : f32
        %107 = math.rsqrt %106 : f32
        linalg.yield %107 : f32
      } -> tensor<?x?xf32>
      %22 = model.get @blocks.norm1.gain[%arg1] : tensor<32xf32>
      %23 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
      %24 = linalg.generic {indexing_maps = [#map1, #map, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2, %21, %22 : tensor<?x?x32xf32>, tensor<?x?xf32>, tensor<32xf32>) outs(%23 : tensor<?x?x32xf32>) {
      ^bb0(%in: f32, %in_23: f32, %in_24: f32, %out: f32):
        %105 = arith.mulf %in, %in_23 : f32
        %106 = arith.mulf %105, %in_24 : f32
        linalg.yield %106 : f32
      } -> tensor<?x?x32xf32>
      %25 = model.get @blocks.mix.q.weight[%arg1] : tensor<32x32xf32>
      %26 = tensor.empty() : tensor<32x32xf32>
      %transposed_5 = linalg.transpose ins(%25 : tensor<32x32xf32>) outs(%26 : tensor<32x32xf32>) permutation = [1, 0] 
      %cst_6 = arith.constant 0.000000e+00 : f32
      %27 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
      %28 = linalg.fill ins(%cst_6 : f32) outs(%27 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
      %29 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%24, %transposed_5 : tensor<?x?x32xf32>, tensor<32x32xf32>) outs(%28 : tensor<?x?x32xf32>) {
      ^bb0(%in: f32, %in_23: f32, %out: f32):
        %105 = arith.mulf %in, %in_23 : f32
        %106 = arith.addf %out, %105 : f32
        linalg.yield %106 : f32
      } -> tensor<?x?x32xf32>
      %expanded = tensor.expand_shape %29 [[0], [1], [2, 3, 4]] output_shape [%dim, %dim_0, 1, 4, 8] : tensor<?x?x32xf32> into tensor<?x?x1x4x8xf32>
      %30 = tensor.empty(%dim, %dim_0) : tensor<?x4x?x8xf32>
      %31 = linalg.generic {indexing_maps = [#map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%30 : tensor<?x4x?x8xf32>) {
      ^bb0(%out: f32):
        %105 = linalg.index 0 : index
        %106 = linalg.index 1 : index
        %107 = linalg.index 2 : index
        %108 = linalg.index 3 : index
        %c0_23 = arith.constant 0 : index
        %extracted = tensor.extract %expanded[%105, %107, %c0_23, %106, %108] : tensor<?x?x1x4x8xf32>
        linalg.yield %extracted : f32
      } -> tensor<?x4x?x8xf32>
      %32 = model.get @blocks.mix.k.weight[%arg1] : tensor<16x32xf32>
      %33 = tensor.empty() : tensor<32x16xf32>
      %transposed_7 = linalg.transpose ins(%32 : tensor<16x32xf32>) outs(%33 : tensor<32x16xf32>) permutation = [1, 0] 
      %cst_8 = arith.constant 0.000000e+00 : f32
      %34 = tensor.empty(%dim, %dim_0) : tensor<?x?x16xf32>
      %35 = linalg.fill ins(%cst_8 : f32) outs(%34 : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      %36 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%24, %transposed_7 : tensor<?x?x32xf32>, tensor<32x16xf32>) outs(%35 : tensor<?x?x16xf32>) {
      ^bb0(%in: f32, %in_23: f32, %out: f32):
        %105 = arith.mulf %in, %in_23 : f32
        %106 = arith.addf %out, %105 : f32
        linalg.yield %106 : f32
      } -> tensor<?x?x16xf32>
      %expanded_9 = tensor.expand_shape %36 [[0], [1], [2, 3, 4]] output_shape [%dim, %dim_0, 1, 2, 8] : tensor<?x?x16xf32> into tensor<?x?x1x2x8xf32>
      %37 = tensor.empty(%dim, %dim_0) : tensor<?x2x?x8xf32>
      %38 = linalg.generic {indexing_maps = [#map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%37 : tensor<?x2x?x8xf32>) {
      ^bb0(%out: f32):
        %105 = linalg.index 0 : index
        %106 = linalg.index 1 : index
        %107 = linalg.index 2 : index
        %108 = linalg.index 3 : index
        %c0_23 = arith.constant 0 : index
        %extracted = tensor.extract %expanded_9[%105, %107, %c0_23, %106, %108] : tensor<?x?x1x2x8xf32>
        linalg.yield %extracted : f32
      } -> tensor<?x2x?x8xf32>
      %39 = model.get @blocks.mix.v.weight[%arg1] : tensor<16x32xf32>
      %40 = tensor.empty() : tensor<32x16xf32>
      %transposed_10 = linalg.transpose ins(%39 : tensor<16x32xf32>) outs(%40 : tensor<32x16xf32>) permutation = [1, 0] 
      %cst_11 = arith.constant 0.000000e+00 : f32
      %41 = tensor.empty(%dim, %dim_0) : tensor<?x?x16xf32>
      %42 = linalg.fill ins(%cst_11 : f32) outs(%41 : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      %43 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%24, %transposed_10 : tensor<?x?x32xf32>, tensor<32x16xf32>) outs(%42 : tensor<?x?x16xf32>) {
      ^bb0(%in: f32, %in_23: f32, %out: f32):
        %105 = arith.mulf %in, %in_23 : f32
        %106 = arith.addf %out, %105 : f32
        linalg.yield %106 : f32
      } -> tensor<?x?x16xf32>
      %expanded_12 = tensor.expand_shape %43 [[0], [1], [2, 3, 4]] output_shape [%dim, %dim_0, 1, 2, 8] : tensor<?x?x16xf32> into tensor<?x?x1x2x8xf32>
      %44 = tensor.empty(%dim, %dim_0) : tensor<?x2x?x8xf32>
      %45 = linalg.generic {indexing_maps = [#map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%44 : tensor<?x2x?x8xf32>) {
      ^bb0(%out: f32):
        %105 = linalg.index 0 : index
        %106 = linalg.index 1 : index
        %107 = linalg.index 2 : index
        %108 = linalg.index 3 : index
        %c0_23 = arith.constant 0 : index
        %extracted = tensor.extract %expanded_12[%105, %107, %c0_23, %106, %108] : tensor<?x?x1x2x8xf32>
        linalg.yield %extracted : f32
      } -> tensor<?x2x?x8xf32>
      %46 = tensor.empty(%dim_0) : tensor<?x4xf32>
      %47 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel", "parallel"]} outs(%46 : tensor<?x4xf32>) {
      ^bb0(%out: f32):
        %105 = linalg.index 0 : index
        %106 = linalg.index 1 : index
        %107 = arith.index_cast %105 : index to i32
        %108 = arith.sitofp %107 : i32 to f32
        %cst_23 = arith.constant 1.000000e+04 : f32
        %cst_24 = arith.constant -2.000000e+00 : f32
        %109 = arith.index_cast %106 : index to i32
        %110 = arith.sitofp %109 : i32 to f32
        %111 = arith.mulf %cst_24, %110 : f32
        %cst_25 = arith.constant 8.000000e+00 : f32
        %112 = arith.divf %111, %cst_25 : f32
        %113 = math.powf %cst_23, %112 : f32
        %114 = arith.mulf %108, %113 : f32
        linalg.yield %114 : f32
      } -> tensor<?x4xf32>
      %48 = tensor.empty(%dim, %dim_0) : tensor<?x4x?x4xf32>
      %49 = linalg.generic {indexing_maps = [#map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%47 : tensor<?x4xf32>) outs(%48 : tensor<?x4x?x4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %105 = linalg.index 0 : index
        %106 = linalg.index 1 : index
        %107 = linalg.index 2 : index
        %108 = linalg.index 3 : index
        %extracted = tensor.extract %31[%105, %106, %107, %108] : tensor<?x4x?x8xf32>
        %109 = math.cos %in : f32
        %110 = arith.mulf %extracted, %109 : f32
        %c4_23 = arith.constant 4 : index
        %111 = arith.addi %108, %c4_23 : index
        %extracted_24 = tensor.extract %31[%105, %106, %107, %111] : tensor<?x4x?x8xf32>
        %112 = math.sin %in : f32
        %113 = arith.mulf %extracted_24, %112 : f32
        %114 = arith.subf %110, %113 : f32
        linalg.yield %114 : f32
      } -> tensor<?x4x?x4xf32>
      %50 = tensor.empty(%dim, %dim_0) : tensor<?x4x?x4xf32>
      %51 = linalg.generic {indexing_maps = [#map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%47 : tensor<?x4xf32>) outs(%50 : tensor<?x4x?x4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %105 = linalg.index 0 : index
        %106 = linalg.index 1 : index
        %107 = linalg.index 2 : index
        %108 = linalg.index 3 : index
        %c4_23 = arith.constant 4 : index
        %109 = arith.addi %108, %c4_23 : index
        %extracted = tensor.extract %31[%105, %106, %107, %109] : tensor<?x4x?x8xf32>
        %110 = math.cos %in : f32
        %111 = arith.mulf %extracted, %110 : f32
        %extracted_24 = tensor.extract %31[%105, %106, %107, %108] : tensor<?x4x?x8xf32>
        %112 = math.sin %in : f32
        %113 = arith.mulf %extracted_24, %112 : f32
        %114 = arith.addf %111, %113 : f32
        linalg.yield %114 : f32
      } -> tensor<?x4x?x4xf32>
      %concat = tensor.concat dim(3) %49, %51 : (tensor<?x4x?x4xf32>, tensor<?x4x?x4xf32>) -> tensor<?x4x?x8xf32>
      %52 = tensor.empty(%dim_0) : tensor<?x4xf32>
      %53 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel", "parallel"]} outs(%52 : tensor<?x4xf32>) {
      ^bb0(%out: f32):
        %105 = linalg.index 0 : index
        %106 = linalg.index 1 : index
        %107 = arith.index_cast %105 : index to i32
        %108 = arith.sitofp %107 : i32 to f32
        %cst_23 = arith.constant 1.000000e+04 : f32
        %cst_24 = arith.constant -2.000000e+00 : f32
        %109 = arith.index_cast %106 : index to i32
        %110 = arith.sitofp %109 : i32 to f32
        %111 = arith.mulf %cst_24, %110 : f32
        %cst_25 = arith.constant 8.000000e+00 : f32
        %112 = arith.divf %111, %cst_25 : f32
        %113 = math.powf %cst_23, %112 : f32
        %114 = arith.mulf %108, %113 : f32
        linalg.yield %114 : f32
      } -> tensor<?x4xf32>
      %54 = tensor.empty(%dim, %dim_0) : tensor<?x2x?x4xf32>
      %55 = linalg.generic {indexing_maps = [#map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%53 : tensor<?x4xf32>) outs(%54 : tensor<?x2x?x4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %105 = linalg.index 0 : index
        %106 = linalg.index 1 : index
        %107 = linalg.index 2 : index
        %108 = linalg.index 3 : index
        %extracted = tensor.extract %38[%105, %106, %107, %108] : tensor<?x2x?x8xf32>
        %109 = math.cos %in : f32
        %110 = arith.mulf %extracted, %109 : f32
        %c4_23 = arith.constant 4 : index
        %111 = arith.addi %108, %c4_23 : index
        %extracted_24 = tensor.extract %38[%105, %106, %107, %111] : tensor<?x2x?x8xf32>
        %112 = math.sin %in : f32
        %113 = arith.mulf %extracted_24, %112 : f32
        %114 = arith.subf %110, %113 : f32
        linalg.yield %114 : f32
      } -> tensor<?x2x?x4xf32>
      %56 = tensor.empty(%dim, %dim_0) : tensor<?x2x?x4xf32>
      %57 = linalg.generic {indexing_maps = [#map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%53 : tensor<?x4xf32>) outs(%56 : tensor<?x2x?x4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %105 = linalg.index 0 : index
        %106 = linalg.index 1 : index
        %107 = linalg.index 2 : index
        %108 = linalg.index 3 : index
        %c4_23 = arith.constant 4 : index
        %109 = arith.addi %108, %c4_23 : index
        %extracted = tensor.extract %38[%105, %106, %107, %109] : tensor<?x2x?x8xf32>
        %110 = math.cos %in : f32
        %111 = arith.mulf %extracted, %110 : f32
        %extracted_24 = tensor.extract %38[%105, %106, %107, %108] : tensor<?x2x?x8xf32>
        %112 = math.sin %in : f32
        %113 = arith.mulf %extracted_24, %112 : f32
        %114 = arith.addf %111, %113 : f32
        linalg.yield %114 : f32
      } -> tensor<?x2x?x4xf32>
      %concat_13 = tensor.concat dim(3) %55, %57 : (tensor<?x2x?x4xf32>, tensor<?x2x?x4xf32>) -> tensor<?x2x?x8xf32>
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %58 = attn.attend softmax outer(%dim, %c4, %dim_0) keys(%dim_0) values(%c8) yields [value] score(%arg3, %arg4, %arg5, %arg6) {
        %105 = attn.reduce add (%arg7) in (%c8) {
          %extracted = tensor.extract %concat[%arg3, %arg4, %arg5, %arg7] : tensor<?x4x?x8xf32>
          %c2_24 = arith.constant 2 : index
          %107 = arith.floordivsi %arg4, %c2_24 : index
          %extracted_25 = tensor.extract %concat_13[%arg3, %107, %arg6, %arg7] : tensor<?x2x?x8xf32>
          %108 = arith.mulf %extracted, %extracted_25 : f32
          attn.yield %108 : f32
        } : f32
        %cst_23 = arith.constant 2.82842708 : f32
        %106 = arith.divf %105, %cst_23 : f32
        attn.yield %106 : f32
      } mask(%arg3, %arg4, %arg5, %arg6) {
        %105 = arith.cmpi sle, %arg6, %arg5 : index
        attn.yield %105 : i1
      } value(%arg3, %arg4, %arg5, %arg6, %arg7) {
        %c2_23 = arith.constant 2 : index
        %105 = arith.floordivsi %arg4, %c2_23 : index
        %extracted = tensor.extract %45[%arg3, %105, %arg6, %arg7] : tensor<?x2x?x8xf32>
        attn.yield %extracted : f32
      } : tensor<?x4x?x8xf32>
      %59 = tensor.empty(%dim, %dim_0) : tensor<?x?x4x8xf32>
      %60 = linalg.generic {indexing_maps = [#map9, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58 : tensor<?x4x?x8xf32>) outs(%59 : tensor<?x?x4x8xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<?x?x4x8xf32>
      %collapsed = tensor.collapse_shape %60 [[0], [1], [2, 3]] : tensor<?x?x4x8xf32> into tensor<?x?x32xf32>
      %61 = model.get @blocks.mix.out.weight[%arg1] : tensor<32x32xf32>
      %62 = tensor.empty() : tensor<32x32xf32>
      %transposed_14 = linalg.transpose ins(%61 : tensor<32x32xf32>) outs(%62 : tensor<32x32xf32>) permutation = [1, 0] 
      %cst_15 = arith.constant 0.000000e+00 : f32
      %63 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
      %64 = linalg.fill ins(%cst_15 : f32) outs(%63 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
      %65 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%collapsed, %transposed_14 : tensor<?x?x32xf32>, tensor<32x32xf32>) outs(%64 : tensor<?x?x32xf32>) {
      ^bb0(%in: f32, %in_23: f32, %out: f32):
        %105 = arith.mulf %in, %in_23 : f32
        %106 = arith.addf %out, %105 : f32
        linalg.yield %106 : f32
      } -> tensor<?x?x32xf32>
      %66 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
      %67 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2, %65 : tensor<?x?x32xf32>, tensor<?x?x32xf32>) outs(%66 : tensor<?x?x32xf32>) {
      ^bb0(%in: f32, %in_23: f32, %out: f32):
        %105 = arith.addf %in, %in_23 : f32
        linalg.yield %105 : f32
      } -> tensor<?x?x32xf32>
      %cst_16 = arith.constant 0.000000e+00 : f32
      %68 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
      %69 = linalg.fill ins(%cst_16 : f32) outs(%68 : tensor<?x?xf32>) -> tensor<?x?xf32>
      %70 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "reduction"]} ins(%67 : tensor<?x?x32xf32>) outs(%69 : tensor<?x?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %105 = arith.mulf %in, %in : f32
        %106 = arith.addf %out, %105 : f32
        linalg.yield %106 : f32
      } -> tensor<?x?xf32>
      %71 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
      %72 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%70 : tensor<?x?xf32>) outs(%71 : tensor<?x?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %cst_23 = arith.constant 3.200000e+01 : f32
        %105 = arith.divf %in, %cst_23 : f32
        %cst_24 = arith.constant 9.99999997E-7 : f32
        %106 = arith.addf %105, %cst_24 : f32
        %107 = math.rsqrt %106 : f32
        linalg.yield %107 : f32
      } -> tensor<?x?xf32>
      %73 = model.get @blocks.norm2.gain[%arg1] : tensor<32xf32>
      %74 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
      %75 = linalg.generic {indexing_maps = [#map1, #map, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67, %72, %73 : tensor<?x?x32xf32>, tensor<?x?xf32>, tensor<32xf32>) outs(%74 : tensor<?x?x32xf32>) {
      ^bb0(%in: f32, %in_23: f32, %in_24: f32, %out: f32):
        %105 = arith.mulf %in, %in_23 : f32
        %106 = arith.mulf %105, %in_24 : f32
        linalg.yield %106 : f32
      } -> tensor<?x?x32xf32>
      %76 = model.get @blocks.mlp.gate.weight[%arg1] : tensor<128x32xf32>
      %77 = tensor.empty() : tensor<32x128xf32>
      %transposed_17 = linalg.transpose ins(%76 : tensor<128x32xf32>) outs(%77 : tensor<32x128xf32>) permutation = [1, 0] 
      %cst_18 = arith.constant 0.000000e+00 : f32
      %78 = tensor.empty(%dim, %dim_0) : tensor<?x?x128xf32>
      %79 = linalg.fill ins(%cst_18 : f32) outs(%78 : tensor<?x?x128xf32>) -> tensor<?x?x128xf32>
      %80 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%75, %transposed_17 : tensor<?x?x32xf32>, tensor<32x128xf32>) outs(%79 : tensor<?x?x128xf32>) {
      ^bb0(%in: f32, %in_23: f32, %out: f32):
        %105 = arith.mulf %in, %in_23 : f32
        %106 = arith.addf %out, %105 : f32
        linalg.yield %106 : f32
      } -> tensor<?x?x128xf32>
      %81 = tensor.empty(%dim, %dim_0) : tensor<?x?x128xf32>
      %82 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%80 : tensor<?x?x128xf32>) outs(%81 : tensor<?x?x128xf32>) {
      ^bb0(%in: f32, %out: f32):
        %105 = arith.negf %in : f32
        linalg.yield %105 : f32
      } -> tensor<?x?x128xf32>
      %83 = tensor.empty(%dim, %dim_0) : tensor<?x?x128xf32>
      %84 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82 : tensor<?x?x128xf32>) outs(%83 : tensor<?x?x128xf32>) {
      ^bb0(%in: f32, %out: f32):
        %105 = math.exp %in : f32
        linalg.yield %105 : f32
      } -> tensor<?x?x128xf32>
      %85 = tensor.empty(%dim, %dim_0) : tensor<?x?x128xf32>
      %86 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84 : tensor<?x?x128xf32>) outs(%85 : tensor<?x?x128xf32>) {
      ^bb0(%in: f32, %out: f32):
        %cst_23 = arith.constant 1.000000e+00 : f32
        %105 = arith.addf %cst_23, %in : f32
        linalg.yield %105 : f32
      } -> tensor<?x?x128xf32>
      %87 = tensor.empty(%dim, %dim_0) : tensor<?x?x128xf32>
      %88 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86 : tensor<?x?x128xf32>) outs(%87 : tensor<?x?x128xf32>) {
      ^bb0(%in: f32, %out: f32):
        %cst_23 = arith.constant 1.000000e+00 : f32
        %105 = arith.divf %cst_23, %in : f32
        linalg.yield %105 : f32
      } -> tensor<?x?x128xf32>
      %89 = tensor.empty(%dim, %dim_0) : tensor<?x?x128xf32>
      %90 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%80, %88 : tensor<?x?x128xf32>, tensor<?x?x128xf32>) outs(%89 : tensor<?x?x128xf32>) {
      ^bb0(%in: f32, %in_23: f32, %out: f32):
        %105 = arith.mulf %in, %in_23 : f32
        linalg.yield %105 : f32
      } -> tensor<?x?x128xf32>
      %91 = model.get @blocks.mlp.up.weight[%arg1] : tensor<128x32xf32>
      %92 = tensor.empty() : tensor<32x128xf32>
      %transposed_19 = linalg.transpose ins(%91 : tensor<128x32xf32>) outs(%92 : tensor<32x128xf32>) permutation = [1, 0] 
      %cst_20 = arith.constant 0.000000e+00 : f32
      %93 = tensor.empty(%dim, %dim_0) : tensor<?x?x128xf32>
      %94 = linalg.fill ins(%cst_20 : f32) outs(%93 : tensor<?x?x128xf32>) -> tensor<?x?x128xf32>
      %95 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%75, %transposed_19 : tensor<?x?x32xf32>, tensor<32x128xf32>) outs(%94 : tensor<?x?x128xf32>) {
      ^bb0(%in: f32, %in_23: f32, %out: f32):
        %105 = arith.mulf %in, %in_23 : f32
        %106 = arith.addf %out, %105 : f32
        linalg.yield %106 : f32
      } -> tensor<?x?x128xf32>
      %96 = tensor.empty(%dim, %dim_0) : tensor<?x?x128xf32>
      %97 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90, %95 : tensor<?x?x128xf32>, tensor<?x?x128xf32>) outs(%96 : tensor<?x?x128xf32>) {
      ^bb0(%in: f32, %in_23: f32, %out: f32):
        %105 = arith.mulf %in, %in_23 : f32
        linalg.yield %105 : f32
      } -> tensor<?x?x128xf32>
      %98 = model.get @blocks.mlp.down.weight[%arg1] : tensor<32x128xf32>
      %99 = tensor.empty() : tensor<128x32xf32>
      %transposed_21 = linalg.transpose ins(%98 : tensor<32x128xf32>) outs(%99 : tensor<128x32xf32>) permutation = [1, 0] 
      %cst_22 = arith.constant 0.000000e+00 : f32
      %100 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
      %101 = linalg.fill ins(%cst_22 : f32) outs(%100 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
      %102 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%97, %transposed_21 : tensor<?x?x128xf32>, tensor<128x32xf32>) outs(%101 : tensor<?x?x32xf32>) {
      ^bb0(%in: f32, %in_23: f32, %out: f32):
        %105 = arith.mulf %in, %in_23 : f32
        %106 = arith.addf %out, %105 : f32
        linalg.yield %106 : f32
      } -> tensor<?x?x32xf32>
      %103 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
      %104 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67, %102 : tensor<?x?x32xf32>, tensor<?x?x32xf32>) outs(%103 : tensor<?x?x32xf32>) {
      ^bb0(%in: f32, %in_23: f32, %out: f32):
        %105 = arith.addf %in, %in_23 : f32
        linalg.yield %105 : f32
      } -> tensor<?x?x32xf32>
      scf.yield %104 : tensor<?x?x32xf32>
    }
    %cst = arith.constant 0.000000e+00 : f32
    %4 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "reduction"]} ins(%3 : tensor<?x?x32xf32>) outs(%5 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = arith.mulf %in, %in : f32
      %18 = arith.addf %out, %17 : f32
      linalg.yield %18 : f32
    } -> tensor<?x?xf32>
    %7 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<?x?xf32>) outs(%7 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %cst_4 = arith.constant 3.200000e+01 : f32
      %17 = arith.divf %in, %cst_4 : f32
      %cst_5 = arith.constant 9.99999997E-7 : f32
      %18 = arith.addf %17, %cst_5 : f32
      %19 = math.rsqrt %18 : f32
      linalg.yield %19 : f32
    } -> tensor<?x?xf32>
    %9 = model.get @final.gain : tensor<32xf32>
    %10 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %8, %9 : tensor<?x?x32xf32>, tensor<?x?xf32>, tensor<32xf32>) outs(%10 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_4: f32, %in_5: f32, %out: f32):
      %17 = arith.mulf %in, %in_4 : f32
      %18 = arith.mulf %17, %in_5 : f32
      linalg.yield %18 : f32
    } -> tensor<?x?x32xf32>
    %12 = model.get @token.table : tensor<64x32xf32>
    %13 = tensor.empty() : tensor<32x64xf32>
    %transposed = linalg.transpose ins(%12 : tensor<64x32xf32>) outs(%13 : tensor<32x64xf32>) permutation = [1, 0] 
    %cst_3 = arith.constant 0.000000e+00 : f32
    %14 = tensor.empty(%dim, %dim_0) : tensor<?x?x64xf32>
    %15 = linalg.fill ins(%cst_3 : f32) outs(%14 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
    %16 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%11, %transposed : tensor<?x?x32xf32>, tensor<32x64xf32>) outs(%15 : tensor<?x?x64xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %17 = arith.mulf %in, %in_4 : f32
      %18 = arith.addf %out, %17 : f32
      linalg.yield %18 : f32
    } -> tensor<?x?x64xf32>
    return %16 : tensor<?x?x64xf32>
  }
  func.func @loss(%arg0: tensor<?x?xi32> {model.name = "tokens", model.shape = ["batch", "seq"]}, %arg1: tensor<?x?xi32> {model.name = "targets", model.shape = ["batch", "seq"]}) -> (tensor<f32> {model.name = "loss", model.shape = []}) attributes {model.dimensions = [#model.dimension<"batch", -1>, #model.dimension<"seq", 64>], model.entry} {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x?xi32>
    %c1 = arith.constant 1 : index
    %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?xi32>
    %0 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
    %1 = model.get @token.table : tensor<64x32xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<?x?xi32>) outs(%0 : tensor<?x?x32xf32>) {
    ^bb0(%in: i32, %out: f32):
      %37 = linalg.index 2 : index
      %38 = arith.index_cast %in : i32 to index
      %extracted = tensor.extract %1[%38, %37] : tensor<64x32xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x32xf32>
    %c0_1 = arith.constant 0 : index
    %c1_2 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %3 = scf.for %arg2 = %c0_1 to %c2 step %c1_2 iter_args(%arg3 = %2) -> (tensor<?x?x32xf32>) {
      %cst_7 = arith.constant 0.000000e+00 : f32
      %37 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
      %38 = linalg.fill ins(%cst_7 : f32) outs(%37 : tensor<?x?xf32>) -> tensor<?x?xf32>
      %39 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg3 : tensor<?x?x32xf32>) outs(%38 : tensor<?x?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %125 = arith.mulf %in, %in : f32
        %126 = arith.addf %out, %125 : f32
        linalg.yield %126 : f32
      } -> tensor<?x?xf32>
      %40 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
      %41 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%39 : tensor<?x?xf32>) outs(%40 : tensor<?x?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %cst_26 = arith.constant 3.200000e+01 : f32
        %125 = arith.divf %in, %cst_26 : f32
        %cst_27 = arith.constant 9.99999997E-7 : f32
        %126 = arith.addf %125, %cst_27 : f32
        %127 = math.rsqrt %126 : f32
        linalg.yield %127 : f32
      } -> tensor<?x?xf32>
      %42 = model.get @blocks.norm1.gain[%arg2] : tensor<32xf32>
      %43 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
      %44 = linalg.generic {indexing_maps = [#map1, #map, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg3, %41, %42 : tensor<?x?x32xf32>, tensor<?x?xf32>, tensor<32xf32>) outs(%43 : tensor<?x?x32xf32>) {
      ^bb0(%in: f32, %in_26: f32, %in_27: f32, %out: f32):
        %125 = arith.mulf %in, %in_26 : f32
        %126 = arith.mulf %125, %in_27 : f32
        linalg.yield %126 : f32
      } -> tensor<?x?x32xf32>
      %45 = model.get @blocks.mix.q.weight[%arg2] : tensor<32x32xf32>
      %46 = tensor.empty() : tensor<32x32xf32>
      %transposed_8 = linalg.transpose ins(%45 : tensor<32x32xf32>) outs(%46 : tensor<32x32xf32>) permutation = [1, 0] 
      %cst_9 = arith.constant 0.000000e+00 : f32
      %47 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
      %48 = linalg.fill ins(%cst_9 : f32) outs(%47 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
      %49 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%44, %transposed_8 : tensor<?x?x32xf32>, tensor<32x32xf32>) outs(%48 : tensor<?x?x32xf32>) {
      ^bb0(%in: f32, %in_26: f32, %out: f32):
        %125 = arith.mulf %in, %in_26 : f32
        %126 = arith.addf %out, %125 : f32
        linalg.yield %126 : f32
      } -> tensor<?x?x32xf32>
      %expanded = tensor.expand_shape %49 [[0], [1], [2, 3, 4]] output_shape [%dim, %dim_0, 1, 4, 8] : tensor<?x?x32xf32> into tensor<?x?x1x4x8xf32>
      %50 = tensor.empty(%dim, %dim_0) : tensor<?x4x?x8xf32>
      %51 = linalg.generic {indexing_maps = [#map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%50 : tensor<?x4x?x8xf32>) {
      ^bb0(%out: f32):
        %125 = linalg.index 0 : index
        %126 = linalg.index 1 : index
        %127 = linalg.index 2 : index
        %128 = linalg.index 3 : index
        %c0_26 = arith.constant 0 : index
        %extracted = tensor.extract %expanded[%125, %127, %c0_26, %126, %128] : tensor<?x?x1x4x8xf32>
        linalg.yield %extracted : f32
      } -> tensor<?x4x?x8xf32>
      %52 = model.get @blocks.mix.k.weight[%arg2] : tensor<16x32xf32>
      %53 = tensor.empty() : tensor<32x16xf32>
      %transposed_10 = linalg.transpose ins(%52 : tensor<16x32xf32>) outs(%53 : tensor<32x16xf32>) permutation = [1, 0] 
      %cst_11 = arith.constant 0.000000e+00 : f32
      %54 = tensor.empty(%dim, %dim_0) : tensor<?x?x16xf32>
      %55 = linalg.fill ins(%cst_11 : f32) outs(%54 : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      %56 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%44, %transposed_10 : tensor<?x?x32xf32>, tensor<32x16xf32>) outs(%55 : tensor<?x?x16xf32>) {
      ^bb0(%in: f32, %in_26: f32, %out: f32):
        %125 = arith.mulf %in, %in_26 : f32
        %126 = arith.addf %out, %125 : f32
        linalg.yield %126 : f32
      } -> tensor<?x?x16xf32>
      %expanded_12 = tensor.expand_shape %56 [[0], [1], [2, 3, 4]] output_shape [%dim, %dim_0, 1, 2, 8] : tensor<?x?x16xf32> into tensor<?x?x1x2x8xf32>
      %57 = tensor.empty(%dim, %dim_0) : tensor<?x2x?x8xf32>
      %58 = linalg.generic {indexing_maps = [#map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%57 : tensor<?x2x?x8xf32>) {
      ^bb0(%out: f32):
        %125 = linalg.index 0 : index
        %126 = linalg.index 1 : index
        %127 = linalg.index 2 : index
        %128 = linalg.index 3 : index
        %c0_26 = arith.constant 0 : index
        %extracted = tensor.extract %expanded_12[%125, %127, %c0_26, %126, %128] : tensor<?x?x1x2x8xf32>
        linalg.yield %extracted : f32
      } -> tensor<?x2x?x8xf32>
      %59 = model.get @blocks.mix.v.weight[%arg2] : tensor<16x32xf32>
      %60 = tensor.empty() : tensor<32x16xf32>
      %transposed_13 = linalg.transpose ins(%59 : tensor<16x32xf32>) outs(%60 : tensor<32x16xf32>) permutation = [1, 0] 
      %cst_14 = arith.constant 0.000000e+00 : f32
      %61 = tensor.empty(%dim, %dim_0) : tensor<?x?x16xf32>
      %62 = linalg.fill ins(%cst_14 : f32) outs(%61 : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      %63 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%44, %transposed_13 : tensor<?x?x32xf32>, tensor<32x16xf32>) outs(%62 : tensor<?x?x16xf32>) {
      ^bb0(%in: f32, %in_26: f32, %out: f32):
        %125 = arith.mulf %in, %in_26 : f32
        %126 = arith.addf %out, %125 : f32
        linalg.yield %126 : f32
      } -> tensor<?x?x16xf32>
      %expanded_15 = tensor.expand_shape %63 [[0], [1], [2, 3, 4]] output_shape [%dim, %dim_0, 1, 2, 8] : tensor<?x?x16xf32> into tensor<?x?x1x2x8xf32>
      %64 = tensor.empty(%dim, %dim_0) : tensor<?x2x?x8xf32>
      %65 = linalg.generic {indexing_maps = [#map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%64 : tensor<?x2x?x8xf32>) {
      ^bb0(%out: f32):
        %125 = linalg.index 0 : index
        %126 = linalg.index 1 : index
        %127 = linalg.index 2 : index
        %128 = linalg.index 3 : index
        %c0_26 = arith.constant 0 : index
        %extracted = tensor.extract %expanded_15[%125, %127, %c0_26, %126, %128] : tensor<?x?x1x2x8xf32>
        linalg.yield %extracted : f32
      } -> tensor<?x2x?x8xf32>
      %66 = tensor.empty(%dim_0) : tensor<?x4xf32>
      %67 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel", "parallel"]} outs(%66 : tensor<?x4xf32>) {
      ^bb0(%out: f32):
        %125 = linalg.index 0 : index
        %126 = linalg.index 1 : index
        %127 = arith.index_cast %125 : index to i32
        %128 = arith.sitofp %127 : i32 to f32
        %cst_26 = arith.constant 1.000000e+04 : f32
        %cst_27 = arith.constant -2.000000e+00 : f32
        %129 = arith.index_cast %126 : index to i32
        %130 = arith.sitofp %129 : i32 to f32
        %131 = arith.mulf %cst_27, %130 : f32
        %cst_28 = arith.constant 8.000000e+00 : f32
        %132 = arith.divf %131, %cst_28 : f32
        %133 = math.powf %cst_26, %132 : f32
        %134 = arith.mulf %128, %133 : f32
        linalg.yield %134 : f32
      } -> tensor<?x4xf32>
      %68 = tensor.empty(%dim, %dim_0) : tensor<?x4x?x4xf32>
      %69 = linalg.generic {indexing_maps = [#map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%67 : tensor<?x4xf32>) outs(%68 : tensor<?x4x?x4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %125 = linalg.index 0 : index
        %126 = linalg.index 1 : index
        %127 = linalg.index 2 : index
        %128 = linalg.index 3 : index
        %extracted = tensor.extract %51[%125, %126, %127, %128] : tensor<?x4x?x8xf32>
        %129 = math.cos %in : f32
        %130 = arith.mulf %extracted, %129 : f32
        %c4_26 = arith.constant 4 : index
        %131 = arith.addi %128, %c4_26 : index
        %extracted_27 = tensor.extract %51[%125, %126, %127, %131] : tensor<?x4x?x8xf32>
        %132 = math.sin %in : f32
        %133 = arith.mulf %extracted_27, %132 : f32
        %134 = arith.subf %130, %133 : f32
        linalg.yield %134 : f32
      } -> tensor<?x4x?x4xf32>
      %70 = tensor.empty(%dim, %dim_0) : tensor<?x4x?x4xf32>
      %71 = linalg.generic {indexing_maps = [#map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%67 : tensor<?x4xf32>) outs(%70 : tensor<?x4x?x4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %125 = linalg.index 0 : index
        %126 = linalg.index 1 : index
        %127 = linalg.index 2 : index
        %128 = linalg.index 3 : index
        %c4_26 = arith.constant 4 : index
        %129 = arith.addi %128, %c4_26 : index
        %extracted = tensor.extract %51[%125, %126, %127, %129] : tensor<?x4x?x8xf32>
        %130 = math.cos %in : f32
        %131 = arith.mulf %extracted, %130 : f32
        %extracted_27 = tensor.extract %51[%125, %126, %127, %128] : tensor<?x4x?x8xf32>
        %132 = math.sin %in : f32
        %133 = arith.mulf %extracted_27, %132 : f32
        %134 = arith.addf %131, %133 : f32
        linalg.yield %134 : f32
      } -> tensor<?x4x?x4xf32>
      %concat = tensor.concat dim(3) %69, %71 : (tensor<?x4x?x4xf32>, tensor<?x4x?x4xf32>) -> tensor<?x4x?x8xf32>
      %72 = tensor.empty(%dim_0) : tensor<?x4xf32>
      %73 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel", "parallel"]} outs(%72 : tensor<?x4xf32>) {
      ^bb0(%out: f32):
        %125 = linalg.index 0 : index
        %126 = linalg.index 1 : index
        %127 = arith.index_cast %125 : index to i32
        %128 = arith.sitofp %127 : i32 to f32
        %cst_26 = arith.constant 1.000000e+04 : f32
        %cst_27 = arith.constant -2.000000e+00 : f32
        %129 = arith.index_cast %126 : index to i32
        %130 = arith.sitofp %129 : i32 to f32
        %131 = arith.mulf %cst_27, %130 : f32
        %cst_28 = arith.constant 8.000000e+00 : f32
        %132 = arith.divf %131, %cst_28 : f32
        %133 = math.powf %cst_26, %132 : f32
        %134 = arith.mulf %128, %133 : f32
        linalg.yield %134 : f32
      } -> tensor<?x4xf32>
      %74 = tensor.empty(%dim, %dim_0) : tensor<?x2x?x4xf32>
      %75 = linalg.generic {indexing_maps = [#map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%73 : tensor<?x4xf32>) outs(%74 : tensor<?x2x?x4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %125 = linalg.index 0 : index
        %126 = linalg.index 1 : index
        %127 = linalg.index 2 : index
        %128 = linalg.index 3 : index
        %extracted = tensor.extract %58[%125, %126, %127, %128] : tensor<?x2x?x8xf32>
        %129 = math.cos %in : f32
        %130 = arith.mulf %extracted, %129 : f32
        %c4_26 = arith.constant 4 : index
        %131 = arith.addi %128, %c4_26 : index
        %extracted_27 = tensor.extract %58[%125, %126, %127, %131] : tensor<?x2x?x8xf32>
        %132 = math.sin %in : f32
        %133 = arith.mulf %extracted_27, %132 : f32
        %134 = arith.subf %130, %133 : f32
        linalg.yield %134 : f32
      } -> tensor<?x2x?x4xf32>
      %76 = tensor.empty(%dim, %dim_0) : tensor<?x2x?x4xf32>
      %77 = linalg.generic {indexing_maps = [#map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%73 : tensor<?x4xf32>) outs(%76 : tensor<?x2x?x4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %125 = linalg.index 0 : index
        %126 = linalg.index 1 : index
        %127 = linalg.index 2 : index
        %128 = linalg.index 3 : index
        %c4_26 = arith.constant 4 : index
        %129 = arith.addi %128, %c4_26 : index
        %extracted = tensor.extract %58[%125, %126, %127, %129] : tensor<?x2x?x8xf32>
        %130 = math.cos %in : f32
        %131 = arith.mulf %extracted, %130 : f32
        %extracted_27 = tensor.extract %58[%125, %126, %127, %128] : tensor<?x2x?x8xf32>
        %132 = math.sin %in : f32
        %133 = arith.mulf %extracted_27, %132 : f32
        %134 = arith.addf %131, %133 : f32
        linalg.yield %134 : f32
      } -> tensor<?x2x?x4xf32>
      %concat_16 = tensor.concat dim(3) %75, %77 : (tensor<?x2x?x4xf32>, tensor<?x2x?x4xf32>) -> tensor<?x2x?x8xf32>
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %78 = attn.attend softmax outer(%dim, %c4, %dim_0) keys(%dim_0) values(%c8) yields [value] score(%arg4, %arg5, %arg6, %arg7) {
        %125 = attn.reduce add (%arg8) in (%c8) {
          %extracted = tensor.extract %concat[%arg4, %arg5, %arg6, %arg8] : tensor<?x4x?x8xf32>
          %c2_27 = arith.constant 2 : index
          %127 = arith.floordivsi %arg5, %c2_27 : index
          %extracted_28 = tensor.extract %concat_16[%arg4, %127, %arg7, %arg8] : tensor<?x2x?x8xf32>
          %128 = arith.mulf %extracted, %extracted_28 : f32
          attn.yield %128 : f32
        } : f32
        %cst_26 = arith.constant 2.82842708 : f32
        %126 = arith.divf %125, %cst_26 : f32
        attn.yield %126 : f32
      } mask(%arg4, %arg5, %arg6, %arg7) {
        %125 = arith.cmpi sle, %arg7, %arg6 : index
        attn.yield %125 : i1
      } value(%arg4, %arg5, %arg6, %arg7, %arg8) {
        %c2_26 = arith.constant 2 : index
        %125 = arith.floordivsi %arg5, %c2_26 : index
        %extracted = tensor.extract %65[%arg4, %125, %arg7, %arg8] : tensor<?x2x?x8xf32>
        attn.yield %extracted : f32
      } : tensor<?x4x?x8xf32>
      %79 = tensor.empty(%dim, %dim_0) : tensor<?x?x4x8xf32>
      %80 = linalg.generic {indexing_maps = [#map9, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%78 : tensor<?x4x?x8xf32>) outs(%79 : tensor<?x?x4x8xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<?x?x4x8xf32>
      %collapsed = tensor.collapse_shape %80 [[0], [1], [2, 3]] : tensor<?x?x4x8xf32> into tensor<?x?x32xf32>
      %81 = model.get @blocks.mix.out.weight[%arg2] : tensor<32x32xf32>
      %82 = tensor.empty() : tensor<32x32xf32>
      %transposed_17 = linalg.transpose ins(%81 : tensor<32x32xf32>) outs(%82 : tensor<32x32xf32>) permutation = [1, 0] 
      %cst_18 = arith.constant 0.000000e+00 : f32
      %83 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
      %84 = linalg.fill ins(%cst_18 : f32) outs(%83 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
      %85 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%collapsed, %transposed_17 : tensor<?x?x32xf32>, tensor<32x32xf32>) outs(%84 : tensor<?x?x32xf32>) {
      ^bb0(%in: f32, %in_26: f32, %out: f32):
        %125 = arith.mulf %in, %in_26 : f32
        %126 = arith.addf %out, %125 : f32
        linalg.yield %126 : f32
      } -> tensor<?x?x32xf32>
      %86 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
      %87 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg3, %85 : tensor<?x?x32xf32>, tensor<?x?x32xf32>) outs(%86 : tensor<?x?x32xf32>) {
      ^bb0(%in: f32, %in_26: f32, %out: f32):
        %125 = arith.addf %in, %in_26 : f32
        linalg.yield %125 : f32
      } -> tensor<?x?x32xf32>
      %cst_19 = arith.constant 0.000000e+00 : f32
      %88 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
      %89 = linalg.fill ins(%cst_19 : f32) outs(%88 : tensor<?x?xf32>) -> tensor<?x?xf32>
      %90 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "reduction"]} ins(%87 : tensor<?x?x32xf32>) outs(%89 : tensor<?x?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %125 = arith.mulf %in, %in : f32
        %126 = arith.addf %out, %125 : f32
        linalg.yield %126 : f32
      } -> tensor<?x?xf32>
      %91 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
      %92 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%90 : tensor<?x?xf32>) outs(%91 : tensor<?x?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %cst_26 = arith.constant 3.200000e+01 : f32
        %125 = arith.divf %in, %cst_26 : f32
        %cst_27 = arith.constant 9.99999997E-7 : f32
        %126 = arith.addf %125, %cst_27 : f32
        %127 = math.rsqrt %126 : f32
        linalg.yield %127 : f32
      } -> tensor<?x?xf32>
      %93 = model.get @blocks.norm2.gain[%arg2] : tensor<32xf32>
      %94 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
      %95 = linalg.generic {indexing_maps = [#map1, #map, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87, %92, %93 : tensor<?x?x32xf32>, tensor<?x?xf32>, tensor<32xf32>) outs(%94 : tensor<?x?x32xf32>) {
      ^bb0(%in: f32, %in_26: f32, %in_27: f32, %out: f32):
        %125 = arith.mulf %in, %in_26 : f32
        %126 = arith.mulf %125, %in_27 : f32
        linalg.yield %126 : f32
      } -> tensor<?x?x32xf32>
      %96 = model.get @blocks.mlp.gate.weight[%arg2] : tensor<128x32xf32>
      %97 = tensor.empty() : tensor<32x128xf32>
      %transposed_20 = linalg.transpose ins(%96 : tensor<128x32xf32>) outs(%97 : tensor<32x128xf32>) permutation = [1, 0] 
      %cst_21 = arith.constant 0.000000e+00 : f32
      %98 = tensor.empty(%dim, %dim_0) : tensor<?x?x128xf32>
      %99 = linalg.fill ins(%cst_21 : f32) outs(%98 : tensor<?x?x128xf32>) -> tensor<?x?x128xf32>
      %100 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%95, %transposed_20 : tensor<?x?x32xf32>, tensor<32x128xf32>) outs(%99 : tensor<?x?x128xf32>) {
      ^bb0(%in: f32, %in_26: f32, %out: f32):
        %125 = arith.mulf %in, %in_26 : f32
        %126 = arith.addf %out, %125 : f32
        linalg.yield %126 : f32
      } -> tensor<?x?x128xf32>
      %101 = tensor.empty(%dim, %dim_0) : tensor<?x?x128xf32>
      %102 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%100 : tensor<?x?x128xf32>) outs(%101 : tensor<?x?x128xf32>) {
      ^bb0(%in: f32, %out: f32):
        %125 = arith.negf %in : f32
        linalg.yield %125 : f32
      } -> tensor<?x?x128xf32>
      %103 = tensor.empty(%dim, %dim_0) : tensor<?x?x128xf32>
      %104 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%102 : tensor<?x?x128xf32>) outs(%103 : tensor<?x?x128xf32>) {
      ^bb0(%in: f32, %out: f32):
        %125 = math.exp %in : f32
        linalg.yield %125 : f32
      } -> tensor<?x?x128xf32>
      %105 = tensor.empty(%dim, %dim_0) : tensor<?x?x128xf32>
      %106 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%104 : tensor<?x?x128xf32>) outs(%105 : tensor<?x?x128xf32>) {
      ^bb0(%in: f32, %out: f32):
        %cst_26 = arith.constant 1.000000e+00 : f32
        %125 = arith.addf %cst_26, %in : f32
        linalg.yield %125 : f32
      } -> tensor<?x?x128xf32>
      %107 = tensor.empty(%dim, %dim_0) : tensor<?x?x128xf32>
      %108 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%106 : tensor<?x?x128xf32>) outs(%107 : tensor<?x?x128xf32>) {
      ^bb0(%in: f32, %out: f32):
        %cst_26 = arith.constant 1.000000e+00 : f32
        %125 = arith.divf %cst_26, %in : f32
        linalg.yield %125 : f32
      } -> tensor<?x?x128xf32>
      %109 = tensor.empty(%dim, %dim_0) : tensor<?x?x128xf32>
      %110 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%100, %108 : tensor<?x?x128xf32>, tensor<?x?x128xf32>) outs(%109 : tensor<?x?x128xf32>) {
      ^bb0(%in: f32, %in_26: f32, %out: f32):
        %125 = arith.mulf %in, %in_26 : f32
        linalg.yield %125 : f32
      } -> tensor<?x?x128xf32>
      %111 = model.get @blocks.mlp.up.weight[%arg2] : tensor<128x32xf32>
      %112 = tensor.empty() : tensor<32x128xf32>
      %transposed_22 = linalg.transpose ins(%111 : tensor<128x32xf32>) outs(%112 : tensor<32x128xf32>) permutation = [1, 0] 
      %cst_23 = arith.constant 0.000000e+00 : f32
      %113 = tensor.empty(%dim, %dim_0) : tensor<?x?x128xf32>
      %114 = linalg.fill ins(%cst_23 : f32) outs(%113 : tensor<?x?x128xf32>) -> tensor<?x?x128xf32>
      %115 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%95, %transposed_22 : tensor<?x?x32xf32>, tensor<32x128xf32>) outs(%114 : tensor<?x?x128xf32>) {
      ^bb0(%in: f32, %in_26: f32, %out: f32):
        %125 = arith.mulf %in, %in_26 : f32
        %126 = arith.addf %out, %125 : f32
        linalg.yield %126 : f32
      } -> tensor<?x?x128xf32>
      %116 = tensor.empty(%dim, %dim_0) : tensor<?x?x128xf32>
      %117 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%110, %115 : tensor<?x?x128xf32>, tensor<?x?x128xf32>) outs(%116 : tensor<?x?x128xf32>) {
      ^bb0(%in: f32, %in_26: f32, %out: f32):
        %125 = arith.mulf %in, %in_26 : f32
        linalg.yield %125 : f32
      } -> tensor<?x?x128xf32>
      %118 = model.get @blocks.mlp.down.weight[%arg2] : tensor<32x128xf32>
      %119 = tensor.empty() : tensor<128x32xf32>
      %transposed_24 = linalg.transpose ins(%118 : tensor<32x128xf32>) outs(%119 : tensor<128x32xf32>) permutation = [1, 0] 
      %cst_25 = arith.constant 0.000000e+00 : f32
      %120 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
      %121 = linalg.fill ins(%cst_25 : f32) outs(%120 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
      %122 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%117, %transposed_24 : tensor<?x?x128xf32>, tensor<128x32xf32>) outs(%121 : tensor<?x?x32xf32>) {
      ^bb0(%in: f32, %in_26: f32, %out: f32):
        %125 = arith.mulf %in, %in_26 : f32
        %126 = arith.addf %out, %125 : f32
        linalg.yield %126 : f32
      } -> tensor<?x?x32xf32>
      %123 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
      %124 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87, %122 : tensor<?x?x32xf32>, tensor<?x?x32xf32>) outs(%123 : tensor<?x?x32xf32>) {
      ^bb0(%in: f32, %in_26: f32, %out: f32):
        %125 = arith.addf %in, %in_26 : f32
        linalg.yield %125 : f32
      } -> tensor<?x?x32xf32>
      scf.yield %124 : tensor<?x?x32xf32>
    }
    %cst = arith.constant 0.000000e+00 : f32
    %4 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "reduction"]} ins(%3 : tensor<?x?x32xf32>) outs(%5 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.mulf %in, %in : f32
      %38 = arith.addf %out, %37 : f32
      linalg.yield %38 : f32
    } -> tensor<?x?xf32>
    %7 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<?x?xf32>) outs(%7 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %cst_7 = arith.constant 3.200000e+01 : f32
      %37 = arith.divf %in, %cst_7 : f32
      %cst_8 = arith.constant 9.99999997E-7 : f32
      %38 = arith.addf %37, %cst_8 : f32
      %39 = math.rsqrt %38 : f32
      linalg.yield %39 : f32
    } -> tensor<?x?xf32>
    %9 = model.get @final.gain : tensor<32xf32>
    %10 = tensor.empty(%dim, %dim_0) : tensor<?x?x32xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %8, %9 : tensor<?x?x32xf32>, tensor<?x?xf32>, tensor<32xf32>) outs(%10 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_7: f32, %in_8: f32, %out: f32):
      %37 = arith.mulf %in, %in_7 : f32
      %38 = arith.mulf %37, %in_8 : f32
      linalg.yield %38 : f32
    } -> tensor<?x?x32xf32>
    %12 = model.get @token.table : tensor<64x32xf32>
    %13 = tensor.empty() : tensor<32x64xf32>
    %transposed = linalg.transpose ins(%12 : tensor<64x32xf32>) outs(%13 : tensor<32x64xf32>) permutation = [1, 0] 
    %cst_3 = arith.constant 0.000000e+00 : f32
    %14 = tensor.empty(%dim, %dim_0) : tensor<?x?x64xf32>
    %15 = linalg.fill ins(%cst_3 : f32) outs(%14 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
    %16 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%11, %transposed : tensor<?x?x32xf32>, tensor<32x64xf32>) outs(%15 : tensor<?x?x64xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %37 = arith.mulf %in, %in_7 : f32
      %38 = arith.addf %out, %37 : f32
      linalg.yield %38 : f32
    } -> tensor<?x?x64xf32>
    %cst_4 = arith.constant 0xFF800000 : f32
    %17 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
    %18 = linalg.fill ins(%cst_4 : f32) outs(%17 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "reduction"]} ins(%16 : tensor<?x?x64xf32>) outs(%18 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.maximumf %out, %in : f32
      linalg.yield %37 : f32
    } -> tensor<?x?xf32>
    %cst_5 = arith.constant 0.000000e+00 : f32
    %20 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
    %21 = linalg.fill ins(%cst_5 : f32) outs(%20 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel", "reduction"]} ins(%16, %19 : tensor<?x?x64xf32>, tensor<?x?xf32>) outs(%21 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %37 = arith.subf %in, %in_7 : f32
      %38 = math.exp %37 : f32
      %39 = arith.addf %out, %38 : f32
      linalg.yield %39 : f32
    } -> tensor<?x?xf32>
    %23 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
    %24 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%22 : tensor<?x?xf32>) outs(%23 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = math.log %in : f32
      linalg.yield %37 : f32
    } -> tensor<?x?xf32>
    %25 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
    %26 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%19, %24 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%25 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %37 = arith.addf %in, %in_7 : f32
      linalg.yield %37 : f32
    } -> tensor<?x?xf32>
    %27 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
    %28 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<?x?xi32>) outs(%27 : tensor<?x?xf32>) {
    ^bb0(%in: i32, %out: f32):
      %37 = linalg.index 0 : index
      %38 = linalg.index 1 : index
      %39 = arith.index_cast %in : i32 to index
      %extracted = tensor.extract %16[%37, %38, %39] : tensor<?x?x64xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?xf32>
    %29 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
    %30 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%26, %28 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%29 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %37 = arith.subf %in, %in_7 : f32
      linalg.yield %37 : f32
    } -> tensor<?x?xf32>
    %cst_6 = arith.constant 0.000000e+00 : f32
    %31 = tensor.empty() : tensor<f32>
    %32 = linalg.fill ins(%cst_6 : f32) outs(%31 : tensor<f32>) -> tensor<f32>
    %33 = linalg.generic {indexing_maps = [#map2, #map10], iterator_types = ["reduction", "reduction"]} ins(%30 : tensor<?x?xf32>) outs(%32 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.addf %out, %in : f32
      linalg.yield %37 : f32
    } -> tensor<f32>
    %34 = arith.muli %dim, %dim_0 : index
    %35 = tensor.empty() : tensor<f32>
    %36 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = []} ins(%33 : tensor<f32>) outs(%35 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.index_cast %34 : index to i32
      %38 = arith.sitofp %37 : i32 to f32
      %39 = arith.divf %in, %38 : f32
      linalg.yield %39 : f32
    } -> tensor<f32>
    return %36 : tensor<f32>
  }
}
