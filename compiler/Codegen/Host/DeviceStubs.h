//===- DeviceStubs.h - host stubs of device kernels ---------------------------------------------------------------===//
//
// To launch a kernel phase, an entry point passes the address of the phase's function to the executor (HostCode.h). If
// a device runs the phase, this function is a stub in the host's object: its address identifies the device code to the
// executor (attn_device_phase of attn/model.h). An executor for processors calls the stub, which only sets the status:
//
//   define internal void @rows_0(ptr %args, i64 %chunk, ptr %scratch)     *args->status = ATTN_UNSUPPORTED
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"

namespace attnc {

/// Appends stubs to the host's module `code`: one for each kernel phase of `program`, one for each of `program.moves`,
/// and one for the fetch of a word from the device (`fetchSymbol` of Moves.h). A stub has the name of the phase's
/// function on the device. Requires emitHostCode(), which adds the moves.
void emitDeviceStubs(const Program &program, mlir::ModuleOp code);

} // namespace attnc
