#include "compiler/Codegen/Halide/Read/ReadKernel.h"
#include "compiler/Codegen/Halide/Read/ReadStage.h"
#include "compiler/Codegen/Nest/LoopNest.h"
#include "compiler/Analysis/OpCost.h"

using namespace mlir;

namespace attnc::halide {

namespace {

/// Cost in instructions above which a pointwise op with several readers is a stage rather than recomputed by each
/// reader.
constexpr int64_t recomputeLimit = 12;

class PipelineReader : public OtherStages {
public:
  explicit PipelineReader(func::FuncOp kernel) : kernel(kernel), sizes(kernel), returned(computedResults(kernel)) {}

  std::optional<KernelPipeline> run(std::string &reason) {
    if (holdsComputations() && readResults())
      return KernelPipeline{std::move(stages), std::move(shared.arguments), std::move(shared.operations), flops()};
    reason = why;
    return std::nullopt;
  }

  bool isComputedWhereRead(OpResult value, unsigned loops) override {
    auto op = dyn_cast<linalg::GenericOp>(value.getOwner());
    if (!op || op.getNumReductionLoops() > 0 || op.getNumLoops() < loops || llvm::is_contained(returned, value) ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(value.getResultNumber())).isPermutation())
      return false;
    return readersOf(value) == 1 || costOf(op) <= recomputeLimit;
  }

  OpOperand *foldToFinish(linalg::GenericOp op) override {
    if (op.getNumReductionLoops() > 0)
      return nullptr;
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto maker = input->get().getDefiningOp<linalg::GenericOp>();
      if (!maker || maker.getNumReductionLoops() == 0 || llvm::is_contained(returned, input->get()) ||
          !input->get().hasOneUse() || !op.getMatchingIndexingMap(input).isPermutation())
        continue;
      unsigned result = cast<OpResult>(input->get()).getResultNumber();
      bool isWhole = maker.getMatchingIndexingMap(maker.getDpsInitOperand(result)).isProjectedPermutation() &&
                     maker.getNumParallelLoops() == op.getNumLoops();
      if (isWhole && !numbers.contains(input->get()))
        return input;
    }
    return nullptr;
  }

  std::optional<unsigned> stageOf(OpResult value, KernelStage &own, std::string &reason) override {
    std::swap(shared.arguments, own.arguments);
    std::swap(shared.operations, own.operations);
    std::optional<unsigned> number = stageOf(value);
    std::swap(shared.arguments, own.arguments);
    std::swap(shared.operations, own.operations);
    if (!number)
      reason = why;
    return number;
  }

  const Stage &stage(unsigned number) const override { return stages[number].stage; }

private:
  bool decline(const llvm::Twine &reason) {
    why = reason.str();
    return false;
  }

  bool holdsComputations() {
    for (BlockArgument argument : kernel.getArguments())
      if (kernel.getArgAttr(argument.getArgNumber(), packedAttrName))
        return decline("a weight is packed");
    for (Operation &op : kernel.getBody().front())
      if (!isa<linalg::GenericOp, attn::ScatterAddOp, tensor::EmptyOp, tensor::DimOp, func::ReturnOp>(op) &&
          !isMove(&op) && !isa<arith::ArithDialect>(op.getDialect()))
        return decline("it contains " + op.getName().getStringRef());
    return true;
  }

  //===---------------------------------------- stages ------------------------------------------------------------===//

  bool readResults() {
    for (auto [number, value] : llvm::enumerate(returned))
      if (!readResult(cast<RankedTensorType>(kernel.getResultTypes()[number]), value, number))
        return false;
    return true;
  }

