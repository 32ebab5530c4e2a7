//===- HostCode.h - host code of entry points: kernel launches and moves in between -------------------------------===//
//
// For each entry point of a program, generates two functions with the ABI of runtime/include/attn/abi.h:
//
//   int32_t <prefix>_<entry>_run(const attn_frame *)
//   int64_t <prefix>_<entry>_arena_bytes(const int64_t *dimensions, int64_t workers)
//
// and, if kernels need packed weights, `<prefix>_prepare` and `<prefix>_prepare_arena_bytes`.
//
// `run` follows the plan of the entry point: it computes the slots' addresses; for each call of a kernel it fills one
// attn_kernel_args on its stack and passes each phase to the executor:
//
//   %r = call @rows_0(%x, %gain)          args.buffers = {x, gain, r}; args.sizes = {batch, seq, batch, seq}
//                                   -->   executor->parallel_for(self, rows_0, &args, chunks, scratch, stride)
//
// It returns ATTN_BAD_ARGUMENT for a dimension outside min..max, ATTN_BAD_ARENA if a required arena is null, otherwise
// the status of the kernels. `arena_bytes` returns -1 for such dimensions, and if the number of bytes exceeds 2^63 - 1.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"

namespace attnc {

/// Appends the host code of `program` to `code`, next to the phases of its kernels. For a device, `device` is the
/// module of these phases; the kernels for host operations on tensors are added to it and to `program.moves`.
void emitHostCode(Program &program, mlir::ModuleOp code, mlir::ModuleOp device = {});

} // namespace attnc
