// RUN: attn-opt %S/reasons/slice-narrowed.mlir --attn-narrow-slices | FileCheck %s

// CHECK: %[[ROW:.*]] = tensor.extract_slice %arg0[0, 0] [1, 16]
// CHECK: linalg.generic {{.*}} ins(%[[ROW]] : tensor<1x16xf32>)

// RUN: attn-opt %s --attn-narrow-slices | FileCheck %s --check-prefix=WHOLE

// A tensor with a reader of all elements is computed as a whole, and sliced.
// WHOLE-LABEL: @whole
// WHOLE:         %[[Y:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<8x16xf32>)
// WHOLE:         tensor.extract_slice %[[Y]][0, 0] [1, 16]
func.func @whole(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<1x16xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.tanh %a : f32
    linalg.yield %r : f32
  } -> tensor<8x16xf32>
  %z = tensor.extract_slice %y[0, 0] [1, 16] [1, 1] : tensor<8x16xf32> to tensor<1x16xf32>
  return %y, %z : tensor<8x16xf32>, tensor<1x16xf32>
}
