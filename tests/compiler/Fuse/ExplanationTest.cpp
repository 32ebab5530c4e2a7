// Compares explanations with programs in reasons/: each reason has a program of its name, whose `// EXPECT` lines are
// the whole explanation.
#include "compiler/Analysis/Decisions.h"
#include "compiler/Emitters/Emitters.h"
#include "compiler/Fuse/Explanation.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Raise/Raise.h"
#include "mlir/Pass/PassManager.h"
#include "tests/support/ParsedModule.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace attnc {
namespace {

std::string pathOf(Reason reason) {
  return ATTNC_ROOT "/tests/compiler/Fuse/reasons/" + reasonId(reason).str() + ".mlir";
}

ParsedModule fused(const std::string &path, std::string &text) {
  auto file = llvm::MemoryBuffer::getFile(path);
  text = file ? (*file)->getBuffer().str() : "";
  ParsedModule module(text);
  mlir::DialectRegistry registry;
  registerFuseInterfaces(registry);
  module.get().getContext()->appendDialectRegistry(registry);
  mlir::PassManager passes(module.get().getContext());
  Emitters emitters = createEmitters();
  buildRaisePipeline(passes);
  buildFusePipeline(passes, emitters, "x86-64-v4");
  EXPECT_TRUE(mlir::succeeded(passes.run(module.get()))) << path;
  return module;
}

class Explanation : public testing::TestWithParam<Reason> {};

TEST_P(Explanation, IsExact) {
  std::string text, found, expected;
  ParsedModule module = fused(pathOf(GetParam()), text);
  llvm::raw_string_ostream stream(found);
  printExplanation(module.get(), stream);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  for (llvm::StringRef line : lines)
    if (line.consume_front("// EXPECT "))
      expected += line.str() + "\n";
  EXPECT_EQ(found, expected);
  EXPECT_NE(found.find("[" + reasonId(GetParam()).str() + "]"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Reasons, Explanation, testing::ValuesIn(allReasons().begin(), allReasons().end()),
                         [](const auto &info) {
                           std::string name = reasonId(info.param).str();
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(RequireFused, NamesThePlaceAndTheBytesOfTensorsOfAllPairs) {
  std::string text;
  ParsedModule module = fused(pathOf(Reason::WeightsMaterialised), text);
  std::vector<std::string> lines = unfusedPairs(module.get());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("error: not fused: another computation reads the attention weights, one for each query-key "
                          "pair (4*n*n bytes) [weights-materialised]"),
            std::string::npos)
      << lines[0];
}

TEST(RequireFused, AcceptsAttendItself) {
  std::string text;
  EXPECT_TRUE(unfusedPairs(fused(pathOf(Reason::AttendNoEpilogue), text).get()).empty());
}

} // namespace
} // namespace attnc
