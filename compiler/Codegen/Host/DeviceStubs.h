//===- DeviceStubs.h - what stands for a device's kernels on the host --------------------------------------------===//
//
// An entry point launches each phase of a kernel by a function that it hands to the executor (HostCode.h). Where a
// device runs it there is one as well, by whose address an executor finds the device's code (attn_device_phase of
// attn/model.h); called on the host it computes nothing, and says so:
//
//   define internal void @rows_0(ptr %args, i64 %chunk, ptr %scratch)     *args->status = ATTN_UNSUPPORTED
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"

namespace attnc {

/// Appends a stub for each phase of each kernel of `program` and of what lies between them, and for fetching a word, to
/// `code`.
void emitDeviceStubs(const Program &program, mlir::ModuleOp code);

} // namespace attnc
