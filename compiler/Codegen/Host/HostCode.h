//===- HostCode.h - the code between the kernels ----------------------------------------------------------------===//
//
// For each entry point of a program, two functions with the ABI of runtime/include/attn/abi.h:
//
//   int32_t <prefix>_<entry>_run(const attn_frame *)
//   int64_t <prefix>_<entry>_arena_bytes(const int64_t *dimensions, int64_t workers)
//
// and, where kernels want packed weights, `<prefix>_prepare` and `<prefix>_prepare_arena_bytes`.
//
// `run` walks the entry point as planned: it computes the slots' addresses, then for each call of a kernel fills one
// attn_kernel_args on its stack and hands each phase to the executor:
//
//   %r = call @rows_0(%x, %gain)          args.buffers = {x, gain, r}; args.sizes = {batch, seq, batch, seq}
//                                   -->   executor->parallel_for(self, rows_0, &args, chunks, scratch, stride)
//
// It answers ATTN_BAD_ARGUMENT for a dimension outside min..max, ATTN_BAD_ARENA for an arena that is null and may not
// be, otherwise what kernels wrote to the status. `arena_bytes` answers -1 for such dimensions, and where the number of
// bytes would pass 2^63 - 1.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"

namespace attnc {

/// Appends the host code of `program` to `code`, next to the phases of its kernels. Where a device has those, `device`
/// is its code; what the host would do to tensors becomes kernels there, which `program.moves` lists.
void emitHostCode(Program &program, mlir::ModuleOp code, mlir::ModuleOp device = {});

} // namespace attnc
