//===- Import.h - translation of the typed AST to MLIR ------------------------------------------------------------===//
//
// The import phase, a plain walk over a checked program (Check/Typed.h). It produces the module that
// docs/architecture.md shows under "After import": a `model.parameter` for each parameter (not those of empty lists), a
// `func.func` for each entry point and each step of an optimizer, tensors with value semantics.
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
//   Draw, DecoderCall    attn.uniform, model.call
//
// The location of an op is the source range of the expression or statement that the op was created for.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Source.h"
#include "frontends/attn/Check/Typed.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"

namespace attnc {

/// The description of an internal error: the verifier rejects the imported module.
struct ImportFailure {
  std::string message; ///< the verifier's message
  std::string ir;      ///< the rejected module, in generic form
};

/// Adds the dialects that an imported module uses to `registry`.
void registerImportDialects(mlir::DialectRegistry &registry);

/// Returns the verified module of `program`, as a module op with the symbol name `name`. `sources` has the files of the
/// program, for locations. If the verifier rejects the module, returns null and fills `failure`. Requires that the
/// dialects of registerImportDialects are loaded in `context`.
mlir::OwningOpRef<mlir::ModuleOp> importProgram(const typed::Program &program, llvm::StringRef name,
                                                const SourceManager &sources, mlir::MLIRContext &context,
                                                ImportFailure &failure);

} // namespace attnc
