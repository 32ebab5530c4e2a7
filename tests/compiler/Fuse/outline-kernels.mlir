// RUN: attn-opt %s --attn-outline-kernels --split-input-file | FileCheck %s

// Ops without cost are not outlined: a reshape is no kernel.
// CHECK-LABEL: func.func @reshape
// CHECK-NEXT:    tensor.collapse_shape
// CHECK-NEXT:    return
func.func @reshape(%x: tensor<?x16xf32>) -> tensor<?xf32> {
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<?x16xf32> into tensor<?xf32>
  return %y : tensor<?xf32>
}

// The ops of a group become one kernel, and each other op its own; sizes come from the kernel's own arguments.
// CHECK-LABEL: func.func @entry
// CHECK-SAME:    %[[X:.*]]: tensor<?x16xf32>
// CHECK-NOT:     linalg.generic
// CHECK:         %[[P:.*]] = call @entry_rows_0(%[[X]])
// CHECK:         call @entry_loops_0(%[[P]])
// CHECK-LABEL: func.func private @entry_rows_0
// CHECK-SAME:    %[[A:.*]]: tensor<?x16xf32>
// CHECK-SAME:    attn.kernel = "rows"
// CHECK:         tensor.dim %[[A]]
// CHECK-COUNT-2: linalg.generic
// CHECK-LABEL: func.func private @entry_loops_0
// CHECK-SAME:    attn.kernel = "loops"
// CHECK:         math.tanh
func.func @entry(%x: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %lowest = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %me = tensor.empty(%n) : tensor<?xf32>
  %mf = linalg.fill {attn.group = [0, "rows"]} ins(%lowest : f32) outs(%me : tensor<?xf32>) -> tensor<?xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x16xf32>) outs(%mf : tensor<?xf32>) attrs = {attn.group = [0, "rows"]} {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<?x16xf32>, tensor<?xf32>) outs(%e : tensor<?x16xf32>) attrs = {attn.group = [0, "rows"]} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.tanh %a : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}

// -----

// Interleaved groups: outlining the first changes the order of the second one's ops.
// CHECK-LABEL: func.func @interleaved
// CHECK-SAME:    %[[X:.*]]: tensor<?xf32>
// CHECK:         %[[FIRST:.*]]:2 = call @interleaved_loops_0(%[[X]])
// CHECK-NEXT:    %[[BETWEEN:.*]] = call @interleaved_loops_1(%[[FIRST]]#0)
// CHECK-NEXT:    %[[SECOND:.*]]:2 = call @interleaved_loops_2(%[[X]], %[[BETWEEN]])
// CHECK-NEXT:    return %[[FIRST]]#1, %[[SECOND]]#1, %[[SECOND]]#0
func.func @interleaved(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.exp {attn.group = [0, "loops"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %between = linalg.tanh {attn.group = [2, "loops"]} ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %b = linalg.abs {attn.group = [1, "loops"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %c = linalg.add {attn.group = [1, "loops"]} ins(%b, %between : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %d = linalg.square {attn.group = [1, "loops"]} ins(%b : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %f = linalg.mul {attn.group = [0, "loops"]} ins(%a, %x : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %f, %c, %d : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
