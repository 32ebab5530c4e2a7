// RUN: attn-opt %S/reasons/second-contraction.mlir --attn-form-contractions | FileCheck %s

// The pointwise op that reads two products is fused with the later one.
// CHECK: linalg.generic {{.*}}"reduction"]} {{.*}}attrs = {attn.group = [1, "gemm"]}
// CHECK: linalg.generic {{.*}}"reduction"]} {{.*}}attrs = {attn.group = [0, "gemm"]}
// CHECK: linalg.generic {{.*}}"parallel"]} {{.*}}attrs = {attn.group = [0, "gemm"]}

// RUN: attn-opt %S/Inputs/grouped-product.mlir --attn-form-contractions | FileCheck %s --check-prefix=GROUPED
// RUN: attn-opt %S/Inputs/grouped-product.mlir --attn-form-contractions=target=cuda | FileCheck %s --check-prefix=DEVICE

// Data selects the matrix of each row: a product on processors, fused with the pointwise op that reads it, and rows on
// devices.
// GROUPED: linalg.generic {{.*}}"reduction"]} {{.*}}attrs = {attn.group = [0, "gemm"]}
// GROUPED: linalg.generic {{.*}}"parallel"]} {{.*}}attrs = {attn.group = [0, "gemm"]}
// DEVICE-NOT: attn.group

// RUN: attn-opt %S/reasons/several-uses.mlir --attn-form-contractions | FileCheck %s --check-prefix=SEVERAL

// A product with two readers is fused with neither.
// SEVERAL:     linalg.generic {{.*}}"reduction"]} {{.*}}attrs = {attn.group = [0, "gemm"]}
// SEVERAL-NOT: attn.group
