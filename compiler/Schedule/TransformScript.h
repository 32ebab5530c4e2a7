//===- TransformScript.h - overrides from a script of the transform dialect ---------------------------------------===//
//
// A strategy may also be a script: a module of MLIR's transform dialect (FILE.mlir). Its named sequence
// `@__transform_main` receives the module with the kernels that the phase fuse made, matches kernels, and annotates
// them:
//
//   module attributes {transform.with_named_sequence} {
//     transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
//       %kernel = transform.structured.match ops{["func.func"]} attributes {sym_name = "logits_attend_0"} in %module
//         : (!transform.any_op) -> !transform.any_op
//       %schedule = transform.param.constant {tile_kv = 128} -> !transform.any_param
//       transform.annotate %kernel "attn.schedule" = %schedule : !transform.any_op, !transform.any_param
//       transform.yield
//     }
//   }
//
// The script runs on a copy of the module. Each annotation `attn.schedule` (a dictionary of integers and strings) or
// `attn.emitter` (a string) becomes overrides (Override.h) of this kernel; Schedule.h and Strategy.h check them like
// other overrides. A script that changes anything else in the copy is rejected, because no check would prove that the
// changed module computes the same.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Schedule/Override.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Whether a strategy file is a transform script: whether its name ends in ".mlir".
bool isTransformScript(llvm::StringRef path);

/// Reads the script `path`, runs it on a copy of `module`, and returns its overrides in the order of the kernels; their
/// origin is `path`. Empty if the script annotates no kernel. The kernels of `module` must not have the two attributes
/// yet, and `module` itself stays unchanged. The function loads the transform dialect into the context of `module`.
/// Errors name `path` and, if known, the line and column: an unreadable or invalid file, a matched function name that
/// the module does not have, a missing `@__transform_main`, a failed transform, a malformed annotation, and any other
/// change of the module.
llvm::Expected<std::vector<Override>> runTransformScript(llvm::StringRef path, mlir::ModuleOp module);

} // namespace attnc
