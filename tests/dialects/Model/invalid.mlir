// RUN: attn-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{is 'tensor<?xf32>', expected a tensor of f32 with static sizes}}
model.parameter @w : tensor<?xf32> checkpoint "w" init <"ones", 0.0, 0.0>

// -----

// expected-error @+1 {{is a list of 0 entries, expected at least one}}
model.parameter @w [0] : tensor<2xf32> checkpoint "w.{0}" init <"ones", 0.0, 0.0>

// -----

// expected-error @+1 {{is a list of 3, but its checkpoint name "blocks.{0}.w" has no {1} to distinguish them}}
model.parameter @w [2, 3] : tensor<2xf32> checkpoint "blocks.{0}.w" init <"ones", 0.0, 0.0>

// -----

// expected-error @+1 {{has unknown initialiser "xavier", expected zeros, ones, constant, normal or uniform}}
model.parameter @w : tensor<2xf32> checkpoint "w" init <"xavier", 0.0, 0.0>

// -----

func.func @f() {
  // expected-error @+1 {{names no parameter of this module: w}}
  %w = model.get @w : tensor<2xf32>
  return
}

// -----

model.parameter @w : tensor<2xf32> checkpoint "w" init <"ones", 0.0, 0.0>
func.func @f() {
  // expected-error @+1 {{has type 'tensor<3xf32>', but parameter w is 'tensor<2xf32>'}}
  %w = model.get @w : tensor<3xf32>
  return
}

// -----

model.parameter @w [4] : tensor<2xf32> checkpoint "w.{0}" init <"ones", 0.0, 0.0>
func.func @f() {
  // expected-error @+1 {{has 0 indices, but parameter w has 1 list dimensions}}
  %w = model.get @w : tensor<2xf32>
  return
}

// -----

model.parameter @w [4] : tensor<2xf32> checkpoint "w.{0}" init <"ones", 0.0, 0.0>
func.func @f() {
  %4 = arith.constant 4 : index
  // expected-error @+1 {{names entry 4 of parameter w, which has 4 entries}}
  %w = model.get @w[%4] : tensor<2xf32>
  return
}

// -----

// expected-error @+1 {{has model.entry, which belongs on a public function with a body}}
func.func private @f() attributes {model.entry, model.dimensions = []}

// -----

// expected-error @+1 {{has model.entry but no model.dimensions}}
func.func @f() attributes {model.entry} {
  return
}

// -----

// expected-error @+1 {{has two dimensions named "n"}}
func.func @f() attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>, #model.dimension<"n", 4>]} {
  return
}

// -----

