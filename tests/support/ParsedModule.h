// A module parsed from text, with a context that has the dialects attn, model, affine, func, scf, vector, memref and
// llvm, and those that these load.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <string>

namespace attnc {

/// The module, which this object owns, unless the text is invalid.
class ParsedModule {
public:
  /// Parses and verifies `text`; diagnostics() has the errors.
  explicit ParsedModule(llvm::StringRef text);

  explicit operator bool() const { return bool(module); } ///< the text is valid; get() and function() require it
  /// All diagnostics of the context as text, also of later passes; empty if there are none.
  const std::string &diagnostics() const { return *text; }
  mlir::ModuleOp get() const { return *module; }
  /// Returns the function with this name; without a name, the first one. Null if there is none.
  mlir::func::FuncOp function(llvm::StringRef name = "") const;

private:
  std::shared_ptr<std::string> text;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace attnc
