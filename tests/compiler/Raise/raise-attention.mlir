// RUN: attn-opt %s --attn-raise-attention --canonicalize --cse | FileCheck %s

// The sum of values weighted by a softmax becomes attention; nothing has an element for each pair any more.
// CHECK:       attn.decisions = [{{.*}}reason = "attention-raised"
// CHECK-LABEL: func.func @attention
// CHECK-NOT:     tensor<5x7xf32>
// CHECK:         attn.attend softmax outer(%{{.*}}) keys(%{{.*}}) values(%{{.*}}) yields [value] score(
// CHECK:           attn.reduce add
// CHECK-NOT:     math.exp
// CHECK:         return %{{.*}} : tensor<5x4xf32>

#score = affine_map<(i, j, d) -> (i, j)>
#query = affine_map<(i, j, d) -> (i, d)>
#key = affine_map<(i, j, d) -> (j, d)>
#pair = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#weight = affine_map<(i, f, j) -> (i, j)>
#value = affine_map<(i, f, j) -> (j, f)>
#sum = affine_map<(i, f, j) -> (i, f)>

func.func @attention(%q: tensor<5x8xf32>, %k: tensor<7x8xf32>, %v: tensor<7x4xf32>) -> tensor<5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %pairs = tensor.empty() : tensor<5x7xf32>
  %rows = tensor.empty() : tensor<5xf32>
  %values = tensor.empty() : tensor<5x4xf32>
  %no_scores = linalg.fill ins(%zero : f32) outs(%pairs : tensor<5x7xf32>) -> tensor<5x7xf32>
  %no_maxima = linalg.fill ins(%lowest : f32) outs(%rows : tensor<5xf32>) -> tensor<5xf32>
  %no_sums = linalg.fill ins(%zero : f32) outs(%rows : tensor<5xf32>) -> tensor<5xf32>
  %no_values = linalg.fill ins(%zero : f32) outs(%values : tensor<5x4xf32>) -> tensor<5x4xf32>
  %scores = linalg.generic {indexing_maps = [#query, #key, #score], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<5x8xf32>, tensor<7x8xf32>) outs(%no_scores : tensor<5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<5x7xf32>
  %maxima = linalg.generic {indexing_maps = [#pair, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scores : tensor<5x7xf32>) outs(%no_maxima : tensor<5xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.maximumf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<5xf32>
  %powers = linalg.generic {indexing_maps = [#pair, #row, #pair], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %maxima : tensor<5x7xf32>, tensor<5xf32>) outs(%pairs : tensor<5x7xf32>) {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %d = arith.subf %a, %m : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<5x7xf32>
  %sums = linalg.generic {indexing_maps = [#pair, #row], iterator_types = ["parallel", "reduction"]}
      ins(%powers : tensor<5x7xf32>) outs(%no_sums : tensor<5xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<5xf32>
  %weights = linalg.generic {indexing_maps = [#pair, #row, #pair], iterator_types = ["parallel", "parallel"]}
      ins(%powers, %sums : tensor<5x7xf32>, tensor<5xf32>) outs(%pairs : tensor<5x7xf32>) {
  ^bb0(%a: f32, %l: f32, %s: f32):
    %t = arith.divf %a, %l : f32
    linalg.yield %t : f32
  } -> tensor<5x7xf32>
  %result = linalg.generic {indexing_maps = [#weight, #value, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%weights, %v : tensor<5x7xf32>, tensor<7x4xf32>) outs(%no_values : tensor<5x4xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<5x4xf32>
  return %result : tensor<5x4xf32>
}
