// RUN: attn-opt %S/reasons/contraction-chain.mlir --attn-form-contractions --attn-outline-kernels | FileCheck %s --check-prefix=OUTLINED
// RUN: attn-opt %S/reasons/contraction-chain.mlir --attn-form-contractions --attn-outline-kernels --cse --attn-share-kernels | FileCheck %s

// OUTLINED: func.func private @f_gemm_0{{.*}}attn.kernel = "gemm"
// OUTLINED: func.func private @f_gemm_1{{.*}}attn.kernel = "gemm"

// CHECK:     call @f_gemm_0(
// CHECK:     call @f_gemm_0(
// CHECK:     func.func private @f_gemm_0
// CHECK-NOT: func.func private
