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
