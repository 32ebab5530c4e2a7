#include "compiler/Predict/CodeTime.h"
#include "compiler/Codegen/Formula/VectorMath.h"
#include "compiler/Predict/HalideTime.h"
#include "compiler/Predict/InstructionWork.h"
#include "compiler/Sizes/IntegerFold.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"
#include <cmath>
#include <map>
#include <utility>

using namespace mlir;

namespace attnc {

namespace {

bool isControl(Operation *op) { return op->getNumRegions() > 0 || isa<func::CallOp, LLVM::CallOp, LLVM::MemsetOp>(op); }

/// An integer op whose value may affect control flow.
bool isNumber(Operation *op) {
  return op->getNumResults() == 1 && op->getResult(0).getType().isIntOrIndex() && !isControl(op);
}

/// Whether the condition is true only for NaN, which is rare.
bool testsForNan(Value condition, unsigned depth = 0) {
  constexpr unsigned deepest = 8;
  Operation *op = condition.getDefiningOp();
  if (!op || depth == deepest)
    return false;
  if (auto compares = dyn_cast<arith::CmpFOp>(op))
    return compares.getPredicate() == arith::CmpFPredicate::UNO;
  auto isOne = [&](Value value) { return testsForNan(value, depth + 1); };
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return !branch.getThenRegion().empty() &&
           isOne(branch.thenYield().getOperand(cast<OpResult>(condition).getResultNumber()));
  return isa<arith::OrIOp, arith::AndIOp, vector::ReductionOp>(op) && llvm::any_of(op->getOperands(), isOne);
}

/// Whether the code marks the condition as unlikely.
bool isUnlikely(Value condition) {
  auto expects = condition.getDefiningOp<LLVM::ExpectOp>();
  return expects && matchPattern(expects.getExpected(), m_Zero());
}

/// The size that memref.dim reads from a descriptor that the kernel frame fills in.
Value sizeInDescriptor(memref::DimOp dim) {
  auto cast = dim.getSource().getDefiningOp<UnrealizedConversionCastOp>();
  std::optional<int64_t> wanted = dim.getConstantIndex();
  if (!cast || !wanted)
    return {};
  auto insert = cast.getInputs()[0].getDefiningOp<LLVM::InsertValueOp>();
  for (; insert; insert = insert.getContainer().getDefiningOp<LLVM::InsertValueOp>())
    if (insert.getPosition() == ArrayRef<int64_t>{3, *wanted})
      return insert.getValue();
  return {};
}

std::optional<int64_t> foldInteger(Operation *op, ArrayRef<int64_t> operands) {
  if (operands.size() == 1 && isa<arith::IndexCastOp, arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return operands[0];
  if (auto compares = dyn_cast<arith::CmpIOp>(op))
    return foldComparison(compares.getPredicate(), operands[0], operands[1]);
  std::optional<IntegerOp> kind = integerOp(op);
  return kind ? foldIntegers(*kind, operands[0], operands[1]) : std::nullopt;
}

} // namespace

//===------------------------------------------ walk over the code -------------------------------------------===//

class CodeTime::Walk {
public:
  Walk(ModuleOp code, const Machine &machine) : code(code), machine(machine), work(machine), blocks(machine) {
    code.walk([&](Operation *op) { findAddress(op); });
  }

  std::optional<PhaseCost> phase(StringRef symbol, ArrayRef<int64_t> sizes, int64_t chunks) {
    auto body = code.lookupSymbol<func::FuncOp>((symbol + ".body").str());
    if (!body)
      return std::nullopt;
    SmallVector<Number> arguments(body.getNumArguments());
    unsigned next = 0, chunk = body.getNumArguments();
    for (auto [number, type] : llvm::enumerate(body.getArgumentTypes()))
      if (type.isInteger(64)) {
        if (next < sizes.size())
          arguments[number] = Number::known(sizes[next++]);
        else
          chunk = number;
      }
    if (chunk == body.getNumArguments())
      return std::nullopt;
    isUnknown = false;
    visited.clear();
    auto one = [&](Number number) {
      arguments[chunk] = number;
      return call(body, arguments);
    };
    Cost cost = repeat(
        chunks, [&](std::optional<int64_t> index) { return one(index ? Number::known(*index) : Number::varies()); });
    if (isUnknown || !cost)
      return std::nullopt;
    cost->addLoopLatency(double(chunks), 0);
    cost->seconds = std::max({cost->seconds, cost->path, cost->serial});
    return PhaseCost{*cost, executedCode(), llvm::any_of(visited, [&](Block *block) { return isWide(block); })};
  }

private:
  using Cost = std::optional<CodeCost>; ///< null if control flow depends on a varying number
  static constexpr int64_t maxWalked = 24;

