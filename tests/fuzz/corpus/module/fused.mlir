module @sc {
  func.func @g(%arg0: tensor<?x8xf32> {model.name = "q", model.shape = ["n", "8"]}, %arg1: tensor<?x8xf32> {model.name = "k", model.shape = ["m", "8"]}, %arg2: tensor<?x4xf32> {model.name = "v", model.shape = ["m", "4"]}) -> (tensor<?x4xf32> {model.name = "g", model.shape = ["n", "4"]}) attributes {model.dimensions = [#model.dimension<"n", -1>, #model.dimension<"m", -1>], model.entry} {
    %0 = call @g_attend_0(%arg0, %arg1, %arg2) : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    return %0 : tensor<?x4xf32>
  }
  func.func private @g_attend_0(%arg0: tensor<?x8xf32>, %arg1: tensor<?x8xf32>, %arg2: tensor<?x4xf32>) -> tensor<?x4xf32> attributes {attn.kernel = "attend"} {
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x8xf32>
    %dim_0 = tensor.dim %arg1, %c0 : tensor<?x8xf32>
    %c4 = arith.constant 4 : index
    %0 = attn.attend softmax outer(%dim) keys(%dim_0) values(%c4) yields [value] score(%arg3, %arg4) {
      %1 = attn.reduce add (%arg5) in (%c8) {
        %extracted = tensor.extract %arg0[%arg3, %arg5] : tensor<?x8xf32>
        %extracted_1 = tensor.extract %arg1[%arg4, %arg5] : tensor<?x8xf32>
        %2 = arith.mulf %extracted, %extracted_1 : f32
        attn.yield %2 : f32
      } : f32
      attn.yield %1 : f32
    } mask(%arg3, %arg4) {
      %1 = arith.cmpi sle, %arg4, %arg3 : index
      attn.yield %1 : i1
    } value(%arg3, %arg4, %arg5) {
      %extracted = tensor.extract %arg2[%arg4, %arg5] : tensor<?x4xf32>
      attn.yield %extracted : f32
    } : tensor<?x4xf32>
    return %0 : tensor<?x4xf32>
  }
}
