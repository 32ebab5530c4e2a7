//===- CodeFunction.h - a function in a module of its own, to which tests append code -----------------------------===//
#pragma once

#include "compiler/Codegen/Backend/Backend.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include <string>
#include <vector>

namespace attnc {

/// A function "caller" that returns nothing, in a new module with the dialects of the back end. `builder` inserts
/// before the return of `function`.
class CodeFunction {
public:
  /// The parameters of the function have the types that `typesIn` returns.
  explicit CodeFunction(llvm::function_ref<llvm::SmallVector<mlir::Type>(mlir::Builder &)> typesIn)
      : context(dialects(), mlir::MLIRContext::Threading::DISABLED), builder(&context) {
    context.loadAllAvailableDialects();
    module = mlir::ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    auto type = builder.getFunctionType(typesIn(builder), {});
    function = mlir::func::FuncOp::create(builder, builder.getUnknownLoc(), "caller", type);
    builder.setInsertionPointToEnd(function.addEntryBlock());
    auto end = mlir::func::ReturnOp::create(builder, builder.getUnknownLoc());
    builder.setInsertionPoint(end);
  }

  /// The names of all other functions of the module, sorted.
  std::vector<std::string> otherFunctions() {
    std::vector<std::string> names;
    for (auto each : module->getOps<mlir::func::FuncOp>())
      if (each != function)
        names.push_back(each.getName().str());
    llvm::sort(names);
    return names;
  }

  mlir::MLIRContext context;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;

private:
  static mlir::DialectRegistry dialects() {
    mlir::DialectRegistry registry;
    registerBackendDialects(registry);
    return registry;
  }
};

} // namespace attnc
