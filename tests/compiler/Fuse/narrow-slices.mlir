// RUN: attn-opt %S/reasons/slice-narrowed.mlir --attn-narrow-slices | FileCheck %s

// CHECK: %[[ROW:.*]] = tensor.extract_slice %arg0[0, 0] [1, 16]
// CHECK: linalg.generic {{.*}} ins(%[[ROW]] : tensor<1x16xf32>)
