// RUN: attn-opt %S/reasons/formula-folded.mlir --attn-fold-formulas | FileCheck %s
// RUN: attn-opt %S/reasons/recomputed-per-key.mlir --attn-fold-formulas | FileCheck %s --check-prefix=KEPT

// A bias of all pairs becomes arithmetic on the indices of the score.
// CHECK-NOT: linalg.generic
// CHECK:     attn.attend
// CHECK:       score(%[[I:.*]], %[[J:.*]])
// CHECK:         arith.subi %[[J]], %[[I]] : index
// CHECK-NOT: linalg.generic

// Keys that are scaled before are not scaled again for every query.
// KEPT:     %[[K:.*]] = linalg.generic
// KEPT:     attn.attend
// KEPT:       tensor.extract %[[K]]
