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

// RUN: attn-opt %S/Inputs/grouped-gradients.mlir --attn-form-contractions | FileCheck %s --check-prefix=GRADIENTS
// RUN: attn-opt %S/Inputs/grouped-gradients.mlir --attn-form-contractions=target=cuda | FileCheck %s --check-prefix=DEVICE

// The product of all rows and the sum of the rows with equal i; the outer products with the zeros that they start from.
// GRADIENTS: linalg.generic {{.*}}["parallel", "parallel", "parallel", "reduction"]} {{.*}}attrs = {attn.group = [0, "gemm"]} {
// GRADIENTS: linalg.generic {{.*}}["parallel", "reduction", "parallel"]} {{.*}}outs({{.*}} : tensor<?x16xf32>) {
// GRADIENTS: linalg.fill {attn.group = [1, "gemm"]}
// GRADIENTS: attn.scatter_add
// GRADIENTS: } {attn.group = [1, "gemm"]}

// RUN: attn-opt %S/reasons/several-uses.mlir --attn-form-contractions | FileCheck %s --check-prefix=SEVERAL

// A product with two readers is fused with neither.
// SEVERAL:     linalg.generic {{.*}}"reduction"]} {{.*}}attrs = {attn.group = [0, "gemm"]}
// SEVERAL-NOT: attn.group
