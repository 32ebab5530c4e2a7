#include "tools/attnc/ExplainedModel/FusedWork.h"
#include "compiler/Memory/Plan.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include <fmt/format.h>

using namespace mlir;

namespace attnc {

namespace {

/// Distinct words, in order.
struct Words {
  std::vector<std::string> all;
  void insert(std::string word) {
    if (!llvm::is_contained(all, word))
      all.push_back(std::move(word));
  }
};

} // namespace

/// The attention or the contraction of a kernel; null if the kernel has no main op.
static Operation *mainOp(func::FuncOp kernel) {
  const KernelTraits &traits = kernelTraits(*kernelKindOf(kernel));
  for (Operation &op : kernel.getBody().front())
    if (op.getName().getStringRef() == traits.rootOp)
      return &op;
  for (auto generic : kernel.getOps<linalg::GenericOp>())
    if (traits.body == KernelBody::Contraction && generic.getNumReductionLoops() > 0)
      return generic;
  return nullptr;
}

static bool hasMask(Operation *main) {
  if (auto attend = dyn_cast_if_present<attn::AttendOp>(main))
    return !attend.getMask().empty();
  auto gradient = dyn_cast_if_present<attn::AttendGradientOp>(main);
  return gradient && !gradient.getMask().empty();
}

/// Whether a subscript of the read comes from integers of a tensor.
static bool isByData(tensor::ExtractOp read) {
  return llvm::any_of(read.getIndices(), [](Value index) {
    auto cast = index.getDefiningOp<arith::IndexCastOp>();
    return cast && !matchPattern(cast.getIn(), m_Constant());
  });
}

static void addFunctions(func::FuncOp kernel, Words &words) {
  kernel.walk([&](Operation *op) {
    if (auto read = dyn_cast<tensor::ExtractOp>(op); read && isByData(read))
      words.insert("gather");
    else if (StringRef name = op->getName().getStringRef(); name.consume_front("math."))
      words.insert(name.str());
  });
}

/// Whether an op of the kernel adds the elements of an argument to others.
static bool isAdded(BlockArgument argument) {
  auto addsElement = [&](OpOperand &use) {
    auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
    return generic && generic.isDpsInput(&use) &&
           llvm::any_of(generic.getMatchingBlockArgument(&use).getUsers(),
                        [](Operation *user) { return isa<arith::AddFOp>(user); });
  };
  return llvm::any_of(argument.getUses(), addsElement);
}

static void addOperands(func::FuncOp kernel, func::CallOp call, Operation *main, Words &words) {
  bool isContraction = kernelTraits(*kernelKindOf(kernel)).body == KernelBody::Contraction;
  for (auto [argument, operand] : llvm::zip_equal(kernel.getArguments(), call.getOperands())) {
    auto isArgument = [&argument = argument](Value tensor) { return argumentOf(tensor) == argument; };
    if (main && llvm::any_of(main->getOperands(), isArgument))
      continue;
    auto get = operand.getDefiningOp() ? EntryPlan::root(operand).getDefiningOp<model::GetOp>() : model::GetOp();
    if (get && cast<RankedTensorType>(get.getType()).getRank() > 1)
      continue;
    if (get)
      words.insert(get.getParameter().substr(get.getParameter().rfind('.') + 1).str());
    else if (isContraction && isAdded(argument))
      words.insert("residual");
  }
}

std::vector<std::string> fusedWork(func::FuncOp kernel, func::CallOp call) {
  Words words;
  Operation *main = mainOp(kernel);
  if (hasMask(main))
    words.insert("mask");
  auto generics = llvm::to_vector(kernel.getOps<linalg::GenericOp>());
  auto reductions = llvm::count_if(generics, [](linalg::GenericOp op) { return op.getNumReductionLoops() > 0; });
  if (!main && generics.size() > 1 && reductions > 0)
    words.insert(fmt::format("{} reduction{}", reductions, reductions == 1 ? "" : "s"));
  addFunctions(kernel, words);
  addOperands(kernel, call, main, words);
  return words.all;
}

} // namespace attnc
