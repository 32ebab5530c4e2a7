// RUN: attn-opt %s -split-input-file -verify-diagnostics

func.func @normaliser(%n: index) {
  // expected-error @+1 {{unknown normaliser 'sparsemax', expected softmax, ratio, none, entmax, hard or stick_breaking}}
  %y = attn.attend sparsemax outer() keys(%n) values() yields [value]
  return
}

// -----

func.func @no_keys(%n: index) {
  // expected-error @+1 {{has no key dimension}}
  %y = attn.attend softmax outer(%n) keys() values() yields [weights]
    score(%i) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?xf32>
  return
}

// -----

func.func @score_arguments(%n: index) {
  // expected-error @+1 {{score region has arguments ('index'), expected ('index', 'index'): outer indices, then key indices}}
  %y = attn.attend softmax outer(%n) keys(%n) values() yields [weights]
    score(%i) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?x?xf32>
  return
}

// -----

func.func @weight_arguments(%n: index) {
  // expected-error @+1 {{weight region has arguments ('index', 'index'), expected ('f32', 'index', 'index'): the weight, then outer and key indices}}
  %y = attn.attend softmax outer(%n) keys(%n) values() yields [weights]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 }
    weight(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?x?xf32>
  return
}

// -----

func.func @mask_type(%n: index) {
  // expected-error @+1 {{mask region yields 'f32', expected 'i1'}}
  %y = attn.attend softmax outer(%n) keys(%n) values() yields [weights]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 }
    mask(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?x?xf32>
  return
}

// -----

func.func @tensor_op_inside(%n: index, %x: tensor<?xf32>) {
  %y = attn.attend softmax outer(%n) keys(%n) values() yields [weights]
    score(%i, %j) {
      // expected-error @+1 {{'tensor.empty' op is not allowed in the score region of attn.attend, which contains only arith, math, tensor.extract, tensor.dim, affine.apply, attn.reduce, attn.stop and attn.uniform}}
      %t = tensor.empty(%i) : tensor<?xf32>
      %e = tensor.extract %t[%j] : tensor<?xf32>
      attn.yield %e : f32
    } : tensor<?x?xf32>
  return
}

// -----

func.func @statistic(%n: index) {
  // expected-error @+1 {{yields unknown statistic "variance", expected one of value weights lse entropy top top_weights key_sums}}
  %y = attn.attend softmax outer(%n) keys(%n) values() yields [variance]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?xf32>
  return
}

// -----

func.func @twice(%n: index) {
  // expected-error @+1 {{yields lse twice}}
  %y:2 = attn.attend softmax outer(%n) keys(%n) values() yields [lse, lse]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?xf32>, tensor<?xf32>
  return
}

// -----

func.func @lse_of_ratio(%n: index) {
  // expected-error @+1 {{yields lse but normalises by ratio: only `softmax` has a log of the sum of exponentials}}
  %y = attn.attend ratio outer(%n) keys(%n) values() yields [lse]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?xf32>
  return
}

// -----

func.func @entropy_of_none(%n: index) {
  // expected-error @+1 {{yields entropy but normalises by none: `entropy` is not implemented for the attention weights of this normaliser}}
  %y = attn.attend none outer(%n) keys(%n) values() yields [entropy]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?xf32>
  return
}

// -----

func.func @top_of_how_many(%n: index) {
  // expected-error @+1 {{yields top without the number of keys, expected for example top = 4}}
  %y = attn.attend softmax outer(%n) keys(%n) values() yields [top]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?x4xi32>
  return
}

// -----

func.func @top_of_floats(%n: index) {
  // expected-error @+1 {{result top is 'tensor<?x4xf32>', expected elements of i32}}
  %y = attn.attend softmax outer(%n) keys(%n) values() yields [top]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } {top = 4 : i64} : tensor<?x4xf32>
  return
}

// -----

func.func @summed_over_what(%n: index) {
  // expected-error @+1 {{yields key_sums without the outer dimensions that it sums over, expected some of its 1 in ascending order: summed = array<i64: 0>}}
  %y = attn.attend softmax outer(%n) keys(%n) values() yields [key_sums]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } {summed = array<i64: 1>} : tensor<?xf32>
  return
}

// -----

func.func @gradient_of_keys(%n: index, %x: tensor<?xf32>, %d: tensor<?x4xi32>) {
  // expected-error @+1 {{has a cotangent of top, which has no derivative}}
  %y = attn.attend_gradient softmax outer(%n) keys(%n) values() yields [top] cotangents(%d : tensor<?x4xi32>)
    of(%x : tensor<?xf32>)
    score(%i, %j) { %z = tensor.extract %x[%j] : tensor<?xf32> attn.yield %z : f32 } {top = 4 : i64}
  return
}

// -----

