// RUN: attn-opt %s --attn-form-contractions | FileCheck %s

// A convolution with windows of one pixel is a matrix product without copies.
// CHECK-LABEL: func.func @point
// CHECK-DAG:     %[[w:.*]] = tensor.collapse_shape %arg1 {{\[}}[0, 1, 2], [3]] : tensor<1x1x8x16xf32> into tensor<8x16xf32>
// CHECK-DAG:     %[[x:.*]] = tensor.collapse_shape %arg0 {{\[}}[0, 1, 2], [3]] : tensor<?x5x6x8xf32> into tensor<?x8xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[x]], %[[w]] : {{.*}} attrs = {attn.group = [0, "gemm"]}
// CHECK-NOT:     linalg.generic
// CHECK:         return
#w = affine_map<(b, i, j, o, di, dj, c) -> (di, dj, c, o)>
#y = affine_map<(b, i, j, o, di, dj, c) -> (b, i, j, o)>
func.func @point(%x: tensor<?x5x6x8xf32>, %w: tensor<1x1x8x16xf32>) -> tensor<?x5x6x16xf32>
    attributes {model.entry, model.dimensions = [#model.dimension<"batch", -1>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %batch = tensor.dim %x, %c0 : tensor<?x5x6x8xf32>
  %empty = tensor.empty(%batch) : tensor<?x5x6x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x5x6x16xf32>) -> tensor<?x5x6x16xf32>
  %y = linalg.generic {indexing_maps = [#w, #y],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%w : tensor<1x1x8x16xf32>) outs(%start : tensor<?x5x6x16xf32>) {
  ^bb0(%weight: f32, %sum: f32):
    %b = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = linalg.index 6 : index
    %pixel = tensor.extract %x[%b, %i, %j, %c] : tensor<?x5x6x8xf32>
    %term = arith.mulf %pixel, %weight : f32
    %next = arith.addf %sum, %term : f32
    linalg.yield %next : f32
  } -> tensor<?x5x6x16xf32>
  return %y : tensor<?x5x6x16xf32>
}

// The gradient by the weights has these dimensions in its result.
// CHECK-LABEL: func.func @by_weights
// CHECK:         %[[dw:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x16xf32>)
// CHECK:         tensor.expand_shape %[[dw]] {{\[}}[0, 1, 2], [3]] output_shape [1, 1, 8, 16]
func.func @by_weights(%x: tensor<?x5x8xf32>, %dy: tensor<?x5x16xf32>) -> tensor<1x1x8x16xf32>
    attributes {model.entry, model.dimensions = [#model.dimension<"batch", -1>]} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x1x8x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x1x8x16xf32>) -> tensor<1x1x8x16xf32>
  %dw = linalg.generic {indexing_maps = [affine_map<(b, s, di, dj, c, o) -> (b, s, c)>,
      affine_map<(b, s, di, dj, c, o) -> (b, s, o)>, affine_map<(b, s, di, dj, c, o) -> (di, dj, c, o)>],
      iterator_types = ["reduction", "reduction", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %dy : tensor<?x5x8xf32>, tensor<?x5x16xf32>) outs(%start : tensor<1x1x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %term = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %term : f32
    linalg.yield %next : f32
  } -> tensor<1x1x8x16xf32>
  return %dw : tensor<1x1x8x16xf32>
}

// A single output remains a column.
// CHECK-LABEL: func.func @one_output
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<?x1xf32>) attrs = {attn.group = [0, "gemm"]}
func.func @one_output(%x: tensor<?x5x8xf32>, %w: tensor<1x8x1xf32>) -> tensor<?x5x1xf32>
    attributes {model.entry, model.dimensions = [#model.dimension<"batch", -1>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %batch = tensor.dim %x, %c0 : tensor<?x5x8xf32>
  %empty = tensor.empty(%batch) : tensor<?x5x1xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x5x1xf32>) -> tensor<?x5x1xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, s, o, t, c) -> (b, s, c)>,
      affine_map<(b, s, o, t, c) -> (t, c, o)>, affine_map<(b, s, o, t, c) -> (b, s, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x5x8xf32>, tensor<1x8x1xf32>) outs(%start : tensor<?x5x1xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %term = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %term : f32
    linalg.yield %next : f32
  } -> tensor<?x5x1xf32>
  return %y : tensor<?x5x1xf32>
}
