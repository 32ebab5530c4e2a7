// RUN: attn-opt %s --attn-lift-gathers | FileCheck %s
// RUN: attn-opt %s --attn-lift-gathers --attn-form-rows | FileCheck %s --check-prefix=ROWS

// The picked elements become a tensor over the rows, and part of the kernel of the rows' reduction.
// CHECK-LABEL: @loss
// CHECK:         %[[PICKED:.*]] = linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%{{.*}} : tensor<64xi32>)
// CHECK:           tensor.extract
// CHECK:         linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%{{.*}}, %{{.*}}, %[[PICKED]] :
// CHECK-NOT:       tensor.extract
// CHECK:         return
// ROWS-LABEL: @loss
// ROWS-COUNT-2: attn.group = [0, "rows"]
// ROWS:           tensor.extract
// ROWS-NOT:     attn.group
// ROWS-LABEL: @table
func.func @loss(%x0: tensor<100x64xf32>, %targets: tensor<64xi32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %all = tensor.empty() : tensor<64x100xf32>
  %x = linalg.transpose ins(%x0 : tensor<100x64xf32>) outs(%all : tensor<64x100xf32>) permutation = [1, 0]
  %rows = tensor.empty() : tensor<64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x100xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.exp %a : f32
    %y = arith.addf %o, %e : f32
    linalg.yield %y : f32
  } -> tensor<64xf32>
  %one = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%one : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%s, %targets : tensor<64xf32>, tensor<64xi32>) outs(%start : tensor<f32>) {
  ^bb0(%a: f32, %t: i32, %o: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %t : i32 to index
    %picked = tensor.extract %x[%i, %k] : tensor<64x100xf32>
    %l = math.log %a : f32
    %d = arith.subf %l, %picked : f32
    %y = arith.addf %o, %d : f32
    linalg.yield %y : f32
  } -> tensor<f32>
  return %loss : tensor<f32>
}

// A read from a tensor without a reduction of its rows is not hoisted.
// CHECK-LABEL: @table
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT:     linalg.generic
func.func @table(%x: tensor<?x100xf32>, %targets: tensor<?xi32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %one = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%one : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%targets : tensor<?xi32>) outs(%start : tensor<f32>) {
  ^bb0(%t: i32, %o: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %t : i32 to index
    %picked = tensor.extract %x[%i, %k] : tensor<?x100xf32>
    %y = arith.addf %o, %picked : f32
    linalg.yield %y : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}