  /// The cost of indices 0 .. count - 1: `count` times one iteration if its cost does not vary, else the sum over all
  /// indices or over a sample.
  Cost repeat(int64_t count, llvm::function_ref<Cost(std::optional<int64_t>)> iteration, bool *varies = nullptr) {
    if (count <= 0)
      return CodeCost();
    if (count > 1 && !(varies && *varies))
      if (Cost same = iteration(std::nullopt))
        return *same * double(count);
    CodeCost sum;
    int64_t walked = std::min(count, maxWalked);
    for (int64_t each = 0; each < walked; ++each) {
      // All indices if there are few; else one in each of equal intervals, at golden-ratio positions, which avoid any
      // period of the indices.
      constexpr double golden = 0.6180339887498949;
      double position = double(each) + std::fmod(golden * double(each + 1), 1.0);
      Cost cost = iteration(count == walked ? each : int64_t(position * double(count) / double(walked)));
      if (!cost)
        return std::nullopt;
      sum += *cost;
    }
    sum.path /= double(walked);
    if (varies)
      *varies = true;
    return sum * (double(count) / double(walked));
  }

  /// Lays out the code of all functions in the order of the module.
  void layOut() {
    int64_t at = 0;
    for (Operation &op : *code.getBody())
      if (isa<func::FuncOp, LLVM::LLVMFuncOp>(op)) {
        double bytes = 0;
        if (isa<func::FuncOp>(op))
          op.walk([&](Block *block) { bytes += WorkTime::codeBytes(planOf(*block).straight); });
        else
          bytes = blocks.bytesOf(cast<LLVM::LLVMFuncOp>(op));
        codeOffsets[&op] = at;
        constexpr int64_t alignment = 16;
        at = int64_t(llvm::alignTo(at + int64_t(bytes), alignment));
      }
  }

  std::vector<CodeRange> executedCode() {
    if (codeOffsets.empty())
      layOut();
    llvm::MapVector<Operation *, double> bytes;
    for (Block *block : visited) {
      Operation *function = block->getParentOp();
      if (auto other = dyn_cast<LLVM::LLVMFuncOp>(function))
        bytes[function] = blocks.executedBytes(other);
      else
        bytes[isa<func::FuncOp>(function) ? function : function->getParentOfType<func::FuncOp>()] +=
            WorkTime::codeBytes(planOf(*block).straight);
    }
    std::vector<CodeRange> ranges;
    for (auto [function, size] : bytes)
      if (int64_t begin = codeOffsets.lookup(function); size >= 1)
        ranges.push_back({begin, begin + int64_t(size)});
    return ranges;
  }

  bool isWide(Block *block) {
    auto other = dyn_cast<LLVM::LLVMFuncOp>(block->getParentOp());
    return other ? blocks.isWide(other) : planOf(*block).isWide;
  }

  /// A block's straight-line work, and the ops that affect control flow.
  struct Plan {
    Work straight;
    std::vector<Operation *> controlOps; ///< integers, ops with regions, and calls, in order
    bool isInnermost = true;
    bool isWide = false;                     ///< uses full-width vectors
    double path = 0;                         ///< critical path of the straight-line code in seconds
    double carried = 0;                      ///< latency of the loop-carried dependence in seconds
    double serial = 0;                       ///< CodeCost::serial of one execution
    double forwards = 0;                     ///< the same, for masked vectors that overlap the previous store
    std::vector<vector::CreateMaskOp> masks; ///< masks of those vectors; null for other masks than create_mask
  };

  /// Adds the instructions of an address to the innermost block that defines one of its subscripts, except the last
  /// subscript, which counts elements of a row.
  void findAddress(Operation *op) {
    double instructions = WorkTime::addressInstructions(op);
    if (instructions == 0)
      return;
    Block *innermost = nullptr;
    for (Value operand : op->getOperands())
      if (operand.getType().isIndex() && !isLastSubscript(op, operand))
        if (Block *owner = operand.getParentBlock();
            !innermost || innermost->getParentOp()->isAncestor(owner->getParentOp()))
          innermost = owner;
    if (innermost)
      addresses[innermost] += instructions;
  }

  static bool isLastSubscript(Operation *op, Value subscript) {
    Value last;
    for (Value operand : op->getOperands())
      last = operand.getType().isIndex() ? operand : last;
    return subscript == last;
  }

