module {
  func.func private @scale(%x: tensor<16x8xf32>, %unused: tensor<4xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) attributes {some.note = "kept"} {
    %two = arith.constant 2.0 : f32
    %empty = tensor.empty() : tensor<16x8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<16x8xf32>) outs(%empty : tensor<16x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %e = math.exp %in : f32
      %p = arith.mulf %e, %two : f32
      %s = arith.addf %p, %in : f32
      linalg.yield %s : f32
    } -> tensor<16x8xf32>
    return %y, %x : tensor<16x8xf32>, tensor<16x8xf32>
  }
  func.func @twice(%x: tensor<16x8xf32>, %n: index) -> tensor<16x8xf32> {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %unused = arith.constant dense<0.0> : tensor<4xf32>
    %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<16x8xf32>) {
      %b:2 = func.call @scale(%a, %unused) : (tensor<16x8xf32>, tensor<4xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>)
      scf.yield %b#0 : tensor<16x8xf32>
    }
    return %r : tensor<16x8xf32>
  }
}
