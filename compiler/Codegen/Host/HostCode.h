//===- HostCode.h - host code of entry points: kernel launches and moves in between -------------------------------===//
//
// For each entry point of a program, generates three functions with the ABI of attn/abi.h and attn/model.h.
// `dimensions` are the entry point's dynamic dimensions, in the order of `model.dimensions`:
//
//   int32_t <prefix>_<entry>_run(const attn_frame *)                                     one call; an attn_code
//   int64_t <prefix>_<entry>_arena_bytes(const int64_t *dimensions, int64_t workers)     bytes of its arena
//   int64_t <prefix>_<entry>_flops(const int64_t *dimensions)                            flops of the certificate
//
// If kernels need packed or narrow copies of weights, generates two more: `<prefix>_prepare`, which computes the copies
// on the host, and `<prefix>_prepare_arena_bytes`, the bytes of its arena. They have the types of `run` and
// `arena_bytes`; they read no dimensions and check nothing.
//
// `run` follows the plan of the entry point: it computes the slots' addresses; for each call of a kernel it fills one
// attn_kernel_args on its stack and passes each phase to the executor:
//
//   %r = call @rows_0(%x, %gain)          args.buffers = {x, gain, r}; args.sizes = {batch, seq, batch, seq}
//                                   -->   executor->parallel_for(self, rows_0, &args, chunks, scratch, stride)
//
// `run` returns ATTN_BAD_ARGUMENT for a dimension outside min..max, and ATTN_BAD_ARENA if the arena is null although
// `arena_bytes` for one worker is not 0. It returns ATTN_FULL, before any kernel runs, if a state has no room for the
// positions to append, or if a length or a count of such an append is invalid (Room of Moves.h). Otherwise it returns
// the status that the kernels set. For a device, `run` passes kernels to an executor that does not wait for them; then
// ATTN_FULL and errors of data are in the status in device memory (attn_device_phase of attn/model.h), and `run` may
// return ATTN_OK.
//
// `arena_bytes` returns -1 for dimensions outside min..max, for fewer than one worker, and if the number of bytes, or a
// number in its computation, exceeds 2^63 - 1. `flops` does not check its argument, and wraps around. A negative max is
// no limit.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"

namespace attnc {

/// Appends the host code of `program` to `code`, the host's module. If processors run the kernels, `device` is null and
/// `code` already contains the kernel phases. For a device, `device` is the module of the kernel phases; the function
/// adds the kernels for copies and appends between them to `device`, and lists these kernels in `program.moves`; the
/// caller then adds the stubs that the host code refers to (emitDeviceStubs). Requires plans of all entry points, the
/// code of all kernels and of all packing, and certify().
void emitHostCode(Program &program, mlir::ModuleOp code, mlir::ModuleOp device = {});

} // namespace attnc