  const Plan &planOf(Block &block) {
    auto [found, isNew] = plans.try_emplace(&block);
    if (!isNew)
      return *found->second;
    auto plan = std::make_unique<Plan>();
    for (Operation &op : block) {
      bool controls = isControl(&op);
      if (controls || isNumber(&op))
        plan->controlOps.push_back(&op);
      plan->isInnermost &= !controls;
      plan->isWide |= !controls && work.isWide(&op);
      if (!controls)
        plan->straight += work.workOf(&op);
      else if (isa<scf::IfOp>(op))
        plan->straight.scalars += 1;
      else if (isa<scf::ForOp>(op))
        plan->straight.scalars += 2;
    }
    plan->straight.scalars += addresses.lookup(&block) + (isa<scf::ForOp>(block.getParentOp()) ? 2 : 0);
    plan->path = work.criticalPath(block);
    plan->serial = work.serialLatency(block, plan->path);
    if (WorkTime::failsForwarding(block)) {
      plan->forwards = machine.forward;
      for (auto load : block.getOps<vector::MaskedLoadOp>())
        plan->masks.push_back(load.getMask().getDefiningOp<vector::CreateMaskOp>());
    }
    plan->carried = plan->isInnermost ? work.iterationLatency(block) : 0;
    return *(plans[&block] = std::move(plan));
  }

  Cost call(func::FuncOp function, ArrayRef<Number> arguments) {
    if (function.isDeclaration() || !function.getBody().hasOneBlock()) {
      isUnknown = true;
      return CodeCost();
    }
    auto &memory = results[function];
    std::vector<Number> key(arguments);
    for (auto &[known, cost, blocks] : memory)
      if (known == key) {
        visited.insert_range(blocks);
        return cost;
      }
    llvm::SetVector<Block *> before = std::exchange(visited, {});
    for (auto [argument, number] : llvm::zip_equal(function.getArguments(), arguments))
      numbers[argument] = number;
    Cost cost = block(function.front());
    memory.push_back({std::move(key), cost, visited.getArrayRef().vec()});
    visited.insert_range(before);
    return cost;
  }

  Cost block(Block &block) {
    const Plan &plan = planOf(block);
    visited.insert(&block);
    CodeCost cost{work.seconds(plan.straight),  plan.straight.loadedBytes, plan.straight.storedBytes,
                  plan.straight.instructions(), plan.straight.scheduled(), plan.path};
    for (Operation *op : plan.controlOps) {
      if (isNumber(op)) {
        evaluate(op);
        continue;
      }
      Cost part = control(op);
      if (!part)
        return std::nullopt;
      cost += *part;
    }
    cost.serial += std::max(plan.serial, cutsOff(plan) ? plan.forwards : 0);
    return cost;
  }

  /// Whether a vector is longer than the rest of a row.
  bool cutsOff(const Plan &plan) {
    return llvm::any_of(plan.masks, [&](vector::CreateMaskOp mask) {
      Number left = mask ? numberOf(mask.getOperand(0)) : Number();
      return left.kind != Number::Known || left.value < mask.getType().getShape().back();
    });
  }

