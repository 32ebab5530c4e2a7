// Tests the removal of functions without uses.
#include "compiler/Analysis/HostFunctions.h"
#include "tests/support/ParsedModule.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

std::vector<std::string> namesLeft(mlir::ModuleOp module) {
  std::vector<std::string> names;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    names.push_back(function.getName().str());
  return names;
}

TEST(EraseUnused, ErasesAChainInProgramOrder) {
  ParsedModule parsed(R"(
    func.func @entry() { func.call @used() : () -> () return }
    func.func private @used() { return }
    func.func private @first() { func.call @second() : () -> () return }
    func.func private @second() { return }
    func.func private @recursive() { func.call @recursive() : () -> () return }
    func.func private @earlier() { return }
    func.func private @later() { func.call @earlier() : () -> () return }
  )");
  ASSERT_TRUE(bool(parsed)) << parsed.diagnostics();
  eraseUnused(parsed.get(), [](mlir::func::FuncOp function) { return function.isPrivate(); });
  // A function that calls itself has a use, and one that a later function calls had one when it was visited.
  EXPECT_EQ(namesLeft(parsed.get()), (std::vector<std::string>{"entry", "used", "recursive", "earlier"}));
}

TEST(EraseUnused, KeepsFunctionsThatMayNotBeErased) {
  ParsedModule parsed(R"(
    func.func @entry() { return }
    func.func private @kept() { return }
    func.func private @erased() { return }
  )");
  ASSERT_TRUE(bool(parsed)) << parsed.diagnostics();
  eraseUnused(parsed.get(), [](mlir::func::FuncOp function) { return function.getName() == "erased"; });
  EXPECT_EQ(namesLeft(parsed.get()), (std::vector<std::string>{"entry", "kept"}));
}

TEST(EraseUnused, SeesUsesInAttributes) {
  ParsedModule parsed(R"(
    func.func @entry() attributes {step = @named} { return }
    func.func private @named() { return }
  )");
  ASSERT_TRUE(bool(parsed)) << parsed.diagnostics();
  eraseUnused(parsed.get(), [](mlir::func::FuncOp function) { return function.isPrivate(); });
  EXPECT_EQ(namesLeft(parsed.get()), (std::vector<std::string>{"entry", "named"}));
}

} // namespace
} // namespace attnc
