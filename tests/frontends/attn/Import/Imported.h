// Imports a program in a string and interprets it by the oracle. Tests compare the results with closed forms.
#pragma once

#include "compiler/Diagnostics/Render.h"
#include "frontends/attn/Check/Check.h"
#include "frontends/attn/Import/Import.h"
#include "tests/compiler/Reference/Interpret.h"

namespace attnc {

using namespace reference;

/// The module of a program after the phase import, with the objects that it depends on. An error fails the test and
/// leaves `module` null.
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

/// Returns the results of the entry point `f` of the program `text` for these inputs. A failure fails the test and
/// returns four empty arrays.
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

/// A matcher of GoogleMock: elements equal `values` within 1e-6; NaN equals NaN.
inline auto are(std::vector<double> values) {
  return testing::Pointwise(testing::NanSensitiveDoubleNear(1e-6), std::move(values));
}

} // namespace attnc
