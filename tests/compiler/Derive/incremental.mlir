// RUN: attn-opt %s --attn-incremental --canonicalize --cse | FileCheck %s

// Causal attention becomes a function for many positions and one for the next position, with a cache of the keys.
// CHECK-LABEL: func.func @next_prefill
// CHECK-SAME:    %[[X:.+]]: tensor<?x?x4xf32> {model.name = "x"
// CHECK-SAME:    %[[LENGTH:.+]]: tensor<?xi32> {model.name = "length"
// CHECK-SAME:    %[[PAST:.+]]: tensor<?x?x4xf32> {model.name = "past", model.shape = ["batch", "capacity", "4"], model.state}
// CHECK:         %[[CACHE:.+]] = model.append %[[X]] to %[[PAST]] at %[[LENGTH]]
// CHECK:         attn.attend
// CHECK:           tensor.extract %[[X]]
// CHECK:           tensor.extract %[[CACHE]]
// CHECK:         return %{{.*}}, %[[CACHE]]
// CHECK-LABEL: func.func @next(
// CHECK-SAME:    tensor<?x1x4xf32> {model.name = "x", model.shape = ["batch", "1", "4"]}
// CHECK:         model.append
// CHECK:         attn.attend
func.func @next(%x: tensor<?x?x4xf32> {model.name = "x", model.shape = ["batch", "seq", "4"]})
    -> (tensor<?x?x4xf32> {model.name = "next", model.shape = ["batch", "seq", "4"]})
    attributes {model.dimensions = [#model.dimension<"batch", -1>, #model.dimension<"seq", 64>], model.entry,
                model.incremental = "seq"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x4xf32>
  %seq = tensor.dim %x, %c1 : tensor<?x?x4xf32>
  %y = attn.attend softmax outer(%batch, %seq) keys(%seq) values(%c4) yields [value]
    score(%b, %i, %j) {
      %query = tensor.extract %x[%b, %i, %c0] : tensor<?x?x4xf32>
      %key = tensor.extract %x[%b, %j, %c1] : tensor<?x?x4xf32>
      %s = arith.mulf %query, %key : f32
      attn.yield %s : f32
    }
    mask(%b, %i, %j) {
      %keep = arith.cmpi sle, %j, %i : index
      attn.yield %keep : i1
    }
    value(%b, %i, %j, %d) {
      %v = tensor.extract %x[%b, %j, %d] : tensor<?x?x4xf32>
      attn.yield %v : f32
    } : tensor<?x?x4xf32>
  return %y : tensor<?x?x4xf32>
}

// With model.paged, the caches are pools of blocks, and a table has the blocks of each row.
// CHECK-LABEL: func.func @paged_prefill
// CHECK-SAME:    %[[LENGTH:[a-z0-9]+]]: tensor<?xi32> {model.name = "length"
// CHECK-SAME:    %[[COUNT:[a-z0-9]+]]: tensor<?xi32> {model.name = "count"
// CHECK-SAME:    %[[TABLE:[a-z0-9]+]]: tensor<?x?xi32> {model.name = "table", model.shape = ["batch", "row_blocks"]}
// CHECK-SAME:    %[[PAST:[a-z0-9]+]]: tensor<?x16x4xf32> {model.name = "past", model.shape = ["blocks", "16", "4"], model.state}
// CHECK-SAME:    #model.dimension<"row_blocks", 4>, #model.dimension<"blocks", -1, 1>
// CHECK:         %[[POOL:.+]] = model.append %{{.+}} to %[[PAST]] at %[[LENGTH]] count %[[COUNT]] : tensor<?xi32> through %[[TABLE]]
// CHECK:         attn.attend
// CHECK:           tensor.extract %[[TABLE]]
// CHECK:           tensor.extract %[[POOL]]{{.*}} {attn.proved = array<i64: 0>}
// CHECK-LABEL: func.func @paged(
// CHECK-SAME:    %[[TABLE:[a-z0-9]+]]: tensor<?x?xi32> {model.name = "table"
// CHECK:         model.append {{.*}} through %[[TABLE]]
func.func @paged(%x: tensor<?x?x4xf32> {model.name = "x", model.shape = ["batch", "seq", "4"]})
    -> (tensor<?x?x4xf32> {model.name = "paged", model.shape = ["batch", "seq", "4"]})
    attributes {model.dimensions = [#model.dimension<"batch", -1>, #model.dimension<"seq", 64>], model.entry,
                model.incremental = "seq", model.paged = 16 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x4xf32>
  %seq = tensor.dim %x, %c1 : tensor<?x?x4xf32>
  %y = attn.attend softmax outer(%batch, %seq) keys(%seq) values(%c4) yields [value]
    score(%b, %i, %j) {
      %query = tensor.extract %x[%b, %i, %c0] : tensor<?x?x4xf32>
      %key = tensor.extract %x[%b, %j, %c1] : tensor<?x?x4xf32>
      %s = arith.mulf %query, %key : f32
      attn.yield %s : f32
    }
    mask(%b, %i, %j) {
      %keep = arith.cmpi sle, %j, %i : index
      attn.yield %keep : i1
    }
    value(%b, %i, %j, %d) {
      %v = tensor.extract %x[%b, %j, %d] : tensor<?x?x4xf32>
      attn.yield %v : f32
    } : tensor<?x?x4xf32>
  return %y : tensor<?x?x4xf32>
}
