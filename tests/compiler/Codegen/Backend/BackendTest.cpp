#include "compiler/Codegen/Backend/Backend.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <gtest/gtest.h>

using namespace attnc;

namespace {

/// The object of a code module compiled in a fresh context, or the error.
struct Compiled {
  std::string object, message;
  explicit Compiled(const std::string &text, std::string_view name = "x86-64-v3") {
    mlir::DialectRegistry registry;
    registerBackendDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) { message += diagnostic.str(); });
    auto code = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    auto target = Target::resolve(name);
    EXPECT_TRUE(code && target);
    auto bytes = compileToObject(*code, *target);
    if (mlir::succeeded(bytes))
      object.assign(bytes->begin(), bytes->end());
  }
};

const std::string tanhOfVector = R"(
  func.func @f(%p: memref<64xf32>, %i: index) {
    %x = vector.load %p[%i] : memref<64xf32>, vector<16xf32>
    %y = math.tanh %x : vector<16xf32>
    %z = arith.maximumf %y, %x : vector<16xf32>
    vector.store %z, %p[%i] : memref<64xf32>, vector<16xf32>
    return
  })";

TEST(Backend, SameModuleSameBytes) {
  Compiled first(tanhOfVector), second(tanhOfVector);
  EXPECT_EQ(first.message, "");
  EXPECT_FALSE(first.object.empty());
  EXPECT_EQ(first.object, second.object);
}

TEST(Backend, NoPathGetsIntoTheObject) {
  Compiled located(tanhOfVector + " loc(\"/somebody/home/model.attn\":3:7)");
  EXPECT_EQ(located.message, "");
  EXPECT_EQ(located.object.find("somebody"), std::string::npos);
  EXPECT_EQ(located.object, Compiled(tanhOfVector).object);
}

TEST(Backend, TargetsDiffer) { EXPECT_NE(Compiled(tanhOfVector).object, Compiled(tanhOfVector, "x86-64-v4").object); }

TEST(Backend, CallsOfTheOutsideAreRefused) {
  Compiled calling(R"(
    func.func private @outside(f32) -> f32
    func.func @f(%x: f32) -> f32 {
      %y = func.call @outside(%x) : (f32) -> f32
      return %y : f32
    })");
  EXPECT_TRUE(calling.object.empty());
  EXPECT_EQ(calling.message, "generated code calls 'outside', which objects may not call");
}

TEST(Backend, LibraryFunctionsAreRefused) {
  Compiled calling(R"(
    func.func @f(%x: f32) -> f32 {
      %y = math.log %x : f32
      %z = llvm.intr.sin(%y) : (f32) -> f32
      return %z : f32
    })");
  EXPECT_TRUE(calling.object.empty());
  EXPECT_EQ(calling.message, "generated code calls 'sinf', which objects may not call");
}

TEST(Backend, CopiesMayCallMemcpy) {
  Compiled copying(R"(
    func.func @f(%a: memref<?xf32>, %b: memref<?xf32>) {
      memref.copy %a, %b : memref<?xf32> to memref<?xf32>
      return
    })");
  EXPECT_EQ(copying.message, "");
  EXPECT_NE(copying.object.find("memcpy"), std::string::npos);
}

/// Inline PTX that the threads of a device execute together is convergent, so that LLVM does not move it into a branch.
TEST(Backend, TextOfADeviceStaysWhereAllThreadsComeBy) {
  mlir::DialectRegistry registry;
  registerBackendDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  for (const char *name : {"cuda:sm_90a", "x86-64-v3"}) {
    auto code = mlir::parseSourceString<mlir::ModuleOp>(R"(
      llvm.func @f(%p: !llvm.ptr, %x: i32) {
        llvm.inline_asm has_side_effects "", "" : () -> ()
        %y = llvm.inline_asm "", "=r,0" %x : (i32) -> i32
        llvm.store %y, %p : i32, !llvm.ptr
        llvm.return
      })",
                                                        &context);
    Target target = llvm::cantFail(Target::resolve(name));
    auto compiled = translateToLlvm(*code, target);
    ASSERT_TRUE(mlir::succeeded(compiled));
    optimise(*compiled, target);
    int texts = 0;
    for (llvm::Instruction &each : llvm::instructions(*compiled->module->getFunction("f")))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&each); call && call->isInlineAsm()) {
        EXPECT_EQ(call->isConvergent(), target.isDevice) << name;
        ++texts;
      }
    EXPECT_EQ(texts, 2) << name;
  }
}

} // namespace
