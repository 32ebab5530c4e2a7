// RUN: attn-opt %s | attn-opt | FileCheck %s
// RUN: attn-opt %s -mlir-print-op-generic | attn-opt | FileCheck %s

// CHECK: model.parameter @table : tensor<256x384xf32> checkpoint "token.table" init <"normal", 0.{{.*}}, 2.{{.*}}>
model.parameter @table : tensor<256x384xf32> checkpoint "token.table" init <"normal", 0.0, 0.02>
// CHECK: model.parameter @gain [6] : tensor<384xf32> checkpoint "blocks.{0}.gain" init <"ones", {{.*}}> {frozen}
model.parameter @gain [6] : tensor<384xf32> checkpoint "blocks.{0}.gain" init <"ones", 0.0, 0.0> {frozen}

// CHECK: func.func @f
// CHECK-SAME: model.name = "tokens", model.shape = ["batch"]
// CHECK-SAME: model.dimensions = [#model.dimension<"batch", -1>, #model.dimension<"seq", 8, 1>], model.entry
func.func @f(%tokens: tensor<?xi32> {model.name = "tokens", model.shape = ["batch"]}, %l: index)
    attributes {model.entry, model.dimensions = [#model.dimension<"batch", -1>, #model.dimension<"seq", 8, 1>]} {
  // CHECK: model.get @table : tensor<256x384xf32>
  %t = model.get @table : tensor<256x384xf32>
  // CHECK: model.get @gain[%{{.*}}] : tensor<384xf32>
  %g = model.get @gain[%l] : tensor<384xf32>
  return
}

// CHECK: func.func @g
// CHECK-SAME: model.state
// CHECK-SAME: model.take_back = 2 : i64
func.func @g(%k: tensor<?x2x?x8xf32> {model.name = "k", model.shape = ["batch", "2", "seq", "8"]},
             %length: tensor<?xi32> {model.name = "length", model.shape = ["batch"]},
             %count: tensor<?xi32> {model.name = "count", model.shape = ["batch"]},
             %keys: tensor<6x?x2x5x8xf32> {model.name = "keys", model.shape = ["6", "batch", "2", "5", "8"], model.state})
    -> (tensor<6x?x2x5x8xf32> {model.name = "keys", model.shape = ["6", "batch", "2", "5", "8"], model.state})
    attributes {model.entry, model.take_back = 2 : i64,
                model.dimensions = [#model.dimension<"batch", -1>, #model.dimension<"seq", -1>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %done = arith.constant dense<1> : tensor<i32>
  %r = scf.for %l = %c0 to %c6 step %c1 iter_args(%s = %keys) -> tensor<6x?x2x5x8xf32> {
    // CHECK: model.append %{{.*}} to %{{.*}}[%{{.*}}] at %{{.*}} count %{{.*}} : tensor<?xi32> along 2 row 0 ring : tensor<?x2x?x8xf32> to tensor<6x?x2x5x8xf32> at tensor<?xi32>
    %a = model.append %k to %s[%l] at %length count %count : tensor<?xi32> along 2 row 0 ring
        : tensor<?x2x?x8xf32> to tensor<6x?x2x5x8xf32> at tensor<?xi32>
    // CHECK: model.end_if %{{.*}} : tensor<i32>
    model.end_if %done : tensor<i32>
    scf.yield %a : tensor<6x?x2x5x8xf32>
  }
  return %r : tensor<6x?x2x5x8xf32>
}

// CHECK: func.func @h
func.func @h(%k: tensor<?x8xf32>, %length: tensor<i32>, %keys: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // CHECK: model.append %{{.*}} to %{{.*}} at %{{.*}} along 0 : tensor<?x8xf32> to tensor<?x8xf32> at tensor<i32>
  %a = model.append %k to %keys at %length along 0 : tensor<?x8xf32> to tensor<?x8xf32> at tensor<i32>
  // CHECK: model.append %{{.*}} to %{{.*}} at %{{.*}} step %{{.*}} of %{{.*}} along 0 : tensor<1x8xf32> to tensor<?x8xf32> at tensor<i32>
  %t = arith.constant 2 : index
  %n = arith.constant 5 : index
  %row = tensor.extract_slice %k[0, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
  %b = model.append %row to %a at %length step %t of %n along 0 : tensor<1x8xf32> to tensor<?x8xf32> at tensor<i32>
  return %b : tensor<?x8xf32>
}

// CHECK: func.func @paged
func.func @paged(%k: tensor<?x2x?x8xf32>, %length: tensor<?xi32>, %table: tensor<?x?xi32>, %pool: tensor<?x2x16x8xf32>)
    -> tensor<?x2x16x8xf32> {
  // CHECK: model.append %{{.*}} to %{{.*}} at %{{.*}} through %{{.*}} : tensor<?x?xi32> along 2 row 0 : tensor<?x2x?x8xf32> to tensor<?x2x16x8xf32> at tensor<?xi32>
  %a = model.append %k to %pool at %length through %table : tensor<?x?xi32> along 2 row 0
      : tensor<?x2x?x8xf32> to tensor<?x2x16x8xf32> at tensor<?xi32>
  return %a : tensor<?x2x16x8xf32>
}

// CHECK: func.func @calls
func.func @calls(%prompt: tensor<?x1xi32>, %length: tensor<?xi32>) -> tensor<?x16xi32> {
  // CHECK: model.call @write(%{{.*}}, %{{.*}}) ["prompt", "prompt_length"] : (tensor<?x1xi32>, tensor<?xi32>) -> (tensor<?x16xi32>, tensor<?xi32>)
  %tokens, %count = model.call @write(%prompt, %length) ["prompt", "prompt_length"]
      : (tensor<?x1xi32>, tensor<?xi32>) -> (tensor<?x16xi32>, tensor<?xi32>)
  return %tokens : tensor<?x16xi32>
}