  Cost control(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return forLoop(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return condition(branch);
    if (auto choice = dyn_cast<scf::IndexSwitchOp>(op))
      return choose(choice);
    if (auto fill = dyn_cast<LLVM::MemsetOp>(op))
      return this->fill(fill);
    SmallVector<Number> arguments;
    for (Value operand : op->getOperands())
      arguments.push_back(numberOf(operand));
    if (auto called = dyn_cast<func::CallOp>(op))
      if (auto function = code.lookupSymbol<func::FuncOp>(called.getCallee()))
        return call(function, arguments);
    if (auto called = dyn_cast<LLVM::CallOp>(op); called && called.getCallee())
      if (auto function = code.lookupSymbol<LLVM::LLVMFuncOp>(*called.getCallee())) {
        HalideTime::Answer answer = blocks.costOf(function, arguments);
        if (answer.cost)
          visited.insert(&function.getBody().front());
        if (answer.cost || answer.varies)
          return answer.cost;
      }
    isUnknown = true;
    return CodeCost();
  }

  Cost fill(LLVM::MemsetOp fill) {
    Number bytes = numberOf(fill.getLen());
    if (bytes.kind != Number::Known)
      return std::nullopt;
    Work sum = work.fillWork(double(bytes.value));
    return CodeCost{work.seconds(sum), 0, sum.storedBytes, sum.instructions()};
  }

  Cost forLoop(scf::ForOp loop) {
    Number from = numberOf(loop.getLowerBound()), to = numberOf(loop.getUpperBound()), step = numberOf(loop.getStep());
    for (const Number &bound : {from, to, step})
      if (bound.kind == Number::Varies)
        return std::nullopt;
    auto carry = [&](OperandRange values) {
      SmallVector<Number> next;
      for (Value value : values)
        next.push_back(numberOf(value));
      return next;
    };
    const SmallVector<Number> first = carry(loop.getInitArgs());
    SmallVector<Number> carried = first;
    auto bind = [&](auto &&targets) {
      for (auto [target, number] : llvm::zip_equal(targets, carried))
        numbers[target] = number;
    };
    bool isData = to.kind == Number::Data && to.value == Number::unbounded;
    int64_t begin = from.kind == Number::Known ? from.value : 0;
    int64_t stride = step.value > 0 && step.value != Number::unbounded ? step.value : 1;
    int64_t count = isData ? 1 : std::max<int64_t>(0, llvm::divideCeilSigned(to.value - begin, stride));
    // A length from data is assumed to be half of its bound; all but the last tile of such a length are whole.
    bool halves = to.kind == Number::Data && !isData && !isHalved;
    if (halves)
      count = (count + 1) / 2;
    llvm::SaveAndRestore kept(isHalved, isHalved || (halves && count > 1));
    Block &body = *loop.getBody();
    Cost cost = repeat(
        count,
        [&](std::optional<int64_t> index) -> Cost {
          numbers[loop.getInductionVar()] = index ? Number::known(begin + *index * stride) : Number::varies();
          if (!index)
            carried.assign(first.size(), Number::varies());
          else if (count > maxWalked)
            carried.assign(first.size(), Number());
          else if (*index == 0)
            carried = first;
          bind(loop.getRegionIterArgs());
          Cost once = block(body);
          carried = carry(body.getTerminator()->getOperands());
          return once;
        },
        &mustWalk[loop]);
    for (Number &number : carried)
      if (number.kind == Number::Varies)
        number = Number();
    bind(loop.getResults());
    if (cost)
      cost->addLoopLatency(double(count), planOf(body).carried);
    return cost;
  }

  Cost region(Region &region, ResultRange results, bool binds) {
    if (region.empty())
      return CodeCost();
    Cost cost = block(region.front());
    if (cost)
      for (auto [result, value] : llvm::zip_equal(results, region.front().getTerminator()->getOperands()))
        numbers[result] = binds ? numberOf(value) : Number();
    return cost;
  }

  Cost condition(scf::IfOp branch) {
    Number decides = numberOf(branch.getCondition());
    if (decides.kind == Number::Varies)
      return std::nullopt;
    if (decides.kind == Number::Known)
      return region(decides.value ? branch.getThenRegion() : branch.getElseRegion(), branch.getResults(), true);
    if (isUnlikely(branch.getCondition()))
      return region(branch.getElseRegion(), branch.getResults(), false);
    Cost one = region(branch.getThenRegion(), branch.getResults(), false);
    Cost other = region(branch.getElseRegion(), branch.getResults(), false);
    if (!one || !other)
      return std::nullopt;
    if (testsForNan(branch.getCondition()))
      return other;
    // If both arms compute, one is the common case, and the other is the general one.
    if (std::min(one->seconds, other->seconds) > 0.1 * std::max(one->seconds, other->seconds))
      return one->seconds < other->seconds ? one : other;
    double longest = std::max(one->path, other->path);
    *one += *other;
    one->path = longest;
    return *one * 0.5;
  }

  Cost choose(scf::IndexSwitchOp choice) {
    Number decides = numberOf(choice.getArg());
    if (decides.kind == Number::Varies)
      return std::nullopt;
    if (decides.kind == Number::Known)
      for (auto [number, value] : llvm::enumerate(choice.getCases()))
        if (value == decides.value)
          return region(choice.getCaseRegions()[number], choice.getResults(), true);
    return region(choice.getDefaultRegion(), choice.getResults(), decides.kind == Number::Known);
  }

  Number numberOf(Value value) {
    auto found = numbers.find(value);
    return found == numbers.end() ? Number() : found->second;
  }

  void evaluate(Operation *op) { numbers[op->getResult(0)] = valueOf(op); }

  Number valueOf(Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto value = dyn_cast<IntegerAttr>(constant.getValue());
      return value ? Number::known(value.getType().isInteger(1) ? int64_t(value.getValue().getBoolValue())
                                                                : value.getValue().getSExtValue())
                   : Number();
    }
    if (auto dim = dyn_cast<memref::DimOp>(op)) {
      Value size = sizeInDescriptor(dim);
      return size ? numberOf(size) : Number();
    }
    if (auto constant = dyn_cast<LLVM::ConstantOp>(op)) {
      auto value = dyn_cast<IntegerAttr>(constant.getValue());
      return value ? Number::known(value.getInt()) : Number();
    }
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      Number decides = numberOf(select.getCondition());
      if (decides.kind == Number::Known)
        return numberOf(decides.value ? select.getTrueValue() : select.getFalseValue());
    }
    SmallVector<int64_t> operands;
    bool isData = false;
    for (Value operand : op->getOperands()) {
      Number number = numberOf(operand);
      if (number.kind == Number::Varies)
        return Number::varies();
      isData |= number.kind == Number::Data;
      operands.push_back(number.value);
    }
    if (isData)
      return bounded(op, operands);
    std::optional<int64_t> value = foldInteger(op, operands);
    return value ? Number::known(*value) : Number();
  }

