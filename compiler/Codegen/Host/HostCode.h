//===- HostCode.h - host code of entry points: kernel launches and moves in between -------------------------------===//
//
// For each entry point of a program, generates three functions with the ABI of attn/abi.h and attn/model.h:
//
//   int32_t <prefix>_<entry>_run(const attn_frame *)
//   int64_t <prefix>_<entry>_arena_bytes(const int64_t *dimensions, int64_t workers)
//   int64_t <prefix>_<entry>_flops(const int64_t *dimensions)        of the certificate
//
// and, if kernels need packed or narrow copies of weights, `<prefix>_prepare`, which computes them, and
// `<prefix>_prepare_arena_bytes`.
//
// `run` follows the plan of the entry point: it computes the slots' addresses; for each call of a kernel it fills one
// attn_kernel_args on its stack and passes each phase to the executor:
//
//   %r = call @rows_0(%x, %gain)          args.buffers = {x, gain, r}; args.sizes = {batch, seq, batch, seq}
//                                   -->   executor->parallel_for(self, rows_0, &args, chunks, scratch, stride)
//
// It returns ATTN_BAD_ARGUMENT for a dimension outside min..max, ATTN_BAD_ARENA if a required arena is null, and,
// before any kernel runs, ATTN_FULL if a state has no room for the positions to append; otherwise the status of the
// kernels. `arena_bytes` returns -1 for dimensions outside min..max, for fewer than one worker, and if the number of
// bytes exceeds 2^63 - 1.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"

namespace attnc {

/// Appends the host code of `program` to `code`. On a processor, `code` contains the phases of its kernels. For a
/// device, `device` is the module of these phases; the kernels for host operations on tensors are added to it and to
/// `program.moves`. Requires certify().
void emitHostCode(Program &program, mlir::ModuleOp code, mlir::ModuleOp device = {});

} // namespace attnc
