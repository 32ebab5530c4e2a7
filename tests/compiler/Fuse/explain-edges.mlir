// RUN: attn-opt %S/reasons/contraction-chain.mlir --attn-form-contractions --attn-outline-kernels --attn-explain-edges | FileCheck %s
// RUN: attn-opt %S/reasons/weight-packed.mlir --attn-form-contractions --attn-outline-kernels --attn-explain-edges | FileCheck %s --check-prefix=ALONE

// The tensor between two kernels has its reason and its bytes.
// CHECK: attn.decisions = [{{.*}}into = "f_gemm_1", made = false, {{.*}}reason = "contraction-chain", what = "f_gemm_0"

// One kernel has no edge to explain.
// ALONE-NOT: made = false
// ALONE:     call @f_gemm_0
