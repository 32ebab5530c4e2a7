//===- Import.h - translation of the typed AST to MLIR ------------------------------------------------------------===//
//
// A plain walk over a checked program. It produces the module that docs/architecture.md shows under "After import": a
// `model.parameter` for each parameter, a `func.func` for each entry point, tensors with value semantics.
//
//   typed AST            becomes
//   Comprehension        linalg.generic; a Subscript by plain indices is an operand, any other a tensor.extract
//   IndexReduction       the reduction loops of that generic; in attend, attn.reduce
//   Attend               attn.attend
//   Elementwise, Cast    linalg.generic; constants and sizes are scalars in its body
//   AxisReduction        linalg.generic from a linalg.fill of the combiner's identity
//   MatMul               linalg.generic (parallel..., reduction) of mulf and addf
//   Permute, Slice, ...  linalg.transpose, tensor.extract_slice, tensor.concat, tensor.collapse_shape/expand_shape
//   Loop                 scf.for, in which a parameter of a list is model.get @p[%l]
//   Scan                 scf.for over the time steps, with model.scan (StatementImporter.h)
//
// The location of every op is the source range that it was created for.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Source.h"
#include "frontends/attn/Check/Typed.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"

namespace attnc {

/// An internal error: the verifier rejects the imported module.
struct ImportFailure {
  std::string message; ///< the verifier's message
  std::string ir;      ///< the rejected module, in generic form
};

/// Adds the dialects of an imported module to `registry`.
void registerImportDialects(mlir::DialectRegistry &registry);

/// Returns the verified module of `program`, with the name `name`. If the verifier rejects it, returns null and fills
/// `failure`. Requires that the dialects of registerImportDialects are loaded in `context`.
mlir::OwningOpRef<mlir::ModuleOp> importProgram(const typed::Program &program, llvm::StringRef name,
                                                const SourceManager &sources, mlir::MLIRContext &context,
                                                ImportFailure &failure);

} // namespace attnc
