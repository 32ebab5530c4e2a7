//===- DeviceStubs.h - host stubs of device kernels ---------------------------------------------------------------===//
//
// An entry point launches each kernel phase by a function that it passes to the executor (HostCode.h). For a phase on a
// device this is a stub, by whose address an executor finds the device's code (attn_device_phase of attn/model.h).
// Called on the host, the stub computes nothing and reports an error:
//
//   define internal void @rows_0(ptr %args, i64 %chunk, ptr %scratch)     *args->status = ATTN_UNSUPPORTED
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"

namespace attnc {

/// Appends stubs to `code`: one for each phase of each kernel of `program` and of its moves, and one for fetching a
/// word.
void emitDeviceStubs(const Program &program, mlir::ModuleOp code);

} // namespace attnc
