// A module parsed from text, with a context that has every dialect of the compiler.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <string>

namespace attnc {

class ParsedModule {
public:
  /// Parses and verifies; diagnostics() has the errors.
  explicit ParsedModule(llvm::StringRef text);

  explicit operator bool() const { return bool(module); }
  const std::string &diagnostics() const { return *text; }
  mlir::ModuleOp get() const { return *module; }
  /// Returns the function with this name; without a name, the first one.
  mlir::func::FuncOp function(llvm::StringRef name = "") const;

private:
  std::shared_ptr<std::string> text;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace attnc
