//===- DeviceStubs.h - host stubs of device kernels ---------------------------------------------------------------===//
//
// An entry point launches each kernel phase by a function that it passes to the executor (HostCode.h). For a phase on a
// device this function is a stub, whose address identifies the device code to the executor (attn_device_phase of
// attn/model.h). If a host calls the stub, it only reports an error:
//
//   define internal void @rows_0(ptr %args, i64 %chunk, ptr %scratch)     *args->status = ATTN_UNSUPPORTED
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"

namespace attnc {

/// Appends stubs to `code`: one for each phase of each kernel of `program` and of its moves, and one for the fetch of a
/// word.
void emitDeviceStubs(const Program &program, mlir::ModuleOp code);

} // namespace attnc
