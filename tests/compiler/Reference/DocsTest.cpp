// Tests that the examples of docs/dialect-*.md give the results on the pages.
#include "dialects/Model/Model.h"
#include "tests/compiler/Reference/Interpret.h"
#include <fstream>
#include <sstream>

using namespace attnc::reference;

namespace {

/// Returns the text of all blocks between ```mlir and ``` of a page.
std::string mlirOf(const std::string &page) {
  std::ifstream file(page);
  std::string text, line;
  bool inside = false;
  while (std::getline(file, line))
    if (line == "```mlir")
      inside = true;
    else if (line == "```")
      inside = false;
    else if (inside)
      text += line + "\n";
  return text;
}

/// Runs every function with a comment "// @name gives 1 2 3"; all parameters are ones.
void expectExamples(const std::string &page, int examples) {
  std::string text = mlirOf(page), line;
  attnc::ParsedModule module(text);
  ASSERT_TRUE(module) << module.diagnostics();
  Parameters parameters;
  for (auto parameter : module.get().getOps<mlir::model::ParameterOp>())
    for (int64_t index = 0; index < elementsOf(parameter.getCounts()); ++index)
      parameters[parameter.getCheckpointName({index})] =
          Array(Element::F32, mlir::cast<mlir::RankedTensorType>(parameter.getType()).getShape(), 1.0);
  std::istringstream lines(text);
  while (std::getline(lines, line)) {
    size_t gives = line.find(" gives ");
    if (line.rfind("// @", 0) != 0 || gives == std::string::npos)
      continue;
    std::istringstream numbers(line.substr(gives + 7));
    std::vector<double> expected((std::istream_iterator<double>(numbers)), std::istream_iterator<double>());
    auto results = interpret(module.function(line.substr(4, gives - 4)), {}, parameters);
    ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
    EXPECT_THAT((*results)[0].values, testing::Pointwise(testing::DoubleEq(), expected)) << line;
    --examples;
  }
  EXPECT_EQ(examples, 0) << "examples that the page does not have";
}

TEST(Docs, DialectAttn) { expectExamples(ATTNC_ROOT "/docs/dialect-attn.md", 4); }
TEST(Docs, DialectModel) { expectExamples(ATTNC_ROOT "/docs/dialect-model.md", 1); }

} // namespace