  /// A length from data has an upper bound: the capacity of a cache.
  Number bounded(Operation *op, ArrayRef<int64_t> operands) {
    Number number;
    bool isKnown = llvm::none_of(operands, [](int64_t value) { return value == Number::unbounded; });
    if (isa<arith::SelectOp>(op))
      number.value = std::max(operands[1], operands[2]);
    else if (isa<arith::MinSIOp, arith::MinUIOp>(op))
      number.value = std::min(operands[0], operands[1]);
    else if (isKnown && !isa<arith::CmpIOp>(op))
      number.value = foldInteger(op, operands).value_or(Number::unbounded);
    return number;
  }

  ModuleOp code;
  const Machine &machine;
  WorkTime work;
  HalideTime blocks;
  bool isUnknown = false;
  bool isHalved = false; ///< inside of a loop with halved iterations
  llvm::DenseMap<Value, Number> numbers;
  llvm::DenseMap<Block *, std::unique_ptr<Plan>> plans;
  llvm::DenseMap<Block *, double> addresses; ///< address instructions by block
  std::map<Operation *, bool> mustWalk;      ///< loops whose control flow depends on their index
  /// Memoised result of a function for given arguments, with the blocks that it executes.
  struct Result {
    std::vector<Number> arguments;
    Cost cost;
    std::vector<Block *> blocks;
  };
  std::map<Operation *, std::vector<Result>> results;
  llvm::SetVector<Block *> visited;                 ///< executed blocks; of Halide's functions the entry block
  llvm::DenseMap<Operation *, int64_t> codeOffsets; ///< offset of a function's code, in bytes
};

CodeTime::CodeTime(ModuleOp generated, const Target &target, const Machine &machine)
    : code(cast<ModuleOp>(generated->clone())), machine(machine) {
  if (failed(expandMath(*code, target)))
    return;
  IRRewriter rewriter(code->getContext());
  for (LLVM::LLVMFuncOp function : code->getOps<LLVM::LLVMFuncOp>())
    HalideTime::simplify(function);
  for (func::FuncOp function : code->getOps<func::FuncOp>()) {
    DominanceInfo dominance(function);
    eliminateCommonSubExpressions(rewriter, dominance, function);
    function.walk([](LoopLikeOpInterface loop) { moveLoopInvariantCode(loop); });
  }
  walk = std::make_unique<Walk>(*code, this->machine);
}

CodeTime::~CodeTime() = default;

CodeCost &CodeCost::operator+=(const CodeCost &other) {
  seconds += other.seconds;
  loaded += other.loaded;
  stored += other.stored;
  instructions += other.instructions;
  scheduled += other.scheduled;
  path += other.path;
  serial += other.serial;
  return *this;
}

void CodeCost::addLoopLatency(double count, double carried) {
  if (count == 0)
    return;
  double each = WorkTime::windowShare(instructions / count, scheduled / count) * path;
  double serial = WorkTime::windowShare(instructions, scheduled) * count * carried;
  seconds = std::max({seconds, count * each, serial});
  path += (count - 1) * carried;
}

CodeCost CodeCost::operator*(double times) const {
  return {seconds * times,   loaded * times, stored * times, instructions * times,
          scheduled * times, path,           serial * times};
}

std::optional<PhaseCost> CodeTime::costOf(StringRef symbol, ArrayRef<int64_t> sizes, int64_t chunks) {
  return walk ? walk->phase(symbol, sizes, chunks) : std::nullopt;
}

} // namespace attnc