  bool readResult(RankedTensorType type, Value value, unsigned number) {
    auto result = dyn_cast<OpResult>(value);
    if (!result || !(isMove(result.getOwner()) || isa<linalg::GenericOp, attn::ScatterAddOp>(result.getOwner())))
      return decline("it returns a value that none of its operations computes");
    // A value that is returned twice, or rounded on return and also read, has a stage of its own, which others copy.
    bool isRounded = value.getType() != Type(type);
    if (auto known = numbers.find(value); known != numbers.end() && !isRounded && !stages[known->second].result)
      return stages[known->second].result = number, true;
    bool isCopied = numbers.contains(value) || (isRounded && readersOf(value) > 0);
    std::optional<unsigned> source = isCopied ? stageOf(result) : std::nullopt;
    if (isCopied && !source)
      return false;
    std::optional<unsigned> made = make(result, type.getElementType(), source);
    if (made)
      stages[*made].result = number;
    return made.has_value();
  }

  /// The stage that computes a tensor of the kernel.
  std::optional<unsigned> stageOf(OpResult value) {
    if (auto known = numbers.find(value); known != numbers.end())
      return known->second;
    return make(value, getElementTypeOrSelf(value.getType()), std::nullopt);
  }

  /// Adds a stage that computes the tensor with elements of `type`, or copies it from stage `source`.
  std::optional<unsigned> make(OpResult value, Type type, std::optional<unsigned> source) {
    std::optional<attn_dtype> element = elementTypeOf(type);
    if (!element)
      return decline("it computes with elements of another type than f32, i32 and bool"), std::nullopt;
    StageReader reader(kernel, *this, shared);
    if (source)
      reader.copy(*source, *element);
    else if (!reader.read(value, *element, why))
      return std::nullopt;
    stages.push_back(reader.take(shared));
    numbers.try_emplace(value, stages.size() - 1);
    return stages.size() - 1;
  }

  //===---------------------------------------- costs of operations ---------------------------------------------===//

  /// The number of ops of the kernel that read a tensor.
  static unsigned readersOf(Value value) {
    llvm::SmallPtrSet<Operation *, 4> readers;
    for (Operation *user : value.getUsers())
      if (!isa<func::ReturnOp, arith::TruncFOp, tensor::DimOp>(user))
        readers.insert(isa<tensor::ExtractOp>(user) ? user->getParentOp() : user);
    return readers.size();
  }

  /// The cost of an element in instructions, including its pointwise producers.
  int64_t costOf(linalg::GenericOp op) {
    auto [known, isNew] = costs.try_emplace(op, 0);
    if (!isNew)
      return known->second;
    int64_t cost = attnc::costOf(op.getRegion()).instructions;
    auto addOf = [&](Value tensor) {
      auto producer = tensor.getDefiningOp<linalg::GenericOp>();
      if (producer && producer.getNumReductionLoops() == 0 && producer.getNumLoops() >= op.getNumLoops())
        cost += costOf(producer);
    };
    llvm::for_each(op.getInputs(), addOf);
    op.getRegion().walk([&](tensor::ExtractOp extract) { addOf(extract.getTensor()); });
    return costs[op] = cost;
  }

  SizeExpr flops() {
    SizeExpr sum(0);
    for (linalg::GenericOp op : kernel.getOps<linalg::GenericOp>()) {
      SizeExpr points(1);
      for (const SizeExpr &size : loopSizes(op, sizes))
        points *= size;
      sum += points * SizeExpr(attnc::costOf(op.getRegion()).flops);
    }
    for (attn::ScatterAddOp op : kernel.getOps<attn::ScatterAddOp>()) {
      SizeExpr points(1);
      for (Value size : op.getSizes())
        points *= sizes.valueOf(size);
      sum += points;
    }
    return sum;
  }

  func::FuncOp kernel;
  KernelSizes sizes;
  SmallVector<Value> returned;
  std::vector<PlannedStage> stages;
  KernelStage shared; ///< arguments and operations of all stages
  llvm::DenseMap<Value, unsigned> numbers;
  llvm::DenseMap<Operation *, int64_t> costs;
  std::string why;
};

} // namespace

std::optional<KernelPipeline> readKernel(func::FuncOp kernel, std::string &reason) {
  if (kernelTraits(*kernelKindOf(kernel)).hasHalideCode)
    return PipelineReader(kernel).run(reason);
  reason = "it is neither a loops kernel nor a gemm kernel";
  return std::nullopt;
}

} // namespace attnc::halide
