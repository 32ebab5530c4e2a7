// Kernel regression: every op in one attend.
module @digits {
  func.func @classify(%images: tensor<?x64xf32> {model.name = "images", model.shape = ["queries", "64"]},
                      %keys: tensor<?x64xf32> {model.name = "keys", model.shape = ["n", "64"]},
                      %digits: tensor<?xi32> {model.name = "digits", model.shape = ["n"]},
                      %bandwidth: tensor<f32> {model.name = "bandwidth", model.shape = []})
      -> (tensor<?x10xf32> {model.name = "result", model.shape = ["queries", "10"]})
      attributes {model.entry, model.dimensions = [#model.dimension<"queries", -1>, #model.dimension<"n", -1>]} {
    %c0 = arith.constant 0 : index
    %c10 = arith.constant 10 : index
    %c64 = arith.constant 64 : index
    %queries = tensor.dim %images, %c0 : tensor<?x64xf32>
    %n = tensor.dim %keys, %c0 : tensor<?x64xf32>
    %y = attn.attend softmax outer(%queries) keys(%n) values(%c10) yields [value]
      score(%i, %j) {
        %s = attn.reduce add (%d) in (%c64) {
          %q = tensor.extract %images[%i, %d] : tensor<?x64xf32>
          %k = tensor.extract %keys[%j, %d] : tensor<?x64xf32>
          %h = tensor.extract %bandwidth[] : tensor<f32>
          %f = arith.subf %q, %k : f32
          %g = arith.divf %f, %h : f32
          %t = arith.mulf %g, %g : f32
          attn.yield %t : f32
        } : f32
        %half = arith.constant -0.5 : f32
        %score = arith.mulf %half, %s : f32
        attn.yield %score : f32
      }
      value(%i, %j, %c) {
        %digit = tensor.extract %digits[%j] : tensor<?xi32>
        %class = arith.index_cast %digit : i32 to index
        %same = arith.cmpi eq, %class, %c : index
        %one = arith.constant 1.0 : f32
        %zero = arith.constant 0.0 : f32
        %value = arith.select %same, %one, %zero : f32
        attn.yield %value : f32
      } : tensor<?x10xf32>
    return %y : tensor<?x10xf32>
  }
}