// expected-error @+1 {{dimension "n" has bound 0, expected at least 1, or -1 for none}}
func.func @f() attributes {model.entry, model.dimensions = [#model.dimension<"n", 0>]} {
  return
}

// -----

// expected-error @+1 {{dimension "n" has minimum size 9, expected at least 0 and at most its bound}}
func.func @f() attributes {model.entry, model.dimensions = [#model.dimension<"n", 8, 9>]} {
  return
}

// -----

// expected-error @+1 {{model.dimensions is ["n"], expected an array of #model.dimension}}
func.func @f() attributes {model.entry, model.dimensions = ["n"]} {
  return
}

// -----

// expected-error @+1 {{argument 0 is 'tensor<?x4xf32>', but its model.shape is ["n"], expected one string for each dimension}}
func.func @f(%x: tensor<?x4xf32> {model.shape = ["n"]}) {
  return
}

// -----

// expected-error @+1 {{result 0 is 'tensor<4xf32>', but its model.shape is ["5"]}}
func.func private @f() -> (tensor<4xf32> {model.shape = ["5"]})

// -----

// expected-error @+1 {{argument 0 has model.name 3 : i64, expected a string}}
func.func private @f(tensor<4xf32> {model.name = 3})

// -----

func.func @f(%done: tensor<i32>) {
  // expected-error @+1 {{is not in an scf.for}}
  model.end_if %done : tensor<i32>
  return
}

// -----

func.func @f(%done: tensor<2xi32>, %n: index) {
  scf.for %i = %n to %n step %n {
    // expected-error @+1 {{has condition 'tensor<2xi32>', expected tensor<i32>}}
    model.end_if %done : tensor<2xi32>
  }
  return
}

// -----

func.func @f(%k: tensor<?x3xf32>, %cache: tensor<?x3xf32>, %length: tensor<i32>) {
  // expected-error @+1 {{appends along dimension 2 of 'tensor<?x3xf32>'}}
  %r = model.append %k to %cache at %length along 2 : tensor<?x3xf32> to tensor<?x3xf32> at tensor<i32>
  return
}

// -----

func.func @f(%k: tensor<2x3xf32>, %cache: tensor<?x3xf32>, %length: tensor<i32>, %t: index, %n: index) {
  // expected-error @+1 {{appends a time step of 'tensor<2x3xf32>', expected size 1 along dimension 0}}
  %r = model.append %k to %cache at %length step %t of %n along 0 : tensor<2x3xf32> to tensor<?x3xf32> at tensor<i32>
  return
}

// -----

func.func @f(%k: tensor<?x3xf32>, %cache: tensor<?x3xf32>, %length: tensor<?xi32>) {
  // expected-error @+1 {{has lengths 'tensor<?xi32>', expected i32, one for each row}}
  %r = model.append %k to %cache at %length along 0 : tensor<?x3xf32> to tensor<?x3xf32> at tensor<?xi32>
  return
}

// -----

func.func @f(%k: tensor<2x?x3xf32>, %cache: tensor<2x4x3xf32>, %length: tensor<?xi32>, %count: tensor<i32>) {
  // expected-error @+1 {{has counts 'tensor<i32>', expected 'tensor<?xi32>'}}
  %r = model.append %k to %cache at %length count %count : tensor<i32> along 1 row 0 ring
      : tensor<2x?x3xf32> to tensor<2x4x3xf32> at tensor<?xi32>
  return
}

// -----

func.func @f(%k: tensor<2x?x3xf32>, %cache: tensor<5x4x3xf32>, %length: tensor<?xi32>, %table: tensor<?xi32>) {
  // expected-error @+1 {{has the table 'tensor<?xi32>', expected i32, a list of blocks for each row, without ring or step}}
  %r = model.append %k to %cache at %length through %table : tensor<?xi32> along 1 row 0
      : tensor<2x?x3xf32> to tensor<5x4x3xf32> at tensor<?xi32>
  return
}

// -----

func.func @f(%k: tensor<?x3xf32>, %cache: tensor<?x4xf32>, %length: tensor<i32>) {
  // expected-error @+1 {{has rows 'tensor<?x3xf32>' of a cache 'tensor<?x4xf32>'}}
  %r = model.append %k to %cache at %length along 0 : tensor<?x3xf32> to tensor<?x4xf32> at tensor<i32>
  return
}

// -----

model.parameter @count : tensor<i32> checkpoint "count" init <"zeros", 0.0, 0.0> {frozen, state}
model.parameter @w : tensor<2xf32> checkpoint "w" init <"ones", 0.0, 0.0>
model.parameter @m : tensor<2xf32> checkpoint "m" init <"zeros", 0.0, 0.0> {frozen, state}
func.func private @step(%p: tensor<2xf32>, %g: tensor<2xf32>, %t: tensor<f32>, %m: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  return %g, %m : tensor<2xf32>, tensor<2xf32>
}
// expected-error @+1 {{has a step of @v, expected a parameter that is not frozen}}
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {model.minimize = #model.minimize<count @count clip 0.0 steps <@v by @step with @m>>} {
  return %x : tensor<f32>
}

// -----

model.parameter @count : tensor<i32> checkpoint "count" init <"zeros", 0.0, 0.0> {frozen, state}
model.parameter @w : tensor<2xf32> checkpoint "w" init <"ones", 0.0, 0.0>
model.parameter @m : tensor<2xf32> checkpoint "m" init <"zeros", 0.0, 0.0> {frozen, state}
func.func private @step(%p: tensor<2xf32>, %g: tensor<2xf32>, %t: tensor<f32>, %m: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  return %g, %m : tensor<2xf32>, tensor<2xf32>
}
// expected-error @+1 {{has a step of @m, expected a parameter that is not frozen}}
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {model.minimize = #model.minimize<count @count clip 0.0 steps <@m by @step with @m>>} {
  return %x : tensor<f32>
}

// -----

model.parameter @count : tensor<i32> checkpoint "count" init <"zeros", 0.0, 0.0> {frozen, state}
model.parameter @w : tensor<2xf32> checkpoint "w" init <"ones", 0.0, 0.0>
model.parameter @m : tensor<2xf32> checkpoint "m" init <"zeros", 0.0, 0.0> {frozen, state}
func.func private @step(%p: tensor<2xf32>, %g: tensor<2xf32>, %t: tensor<f32>, %m: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  return %g, %m : tensor<2xf32>, tensor<2xf32>
}
// expected-error @+1 {{has a step of @w with state @w, expected a state with the same list dimensions}}
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {model.minimize = #model.minimize<count @count clip 0.0 steps <@w by @step with @w>>} {
  return %x : tensor<f32>
}

// -----

model.parameter @count : tensor<i32> checkpoint "count" init <"zeros", 0.0, 0.0> {frozen, state}
model.parameter @w : tensor<2xf32> checkpoint "w" init <"ones", 0.0, 0.0>
model.parameter @m : tensor<2xf32> checkpoint "m" init <"zeros", 0.0, 0.0> {frozen, state}
func.func private @step(%p: tensor<2xf32>, %g: tensor<2xf32>, %t: tensor<f32>, %m: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  return %g, %m : tensor<2xf32>, tensor<2xf32>
}
// expected-error @+1 {{has a step of @w by @step, expected a function with one block of type '(tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>'}}
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {model.minimize = #model.minimize<count @count clip 0.0 steps <@w by @step>>} {
  return %x : tensor<f32>
}

// -----

model.parameter @count : tensor<i32> checkpoint "count" init <"zeros", 0.0, 0.0> {frozen, state}
model.parameter @w : tensor<2xf32> checkpoint "w" init <"ones", 0.0, 0.0>
model.parameter @m : tensor<2xf32> checkpoint "m" init <"zeros", 0.0, 0.0> {frozen, state}
func.func private @step(%p: tensor<2xf32>, %g: tensor<2xf32>, %t: tensor<f32>, %m: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  return %g, %m : tensor<2xf32>, tensor<2xf32>
}
// expected-error @+1 {{has a step of @w by @none, expected a function with one block of type}}
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {model.minimize = #model.minimize<count @count clip 0.0 steps <@w by @none with @m>>} {
  return %x : tensor<f32>
}

// -----

model.parameter @count : tensor<i32> checkpoint "count" init <"zeros", 0.0, 0.0> {frozen, state}
model.parameter @w : tensor<2xf32> checkpoint "w" init <"ones", 0.0, 0.0>
model.parameter @m : tensor<2xf32> checkpoint "m" init <"zeros", 0.0, 0.0> {frozen, state}
func.func private @step(%p: tensor<2xf32>, %g: tensor<2xf32>, %t: tensor<f32>, %m: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  return %g, %m : tensor<2xf32>, tensor<2xf32>
}
// expected-error @+1 {{has step count @m, expected a state of type tensor<i32>}}
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {model.minimize = #model.minimize<count @m clip 0.0 steps <@w by @step with @m>>} {
  return %x : tensor<f32>
}

// -----

model.parameter @count : tensor<i32> checkpoint "count" init <"zeros", 0.0, 0.0> {frozen, state}
model.parameter @w : tensor<2xf32> checkpoint "w" init <"ones", 0.0, 0.0>
model.parameter @m : tensor<2xf32> checkpoint "m" init <"zeros", 0.0, 0.0> {frozen, state}
func.func private @step(%p: tensor<2xf32>, %g: tensor<2xf32>, %t: tensor<f32>, %m: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  return %g, %m : tensor<2xf32>, tensor<2xf32>
}
// expected-error @+1 {{clips gradients to -1.000000e+00 : f64, expected at least 0}}
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {model.minimize = #model.minimize<count @count clip -1.0 steps <@w by @step with @m>>} {
  return %x : tensor<f32>
}

// -----

model.parameter @count : tensor<i32> checkpoint "count" init <"zeros", 0.0, 0.0> {frozen, state}
model.parameter @w : tensor<2xf32> checkpoint "w" init <"ones", 0.0, 0.0>
model.parameter @m : tensor<2xf32> checkpoint "m" init <"zeros", 0.0, 0.0> {frozen, state}
func.func private @step(%p: tensor<2xf32>, %g: tensor<2xf32>, %t: tensor<f32>, %m: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  return %g, %m : tensor<2xf32>, tensor<2xf32>
}
// expected-error @+1 {{minimizes over 0 batches, expected at least one}}
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {model.minimize = #model.minimize<count @count clip 0.0 batches 0 steps <@w by @step with @m>>} {
  return %x : tensor<f32>
}

// -----

model.parameter @count : tensor<i32> checkpoint "count" init <"zeros", 0.0, 0.0> {frozen, state}
model.parameter @w : tensor<2xf32> checkpoint "w" init <"ones", 0.0, 0.0>
model.parameter @m : tensor<2xf32> checkpoint "m" init <"zeros", 0.0, 0.0> {frozen, state}
func.func private @step(%p: tensor<2xf32>, %g: tensor<2xf32>, %t: tensor<f32>, %m: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  return %g, %m : tensor<2xf32>, tensor<2xf32>
}
// expected-error @+1 {{minimizes over 2 batches, but argument 0 has no model.shape}}
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {model.minimize = #model.minimize<count @count clip 0.0 batches 2 steps <@w by @step with @m>>} {
  return %x : tensor<f32>
}

// -----

model.parameter @count : tensor<i32> checkpoint "count" init <"zeros", 0.0, 0.0> {frozen, state}
model.parameter @w : tensor<2xf32> checkpoint "w" init <"ones", 0.0, 0.0>
model.parameter @m : tensor<2xf32> checkpoint "m" init <"zeros", 0.0, 0.0> {frozen, state}
func.func private @step(%p: tensor<2xf32>, %g: tensor<2xf32>, %t: tensor<f32>, %m: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  return %g, %m : tensor<2xf32>, tensor<2xf32>
}
// expected-error @+1 {{sets @w twice in a training step}}
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {model.minimize = #model.minimize<count @count clip 0.0 steps <@w by @step with @m>, <@w by @step with @m>>} {
  return %x : tensor<f32>
}

// -----

model.parameter @count : tensor<i32> checkpoint "count" init <"zeros", 0.0, 0.0> {frozen, state}
model.parameter @w : tensor<2xf32> checkpoint "w" init <"ones", 0.0, 0.0>
model.parameter @m : tensor<2xf32> checkpoint "m" init <"zeros", 0.0, 0.0> {frozen, state}
func.func private @step(%p: tensor<2xf32>, %g: tensor<2xf32>, %t: tensor<f32>, %m: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  return %g, %m : tensor<2xf32>, tensor<2xf32>
}
// expected-error @+1 {{has model.minimize, which belongs on a function whose results are tensor<f32>}}
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> attributes {model.minimize = #model.minimize<count @count clip 0.0 steps <@w by @step with @m>>} {
  return %x : tensor<2xf32>
}

// -----

model.parameter @count : tensor<i32> checkpoint "count" init <"zeros", 0.0, 0.0> {frozen, state}
model.parameter @w : tensor<2xf32> checkpoint "w" init <"ones", 0.0, 0.0>
model.parameter @m : tensor<2xf32> checkpoint "m" init <"zeros", 0.0, 0.0> {frozen, state}
func.func private @step(%p: tensor<2xf32>, %g: tensor<2xf32>, %t: tensor<f32>, %m: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  return %g, %m : tensor<2xf32>, tensor<2xf32>
}
// expected-error @+1 {{has model.minimize = unit, expected #model.minimize on a function}}
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {model.minimize = unit} {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{has model.decode = {of = "g"}, expected {of = "f", at_most = 1}, with at least 1 token}}
func.func @f() attributes {model.decode = {of = "g"}} {
  return
}

// -----

// expected-error @+1 {{has model.decode = {at_most = 2 : i64, beams = 0 : i64, of = "g"}}}
func.func @f() attributes {model.decode = {of = "g", at_most = 2 : i64, beams = 0 : i64}} {
  return
}

// -----

// expected-error @+1 {{has model.incremental = unit, expected the name of a dimension}}
func.func @f() attributes {model.incremental = unit} {
  return
}

// -----

func.func @f(%prompt: tensor<?x1xi32>, %length: tensor<?xi32>) {
  // expected-error @+1 {{has 1 names for 2 operands}}
  %r:2 = model.call @write(%prompt, %length) ["prompt"] : (tensor<?x1xi32>, tensor<?xi32>) -> (tensor<?x16xi32>, tensor<?xi32>)
  return
}

// -----

func.func @f(%length: tensor<?xi32>) {
  // expected-error @+1 {{has no prompt of rank 2 as first operand}}
  %r:2 = model.call @write(%length) ["prompt_length"] : (tensor<?xi32>) -> (tensor<?x16xi32>, tensor<?xi32>)
  return
}

// -----

func.func @f(%prompt: tensor<?x1xi32>) {
  // expected-error @+1 {{has the result 'tensor<?x?xi32>', expected one dynamic size, that of the prompt's rows}}
  %r = model.call @write(%prompt) ["prompt"] : (tensor<?x1xi32>) -> tensor<?x?xi32>
  return
}