func.func @results(%n: index) {
  // expected-error @+1 {{yields 2 statistics but has 1 results}}
  %y = attn.attend softmax outer(%n) keys(%n) values() yields [lse, weights]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?xf32>
  return
}

// -----

func.func @no_value_region(%n: index) {
  // expected-error @+1 {{yields a value but has no value region}}
  %y = attn.attend softmax outer(%n) keys(%n) values() yields [value]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?xf32>
  return
}

// -----

func.func @value_sizes_alone(%n: index) {
  // expected-error @+1 {{has 1 value sizes but no value region}}
  %y = attn.attend softmax outer(%n) keys(%n) values(%n) yields [lse]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?xf32>
  return
}

// -----

func.func @rank(%n: index) {
  // expected-error @+1 {{result weights is 'tensor<?xf32>', expected rank 2}}
  %y = attn.attend softmax outer(%n) keys(%n) values() yields [weights]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?xf32>
  return
}

// -----

func.func @element(%n: index) {
  // expected-error @+1 {{result lse is 'tensor<?xi32>', expected elements of f32}}
  %y = attn.attend softmax outer(%n) keys(%n) values() yields [lse]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?xi32>
  return
}

// -----

func.func @size(%n: index) {
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{result value is 'tensor<?x3xf32>', but the size of dimension 1 is 4}}
  %y = attn.attend softmax outer(%n) keys(%n) values(%c4) yields [value]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 }
    value(%i, %j, %d) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?x3xf32>
  return
}

// -----

func.func @size_by_layout(%n: index) {
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{result value is 'tensor<3x4xf32>', but the size of dimension 0 is 4}}
  %z = attn.attend softmax outer(%c4) keys(%n) values(%c4) yields [value]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 }
    value(%i, %j, %d) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 }
    {value_layout = array<i64: 1, 0>} : tensor<3x4xf32>
  return
}

// -----

func.func @layout(%n: index) {
  // expected-error @+1 {{value_layout [0, 0] is not a permutation of the 2 outer and value dimensions}}
  %y = attn.attend softmax outer(%n) keys(%n) values(%n) yields [value]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 }
    value(%i, %j, %d) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 }
    {value_layout = array<i64: 0, 0>} : tensor<?x?xf32>
  return
}

// -----

func.func @reduction(%n: index) -> f32 {
  // expected-error @+1 {{unknown reduction 'mean', expected add, mul, max or min}}
  %y = attn.reduce mean (%i) in (%n) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : f32
  return %y : f32
}

// -----

func.func @reduce_sizes(%n: index) -> f32 {
  // expected-error @+1 {{has 2 indices but 1 sizes}}
  %y = attn.reduce add (%i, %j) in (%n) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : f32
  return %y : f32
}

// -----

func.func @reduce_nothing() -> f32 {
  // expected-error @+1 {{reduces over no index}}
  %y = attn.reduce add () in () { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : f32
  return %y : f32
}

// -----

func.func @reduce_type(%n: index) -> i32 {
  // expected-error @+1 {{yields 'f32' but its result is 'i32'}}
  %y = attn.reduce add (%i) in (%n) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : i32
  return %y : i32
}

// -----

func.func @entmax_without_alpha(%n: index) {
  // expected-error @+1 {{normalises by entmax without an alpha, expected for example entmax(1.5)}}
  %y = attn.attend entmax outer(%n) keys(%n) values() yields [weights]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?x?xf32>
  return
}

// -----

func.func @alpha_out_of_range(%n: index) {
  // expected-error @+1 {{normalises by entmax(2.500000e+00), expected an alpha in (1, 2]}}
  %y = attn.attend entmax(2.5) outer(%n) keys(%n) values() yields [weights]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?x?xf32>
  return
}

// -----

func.func @alpha_of_hard(%n: index) {
  // expected-error @+1 {{has an alpha, which requires entmax, but normalises by hard}}
  %y = attn.attend hard(1.5) outer(%n) keys(%n) values() yields [weights]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?x?xf32>
  return
}

// -----

func.func @sink_of_ratio(%n: index) {
  // expected-error @+1 {{has a sink, which requires softmax, but normalises by ratio}}
  %y = attn.attend ratio outer(%n) keys(%n) values() yields [weights]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 }
    sink(%i) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?x?xf32>
  return
}

// -----

func.func @sink_of_keys(%n: index) {
  // expected-error @+1 {{sink region has arguments ('index', 'index'), expected ('index'): outer indices}}
  %y = attn.attend softmax outer(%n) keys(%n) values() yields [weights]
    score(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 }
    sink(%i, %j) { %z = arith.constant 0.0 : f32 attn.yield %z : f32 } : tensor<?x?xf32>
  return
}

// -----

func.func @gradient_of_argument(%y: tensor<f32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{is taken of a tensor that is not the result of an attn.variable in its block}}
  %g = attn.gradient %y of %x : tensor<f32>, tensor<?xf32>
  return %g : tensor<?xf32>
}
