// Imports a program in a string and runs it on the oracle. Tests compare with closed forms.
#pragma once

#include "compiler/Diagnostics/Render.h"
#include "frontends/attn/Check/Check.h"
#include "frontends/attn/Import/Import.h"
#include "tests/compiler/Reference/Interpret.h"

namespace attnc {

using namespace reference;

/// A module with the objects that it depends on.
struct Imported {
  SourceManager sources;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;

  explicit Imported(std::string text, std::string name = "a.attn") {
    DiagnosticEngine diagnostics(sources);
    FileId file = sources.add(std::move(name), std::move(text));
    std::unique_ptr<typed::Program> program = checkFile(sources, file, diagnostics);
    EXPECT_EQ(render(diagnostics), "");
    if (!program)
      return;
    mlir::DialectRegistry registry;
    registerImportDialects(registry);
    context = std::make_unique<mlir::MLIRContext>(registry);
    context->loadAllAvailableDialects();
    ImportFailure failure;
    module = importProgram(*program, "a", sources, *context, failure);
    EXPECT_TRUE(module) << failure.message << failure.ir;
  }
};

/// Returns the results of the entry point `f`.
inline std::vector<Array> run(std::string text, llvm::ArrayRef<Array> inputs, const Parameters &parameters = {}) {
  Imported imported(std::move(text));
  if (!imported.module)
    return std::vector<Array>(4);
  auto results = interpret(imported.module->lookupSymbol<mlir::func::FuncOp>("f"), inputs, parameters);
  if (results)
    return *results;
  ADD_FAILURE() << llvm::toString(results.takeError());
  return std::vector<Array>(4);
}

/// Returns the values of the only result of `f`.
inline std::vector<double> valuesOf(std::string text, llvm::ArrayRef<Array> inputs, const Parameters &parameters = {}) {
  return run(std::move(text), inputs, parameters).front().values;
}

inline auto are(std::vector<double> values) {
  return testing::Pointwise(testing::NanSensitiveDoubleNear(1e-6), std::move(values));
}

} // namespace attnc
