// The arithmetic under a maximum, and under a comparison for equality, is marked; other arithmetic of a kernel is not.
// RUN: attn-opt %s --attn-keep-exact | FileCheck %s

// CHECK-LABEL: func.func private @largest
// CHECK: arith.mulf {{.*}} {attn.exact}
// CHECK: arith.addf {{.*}} {attn.exact}
// CHECK: arith.maximumf
func.func private @largest(%x: tensor<4x8xf32>, %y: tensor<8xf32>, %start: tensor<4xf32>) -> tensor<4xf32>
    attributes {attn.kernel = "rows"} {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                        affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %y : tensor<4x8xf32>, tensor<8xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %b : f32
    %m = arith.maximumf %o, %s : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func private @equal
// CHECK: arith.divf {{.*}} {attn.exact}
// CHECK: math.tanh
// CHECK: arith.cmpf oeq
// CHECK: arith.mulf %{{[a-z_0-9]*}}, %{{[a-z_0-9]*}} : f32
// CHECK: arith.addf %{{[a-z_0-9]*}}, %{{[a-z_0-9]*}} : f32
func.func private @equal(%x: tensor<8xf32>, %largest: tensor<f32>, %start: tensor<f32>) -> tensor<f32>
    attributes {attn.kernel = "loops"} {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%x, %largest : tensor<8xf32>, tensor<f32>) outs(%start : tensor<f32>) {
  ^bb0(%a: f32, %l: f32, %o: f32):
    %zero = arith.constant 0.0 : f32
    %q = arith.divf %a, %l : f32
    %t = math.tanh %q : f32
    %is = arith.cmpf oeq, %t, %l : f32
    %p = arith.mulf %a, %t : f32
    %c = arith.select %is, %p, %zero : f32
    %s = arith.addf %o, %c : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// A maximum of two numbers has no gradient with a comparison for equality.
// CHECK-LABEL: func.func private @positive
// CHECK-NOT: attn.exact
func.func private @positive(%x: tensor<8xf32>, %start: tensor<8xf32>) -> tensor<8xf32>
    attributes {attn.kernel = "loops"} {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %zero = arith.constant 0.0 : f32
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %p, %a : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// The compared number is computed by another kernel and stored in a list by a loop: its arithmetic is marked, too, but
// not the products of a contraction.
// CHECK-LABEL: func.func private @scaled
// CHECK: arith.mulf {{.*}} {attn.exact}
func.func private @scaled(%x: tensor<8xf32>, %start: tensor<8xf32>) -> tensor<8xf32>
    attributes {attn.kernel = "loops"} {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
// CHECK-LABEL: func.func private @product
// CHECK-NOT: attn.exact
func.func private @product(%x: tensor<8xf32>, %w: tensor<8x8xf32>, %start: tensor<8xf32>) -> tensor<8xf32>
    attributes {attn.kernel = "gemm"} {
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i, k)>,
                                        affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<8xf32>, tensor<8x8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
// CHECK-LABEL: func.func private @compared
func.func private @compared(%x: tensor<8xf32>, %y: tensor<8xf32>, %start: tensor<8xf32>) -> tensor<8xf32>
    attributes {attn.kernel = "loops"} {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %is = arith.cmpf oeq, %a, %b : f32
    %c = arith.select %is, %a, %o : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func @entry(%x: tensor<8xf32>, %w: tensor<8x8xf32>, %list: tensor<3x8xf32>, %start: tensor<8xf32>)
    -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %all = scf.for %i = %c0 to %c3 step %c1 iter_args(%each = %list) -> tensor<3x8xf32> {
    %s = func.call @scaled(%x, %start) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %more = model.with_element %s into %each[%i] : tensor<8xf32> into tensor<3x8xf32>
    scf.yield %more : tensor<3x8xf32>
  }
  %a = model.element %all[%c1] : tensor<3x8xf32> -> tensor<8xf32>
  %b = func.call @product(%x, %w, %start) : (tensor<8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %r = func.call @compared(%a, %b, %start) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
