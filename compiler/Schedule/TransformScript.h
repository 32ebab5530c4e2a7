//===- TransformScript.h - overrides from a script of the transform dialect ---------------------------------------===//
//
// A strategy may also be a module of the upstream transform dialect (FILE.mlir). Its entry point `@__transform_main`
// receives the module after fuse, matches kernels, and annotates them:
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
// The script runs on a copy. Its annotations `attn.schedule` and `attn.emitter` become overrides, which are checked as
// usual. A script that changes anything else is rejected, because nothing would prove that its changes are correct.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Schedule/Override.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Whether a strategy file is a transform script, by its file name.
bool isTransformScript(llvm::StringRef path);

/// Runs the script and returns its overrides. Errors name `path` and, if known, the location in it.
llvm::Expected<std::vector<Override>> runTransformScript(llvm::StringRef path, mlir::ModuleOp module);

} // namespace attnc
