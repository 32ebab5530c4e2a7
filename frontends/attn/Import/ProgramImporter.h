//===- ProgramImporter.h - import of a program: parameters, entry points, optimizer steps -------------------------===//
//
// The implementation of importProgram (Import.h): walks a typed program (Check/Typed.h) and builds the module that
// docs/architecture.md shows under "After import". The checker has already reported all errors of the program, so the
// importer reports none.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Import/Import.h"
#include "frontends/attn/Import/StatementImporter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc {

/// Imports one program; an object is used once.
class ProgramImporter {
public:
  ProgramImporter(const typed::Program &program, const SourceManager &sources, mlir::MLIRContext &context)
      : program(program), builder(&context), types(sources, context), scopes(builder, types),
        tensors(builder, types, scopes), statements(builder, types, scopes, tensors) {}

  /// Builds and returns the module, with the symbol name `name`. The module is not verified. Parameters of empty lists
  /// are omitted.
  mlir::OwningOpRef<mlir::ModuleOp> run(llvm::StringRef name);

private:
  void parameter(const typed::Parameter &parameter);
  void entry(const typed::Entry &entry);
  /// Creates the model.set of a state of a module, in loops for a list of modules.
  void setState(const typed::StateUpdate &update);
  /// Creates the function of an entry point, with its attributes and without a body.
  mlir::func::FuncOp signature(const typed::Entry &entry);
  /// Sets the sizes of the dynamic dimensions to tensor.dim of arguments.
  void bindDimensions(const typed::Entry &entry, mlir::func::FuncOp function);
  mlir::Attribute minimize(const typed::Entry &entry);
  void optimizerStep(const typed::OptimizerStep &step, llvm::StringRef name);

  const typed::Program &program;
  mlir::OpBuilder builder;
  ImportTypes types;
  ImportScopes scopes;
  TensorImporter tensors;
  StatementImporter statements;
};

} // namespace attnc
