//===- TransformScript.h - overrides that a script of the transform dialect says ----------------------------------===//
//
// For those who know MLIR, a strategy may be a module of the upstream transform dialect (FILE.mlir). Its entry point,
// `@__transform_main`, gets the module behind fuse, finds kernels as it likes, and annotates them:
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
// It runs on a copy. What it says of `attn.schedule` and `attn.emitter` becomes overrides, checked as all are;
// a script that changes anything else is refused, for fusion has proved what it made, and nobody would prove that.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Schedule/Override.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Whether a strategy is such a script, by the file's name.
bool isTransformScript(llvm::StringRef path);

/// Errors name `path`, and the place in it where there is one.
llvm::Expected<std::vector<Override>> runTransformScript(llvm::StringRef path, mlir::ModuleOp module);

} // namespace attnc
