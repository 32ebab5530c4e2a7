// RUN: attn-opt %S/reasons/rows-fused.mlir --attn-fuse-pointwise --attn-form-rows | FileCheck %s

// The four ops of a softmax are one group.
// CHECK-COUNT-4: attn.group = [0, "rows"]
// CHECK-NOT:     attn.group

// RUN: attn-opt %S/reasons/different-rows.mlir --attn-fuse-pointwise --attn-form-rows | FileCheck %s --check-prefix=APART

// A reader of the transposed rows is not in the group.
// APART-COUNT-4: attn.group = [0, "rows"]
// APART:         linalg.generic
// APART-NOT:     attn.group
