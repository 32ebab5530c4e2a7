#include "tests/support/ParsedModule.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"

using namespace attnc;

ParsedModule::ParsedModule(llvm::StringRef source)
    : text(std::make_shared<std::string>()), context(std::make_unique<mlir::MLIRContext>()) {
  context->disableMultithreading();
  context->loadDialect<mlir::attn::AttnDialect, mlir::model::ModelDialect, mlir::affine::AffineDialect,
                       mlir::func::FuncDialect, mlir::scf::SCFDialect, mlir::vector::VectorDialect,
                       mlir::memref::MemRefDialect, mlir::LLVM::LLVMDialect>();
  context->getDiagEngine().registerHandler([text = text](mlir::Diagnostic &diagnostic) {
    *text += diagnostic.str() + "\n";
    return mlir::success();
  });
  module = mlir::parseSourceString<mlir::ModuleOp>(source, context.get());
}

mlir::func::FuncOp ParsedModule::function(llvm::StringRef name) const {
  for (auto function : get().getOps<mlir::func::FuncOp>())
    if (name.empty() || function.getName() == name)
      return function;
  return {};
}
