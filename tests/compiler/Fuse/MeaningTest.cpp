// Tests that the fuse phase preserves semantics: every program of Inputs gives the same numbers on the oracle before
// and after the phase, whichever fusions are refused.
#include "compiler/Analysis/RefusedFusions.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Reference/Reference.h"
#include "dialects/Model/Model.h"
#include "mlir/Pass/PassManager.h"
#include "tests/support/ParsedModule.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <gtest/gtest.h>
#include <random>

namespace attnc {
namespace {

using reference::Array;
using reference::Element;

std::vector<std::string> inputFiles() {
  std::vector<std::string> files;
  for (const char *folder : {"Inputs", "reasons"}) {
    std::error_code error;
    llvm::sys::fs::directory_iterator file(std::string(ATTNC_ROOT "/tests/compiler/Fuse/") + folder, error), end;
    for (; file != end && !error; file.increment(error))
      if (llvm::sys::path::extension(file->path()) == ".mlir")
        files.push_back(file->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Meaning : public testing::TestWithParam<std::string> {
protected:
  Array random(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> shape) {
    Element element = *reference::elementOf(type);
    Array array(element, shape);
    std::uniform_real_distribution<double> real(-1, 1);
    std::uniform_int_distribution<int> whole(0, largestIndex);
    for (double &value : array.values)
      value = element == Element::F32  ? real(generator)
              : element == Element::I1 ? whole(generator) % 2
                                       : whole(generator);
    return array;
  }

  reference::Parameters parametersOf(mlir::ModuleOp module) {
    reference::Parameters parameters;
    for (auto parameter : module.getOps<mlir::model::ParameterOp>()) {
      auto type = mlir::cast<mlir::RankedTensorType>(parameter.getType());
      int64_t count = parameter.getCounts().empty() ? 1 : parameter.getCounts()[0];
      for (int64_t i = 0; i < count; ++i) {
        std::string name = parameter.getCheckpoint().str();
        if (size_t place = name.find("{0}"); place != std::string::npos)
          name.replace(place, 3, std::to_string(i));
        parameters[name] = random(type, type.getShape());
      }
    }
    return parameters;
  }

  /// Returns inputs of an entry point whose dimension n has the nth of `sizes`.
  std::vector<Array> inputsOf(mlir::func::FuncOp entry, llvm::ArrayRef<int64_t> sizes) {
    std::map<std::string, int64_t> dimensions;
    for (auto [number, dimension] : llvm::enumerate(
             entry->getAttrOfType<mlir::ArrayAttr>("model.dimensions").getAsRange<mlir::model::DimensionAttr>()))
      dimensions[dimension.getName().str()] = sizes[number % sizes.size()];
    std::vector<Array> inputs;
    for (mlir::BlockArgument argument : entry.getArguments()) {
      auto type = mlir::cast<mlir::RankedTensorType>(argument.getType());
      auto names = entry.getArgAttrOfType<mlir::ArrayAttr>(argument.getArgNumber(), "model.shape");
      llvm::SmallVector<int64_t> shape(type.getShape());
      for (auto [dim, size] : llvm::enumerate(shape))
        if (mlir::ShapedType::isDynamic(size))
          size = dimensions.at(mlir::cast<mlir::StringAttr>(names[dim]).str());
      inputs.push_back(random(type, shape));
    }
    return inputs;
  }

  void expectSame(llvm::ArrayRef<FusionRefusal> refusals);

  std::mt19937 generator{7};
  int largestIndex = 0; ///< integers are subscripts: the bound holds for each tensor of the program
};

std::vector<Array> interpreted(mlir::func::FuncOp entry, llvm::ArrayRef<Array> inputs,
                               const reference::Parameters &parameters) {
  auto results = reference::interpret(entry, inputs, parameters);
  if (results)
    return *results;
  ADD_FAILURE() << llvm::toString(results.takeError());
  return {};
}

void expectClose(const std::vector<Array> &found, const std::vector<Array> &expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (auto [a, b] : llvm::zip(found, expected)) {
    ASSERT_EQ(a.shape, b.shape);
    for (auto [x, y] : llvm::zip(a.values, b.values))
      ASSERT_NEAR(x, y, 1e-9 * (1 + std::abs(y)));
  }
}

void Meaning::expectSame(llvm::ArrayRef<FusionRefusal> refusals) {
  auto text = llvm::MemoryBuffer::getFile(GetParam());
  ASSERT_TRUE(text);
  ParsedModule before((*text)->getBuffer()), after((*text)->getBuffer());
  ASSERT_TRUE(before && after) << before.diagnostics();
  mlir::MLIRContext *context = after.get().getContext();
  mlir::DialectRegistry registry;
  registerFuseInterfaces(registry);
  context->appendDialectRegistry(registry);
  refuseFusions(after.get(), refusals);
  mlir::PassManager passes(context);
  buildFusePipeline(passes);
  ASSERT_TRUE(mlir::succeeded(passes.run(after.get()))) << after.diagnostics();
  for (auto entry : before.get().getOps<mlir::func::FuncOp>())
    for (auto sizes : {std::vector<int64_t>{2, 5}, std::vector<int64_t>{1, 1}, std::vector<int64_t>{3, 8}}) {
      largestIndex = *llvm::min_element(sizes) - 1;
      reference::Parameters parameters = parametersOf(before.get());
      std::vector<Array> inputs = inputsOf(entry, sizes);
      auto expected = interpreted(entry, inputs, parameters);
      auto fused = after.get().lookupSymbol<mlir::func::FuncOp>(entry.getName());
      expectClose(interpreted(fused, inputs, parameters), expected);
    }
}

TEST_P(Meaning, IsTheSameAfterFusion) { expectSame({}); }

TEST_P(Meaning, IsTheSameWithoutFusion) { expectSame({{"", "", "", {}}}); }

TEST_P(Meaning, IsTheSameWithViewsAsTensors) {
  expectSame({{"view-folded", "", "", {}}, {"layout-folded", "", "", {}}, {"slice-narrowed", "", "", {}}});
}

/// Every operation that computes a tensor is in a kernel.
TEST_P(Meaning, LiesInKernels) {
  auto text = llvm::MemoryBuffer::getFile(GetParam());
  ParsedModule module((*text)->getBuffer());
  mlir::DialectRegistry registry;
  registerFuseInterfaces(registry);
  module.get().getContext()->appendDialectRegistry(registry);
  mlir::PassManager passes(module.get().getContext());
  buildFusePipeline(passes);
  ASSERT_TRUE(mlir::succeeded(passes.run(module.get())));
  for (auto function : module.get().getOps<mlir::func::FuncOp>()) {
    if (function->hasAttr("attn.kernel"))
      continue;
    function.walk([](mlir::Operation *op) {
      std::string name = op->getName().getStringRef().str();
      bool allowed = llvm::StringSwitch<bool>(name)
                         .Cases({"func.func", "func.call", "func.return", "scf.for", "scf.yield"}, true)
                         .Cases({"model.get", "tensor.expand_shape", "tensor.collapse_shape", "tensor.dim"}, true)
                         .Default(name.starts_with("arith.") && op->getResult(0).getType().isIndex());
      EXPECT_TRUE(allowed) << name << " on the host";
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Inputs, Meaning, testing::ValuesIn(inputFiles()), [](const auto &info) {
  std::string name = llvm::sys::path::stem(info.param).str();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

} // namespace
} // namespace attnc
