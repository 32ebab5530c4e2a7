#include "compiler/Predict/HalideTime.h"
#include "compiler/Sizes/IntegerFold.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attnc {

namespace {

/// Booleans are 0 or 1.
std::optional<int64_t> constantOf(Value value) {
  llvm::APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getBitWidth() == 1 ? int64_t(constant.getZExtValue()) : constant.getSExtValue();
}

/// The operation of a binary op of the llvm dialect; null for other ops.
std::optional<IntegerOp> llvmIntegerOp(Operation *op) {
  using Kind = std::optional<IntegerOp>;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case([](LLVM::AddOp) { return IntegerOp::Add; })
      .Case([](LLVM::SubOp) { return IntegerOp::Sub; })
      .Case([](LLVM::MulOp) { return IntegerOp::Mul; })
      .Case<LLVM::SDivOp, LLVM::UDivOp>([](auto) { return IntegerOp::FloorDiv; })
      .Case<LLVM::SRemOp, LLVM::URemOp>([](auto) { return IntegerOp::Rem; })
      .Case<LLVM::SMinOp, LLVM::UMinOp>([](auto) { return IntegerOp::Min; })
      .Case<LLVM::SMaxOp, LLVM::UMaxOp>([](auto) { return IntegerOp::Max; })
      .Case([](LLVM::AndOp) { return IntegerOp::And; })
      .Case([](LLVM::OrOp) { return IntegerOp::Or; })
      .Case([](LLVM::XOrOp) { return IntegerOp::Xor; })
      .Case([](LLVM::ShlOp) { return IntegerOp::ShiftLeft; })
      .Case<LLVM::AShrOp, LLVM::LShrOp>([](auto) { return IntegerOp::ShiftRight; })
      .Default([](Operation *) { return Kind(); });
}

std::optional<int64_t> foldLlvmInteger(Operation *op, ArrayRef<int64_t> operands) {
  if (operands.size() == 1 && isa<LLVM::SExtOp, LLVM::ZExtOp, LLVM::TruncOp, LLVM::FreezeOp>(op))
    return operands[0];
  if (auto select = dyn_cast<LLVM::SelectOp>(op))
    return operands[0] ? operands[1] : operands[2];
  std::optional<IntegerOp> kind = llvmIntegerOp(op);
  return kind ? foldIntegers(*kind, operands[0], operands[1]) : std::nullopt;
}

/// The predicates of the llvm dialect have the numbers of those of arith.
bool holds(LLVM::ICmpPredicate predicate, int64_t a, int64_t b) {
  static_assert(int(LLVM::ICmpPredicate::uge) == int(arith::CmpIPredicate::uge));
  return foldComparison(static_cast<arith::CmpIPredicate>(predicate), a, b);
}

/// A number that is affine in the iteration of a loop.
struct Linear {
  int64_t first = 0, step = 0;
  int64_t at(int64_t iteration) const { return first + iteration * step; }
};

/// The first iteration in which the comparison of two affine numbers has the value `wanted`; null if there is none.
std::optional<int64_t> firstIteration(LLVM::ICmpPredicate predicate, Linear a, Linear b, bool wanted) {
  auto isWanted = [&](int64_t iteration) {
    return iteration >= 0 && holds(predicate, a.at(iteration), b.at(iteration)) == wanted;
  };
  int64_t apart = b.first - a.first, nearer = a.step - b.step;
  // It changes where both are equal, or in an adjacent iteration.
  int64_t meet = nearer ? apart / nearer : 0;
  for (int64_t iteration : {int64_t(0), meet - 1, meet, meet + 1})
    if (isWanted(iteration))
      return iteration;
  return std::nullopt;
}

} // namespace

class HalideTime::Walk {
public:
  Walk(LLVM::LLVMFuncOp function, const WorkTime &work)
      : function(function), work(work), order(getBlocksSortedByDominance(function.getBody())) {
    if (function.getBody().hasOneBlock())
      return;
    DominanceInfo dominance(function);
    loops = std::make_unique<CFGLoopInfo>(dominance.getDomTree(&function.getBody()));
  }

  Answer run(ArrayRef<Number> arguments) {
    for (auto &[known, answer] : results)
      if (ArrayRef(known) == arguments)
        return answer;
    numbers.clear();
    varies = false;
    for (auto [argument, number] : llvm::zip(function.getArguments(), arguments))
      numbers[argument] = number;
    Answer answer;
    answer.cost = walkLevel(nullptr, &function.getBody().front());
    answer.varies = varies;
    results.emplace_back(arguments.vec(), answer);
    return answer;
  }

  double executedBytes() const {
    double bytes = 0;
    for (auto &[block, plan] : plans)
      bytes += plan.hasRun ? plan.bytes : 0;
    return bytes;
  }

  bool isWide() const {
    return llvm::any_of(plans, [](const auto &each) { return each.second.hasRun && each.second.isWide; });
  }

private:
  using Cost = std::optional<CodeCost>;
  using Memo = llvm::DenseMap<Value, Number>;

  CFGLoop *loopOf(Block *block) const { return loops ? loops->getLoopFor(block) : nullptr; }

  //===---------------------------------------- numbers -----------------------------------------------------------===//

  Number numberOf(Value value) {
    Memo memo;
    return numberOf(value, memo);
  }

  Number numberOf(Value value, Memo &memo) {
    if (auto found = numbers.find(value); found != numbers.end())
      return found->second;
    Operation *op = value.getDefiningOp();
    if (!op || !value.getType().isIntOrIndex())
      return {};
    if (std::optional<int64_t> constant = constantOf(value))
      return Number::known(*constant);
    if (auto found = memo.find(value); found != memo.end())
      return found->second;
    Number number = computed(op, memo);
    memo[value] = number;
    return number;
  }

  Number computed(Operation *op, Memo &memo) {
    if (!isMemoryEffectFree(op) || op->getNumRegions() > 0)
      return {};
    SmallVector<int64_t> operands;
    bool isData = false;
    for (Value operand : op->getOperands()) {
      Number number = numberOf(operand, memo);
      if (number.kind == Number::Varies)
        return number;
      isData |= number.kind == Number::Data;
      operands.push_back(number.value);
    }
    if (isData)
      return {};
    if (auto compares = dyn_cast<LLVM::ICmpOp>(op))
      return Number::known(holds(compares.getPredicate(), operands[0], operands[1]));
    std::optional<int64_t> value = foldLlvmInteger(op, operands);
    return value ? Number::known(*value) : Number();
  }

  /// Binds the block's arguments to the operands of an edge; to unknown numbers if another edge binds different ones.
  void bind(OperandRange operands, Block *block, llvm::SmallPtrSetImpl<Block *> &bound) {
    bool isFirst = bound.insert(block).second;
    SmallVector<Number> handed;
    for (Value operand : operands)
      handed.push_back(numberOf(operand));
    for (auto [argument, number] : llvm::zip(block->getArguments(), handed))
      numbers[argument] = isFirst || numbers[argument] == number ? number : Number();
  }

  //===---------------------------------------- blocks ------------------------------------------------------------===//

  struct Plan {
    CodeCost cost;
    double bytes = 0; ///< code size
    bool hasRun = false;
    bool isWide = false; ///< uses full-width vectors
    std::vector<LLVM::MemsetOp> fills;
    double carried = 0; ///< latency of the loop-carried dependence in seconds, of a loop of one block
  };

  Plan &planOf(Block *block) {
    auto [found, isNew] = plans.try_emplace(block);
    if (!isNew)
      return found->second;
    Work sum;
    for (Operation &op : *block) {
      sum += work.workOf(&op);
      found->second.isWide |= work.isWide(&op);
      if (auto fill = dyn_cast<LLVM::MemsetOp>(op))
        found->second.fills.push_back(fill);
    }
    sum.scalars += 1; // the branch
    found->second.bytes = WorkTime::codeBytes(sum);
    found->second.cost = {work.seconds(sum),  sum.loadedBytes, sum.storedBytes,
                          sum.instructions(), sum.scheduled(), work.criticalPath(*block)};
    // Only floats form slow loop-carried dependences; an index is available at once.
    SmallVector<BlockArgument> sums;
    for (BlockArgument argument : block->getArguments())
      if (getElementTypeOrSelf(argument.getType()).isF32())
        sums.push_back(argument);
    found->second.carried = work.carriedLatency(*block, sums);
    return found->second;
  }

  CodeCost straight(Block *block) {
    const Plan &plan = planOf(block);
    CodeCost cost = plan.cost;
    for (LLVM::MemsetOp fill : plan.fills)
      if (Number bytes = numberOf(fill.getLen()); bytes.kind == Number::Known) {
        Work sum = work.fillWork(double(bytes.value));
        cost += CodeCost{work.seconds(sum), 0, sum.storedBytes, sum.instructions()};
      }
    return cost;
  }

  /// Cost of the blocks of `loop` from `header` on, with all iterations of inner loops; of the function if `loop` is
  /// null.
  Cost walkLevel(CFGLoop *loop, Block *header) {
    llvm::DenseMap<Block *, double> weights;
    llvm::SmallPtrSet<Block *, 16> bound;
    weights[header] = 1;
    CodeCost sum;
    auto enter = [&](Block *block, double weight) {
      if (block != header && (!loop || loop->contains(block)))
        weights[block] += weight;
    };
    for (Block *block : order) {
      double weight = weights.lookup(block);
      if (weight == 0)
        continue;
      CFGLoop *own = loopOf(block);
      planOf(block).hasRun = true;
      llvm::SmallSetVector<Block *, 2> exits;
      Cost cost = own == loop ? straight(block) : iterate(own, block, bound, exits);
      if (!cost)
        return std::nullopt;
      sum += *cost * weight;
      if (own != loop) {
        for (Block *exit : exits)
          enter(exit, weight / double(exits.size()));
        continue;
      }
      if (!leave(block, weight, enter, bound))
        return std::nullopt;
    }
    return sum;
  }

  /// Follows the edges out of a block; returns false if a varying number selects the edge.
  bool leave(Block *block, double weight, llvm::function_ref<void(Block *, double)> enter,
             llvm::SmallPtrSetImpl<Block *> &bound) {
    auto branch = dyn_cast<BranchOpInterface>(block->getTerminator());
    if (!branch)
      return true;
    Number decision;
    auto condition = dyn_cast<LLVM::CondBrOp>(block->getTerminator());
    if (condition)
      decision = numberOf(condition.getCondition());
    if (decision.kind == Number::Varies) {
      varies = true;
      return false;
    }
    unsigned count = branch->getNumSuccessors();
    for (unsigned number = 0; number < count; ++number) {
      bool isTaken = decision.kind != Number::Known || (decision.value != 0) == (number == 0);
      if (!isTaken)
        continue;
      Block *next = branch->getSuccessor(number);
      if (CFGLoop *loop = loopOf(block); !loop || next != loop->getHeader())
        bind(branch.getSuccessorOperands(number).getForwardedOperands(), next, bound);
      enter(next, decision.kind == Number::Known ? weight : weight / count);
    }
    return true;
  }

  //===---------------------------------------- loops -------------------------------------------------------------===//

  /// A loop as recurrences of its header's arguments.
  struct Recurrences {
    CFGLoop *loop;
    SmallVector<Value> next;                        ///< arguments of the next iteration
    SmallVector<Number> first;                      ///< arguments of the first iteration
    SmallVector<std::optional<Linear>> linear = {}; ///< null for arguments that are not affine
  };

  Recurrences findRecurrences(CFGLoop *loop) {
    Recurrences recurrences{loop, {}, {}};
    auto latch = cast<BranchOpInterface>(loop->getLoopLatch()->getTerminator());
    for (unsigned number = 0; number < latch->getNumSuccessors(); ++number)
      if (latch->getSuccessor(number) == loop->getHeader())
        recurrences.next = llvm::to_vector(latch.getSuccessorOperands(number).getForwardedOperands());
    recurrences.first = argumentsOf(recurrences);
    next(recurrences);
    SmallVector<Number> second = argumentsOf(recurrences);
    next(recurrences);
    for (auto [first, second, third] : llvm::zip(recurrences.first, second, argumentsOf(recurrences))) {
      bool isKnown =
          llvm::all_of(ArrayRef{first, second, third}, [](const Number &each) { return each.kind == Number::Known; });
      bool isLinear = isKnown && third.value - second.value == second.value - first.value;
      recurrences.linear.push_back(isLinear ? std::optional(Linear{first.value, second.value - first.value})
                                            : std::nullopt);
      varies |= first.kind == Number::Varies;
    }
    return recurrences;
  }

  SmallVector<Number> argumentsOf(const Recurrences &recurrences) {
    return llvm::map_to_vector(recurrences.loop->getHeader()->getArguments(),
                               [&](Value each) { return numberOf(each); });
  }

  void next(const Recurrences &recurrences) {
    SmallVector<Number> following = llvm::map_to_vector(recurrences.next, [&](Value each) { return numberOf(each); });
    for (auto [argument, number] : llvm::zip(recurrences.loop->getHeader()->getArguments(), following))
      numbers[argument] = number;
  }

  void bindIteration(const Recurrences &recurrences, int64_t iteration) {
    for (auto [argument, linear, first] :
         llvm::zip(recurrences.loop->getHeader()->getArguments(), recurrences.linear, recurrences.first))
      numbers[argument] = linear ? Number::known(linear->at(iteration)) : iteration == 0 ? first : Number();
  }

  /// How often the exiting block is executed before control leaves the loop.
  std::optional<int64_t> iterationsUntil(const Recurrences &recurrences, Block *exiting) {
    auto branch = dyn_cast<LLVM::CondBrOp>(exiting->getTerminator());
    if (!branch)
      return std::nullopt;
    bool exitValue = !recurrences.loop->contains(branch.getTrueDest());
    std::optional<int64_t> iteration = solve(recurrences, branch.getCondition(), exitValue);
    if (!iteration)
      iteration = follow(recurrences, branch.getCondition(), exitValue);
    return iteration ? std::optional(*iteration + (exiting == recurrences.loop->getLoopLatch())) : std::nullopt;
  }

  /// The first iteration in which the condition has the value `wanted`, from its two affine sides.
  std::optional<int64_t> solve(const Recurrences &recurrences, Value condition, bool wanted) {
    auto compares = condition.getDefiningOp<LLVM::ICmpOp>();
    if (!compares)
      return std::nullopt;
    Linear sides[2];
    for (auto [side, operand] : llvm::zip(sides, compares->getOperands())) {
      bindIteration(recurrences, 0);
      Number first = numberOf(operand);
      bindIteration(recurrences, 1);
      Number second = numberOf(operand);
      if (first.kind != Number::Known || second.kind != Number::Known)
        return std::nullopt;
      side = {first.value, second.value - first.value};
    }
    return firstIteration(compares.getPredicate(), sides[0], sides[1], wanted);
  }

  /// The same by evaluation of each iteration, if there are few.
  std::optional<int64_t> follow(const Recurrences &recurrences, Value condition, bool wanted) {
    constexpr int64_t limit = 256;
    bindIteration(recurrences, 0);
    for (int64_t iteration = 0; iteration < limit; ++iteration) {
      Number decision = numberOf(condition);
      varies |= decision.kind == Number::Varies;
      if (decision.kind != Number::Known)
        return std::nullopt;
      if ((decision.value != 0) == wanted)
        return iteration;
      next(recurrences);
    }
    return std::nullopt;
  }

  /// Cost of all iterations; `exits` returns the blocks to which control leaves, with their arguments bound.
  Cost iterate(CFGLoop *loop, Block *header, llvm::SmallPtrSetImpl<Block *> &bound,
               llvm::SmallSetVector<Block *, 2> &exits) {
    if (!loop->getLoopLatch())
      return std::nullopt;
    Recurrences recurrences = findRecurrences(loop);
    SmallVector<Block *> exitings;
    loop->getExitingBlocks(exitings);
    std::optional<int64_t> count;
    SmallVector<Block *> leaving;
    for (Block *exiting : exitings) {
      auto own = iterationsUntil(recurrences, exiting);
      if (!own || *own > count.value_or(*own))
        continue;
      if (count != own)
        leaving.clear();
      leaving.push_back(exiting);
      count = own;
    }
    if (!count)
      return std::nullopt;
    bindIteration(recurrences, std::max<int64_t>(0, (*count - 1) / 2));
    Cost cost = walkLevel(loop, header);
    if (!cost)
      return std::nullopt;
    *cost = *cost * double(*count);
    cost->addLoopLatency(double(*count), loop->getNumBlocks() == 1 ? planOf(header).carried : 0);
    for (Block *exiting : leaving)
      bindExit(recurrences, exiting, *count, bound, exits);
    return cost;
  }

  /// Binds the arguments of the exits that `exiting` reaches in its last iteration.
  void bindExit(const Recurrences &recurrences, Block *exiting, int64_t count, llvm::SmallPtrSetImpl<Block *> &bound,
                llvm::SmallSetVector<Block *, 2> &exits) {
    bindIteration(recurrences, exiting == recurrences.loop->getLoopLatch() ? std::max<int64_t>(0, count - 1) : count);
    auto branch = cast<BranchOpInterface>(exiting->getTerminator());
    for (unsigned number = 0; number < branch->getNumSuccessors(); ++number)
      if (Block *exit = branch->getSuccessor(number); !recurrences.loop->contains(exit)) {
        bind(branch.getSuccessorOperands(number).getForwardedOperands(), exit, bound);
        exits.insert(exit);
      }
  }

  LLVM::LLVMFuncOp function;
  const WorkTime &work;
  SetVector<Block *> order;
  std::unique_ptr<CFGLoopInfo> loops;
  Memo numbers; ///< arguments of the function and of blocks
  bool varies = false;
  llvm::DenseMap<Block *, Plan> plans;
  std::vector<std::pair<std::vector<Number>, Answer>> results;
};

namespace {

/// The booleans that `value` extends; null if it does not extend booleans.
Value extendedBooleans(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_present<LLVM::ZExtOp, arith::ExtUIOp>(op) && getElementTypeOrSelf(op->getOperand(0)).isInteger(1)
             ? op->getOperand(0)
             : Value();
}

/// The operand that equals the result of an op that only extends booleans and truncates them again; null for other ops.
Value simplified(Operation *op) {
  if (auto compares = dyn_cast<LLVM::ICmpOp>(op);
      compares && compares.getPredicate() == LLVM::ICmpPredicate::ne && matchPattern(compares.getRhs(), m_Zero()))
    return extendedBooleans(compares.getLhs());
  if (isa<arith::TruncIOp, LLVM::TruncOp>(op) && getElementTypeOrSelf(op->getResult(0)).isInteger(1))
    return extendedBooleans(op->getOperand(0));
  return {};
}

} // namespace

void HalideTime::simplify(LLVM::LLVMFuncOp function) {
  if (function.isExternal())
    return;
  IRRewriter rewriter(function.getContext());
  OpBuilder builder(function.getContext());
  for (Block &block : function.getBody())
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (op.getNumResults() != 1 || op.hasTrait<OpTrait::ConstantLike>())
        continue;
      if (Value value = simplified(&op)) {
        op.getResult(0).replaceAllUsesWith(value);
        continue;
      }
      SmallVector<Value> folded;
      builder.setInsertionPoint(&op);
      if (succeeded(builder.tryFold(&op, folded)) && folded.size() == 1)
        op.getResult(0).replaceAllUsesWith(folded.front());
    }
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  for (Block *block : llvm::to_vector(llvm::post_order(&function.getBody().front())))
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (isOpTriviallyDead(&op))
        op.erase();
}

double HalideTime::bytesOf(LLVM::LLVMFuncOp function) const {
  Work all;
  for (Block &block : function.getBody()) {
    for (Operation &op : block)
      all += work.workOf(&op);
    all.scalars += 1; // the branch
  }
  return WorkTime::codeBytes(all);
}

double HalideTime::executedBytes(LLVM::LLVMFuncOp function) const {
  auto found = walks.find(function);
  return found == walks.end() ? 0 : found->second->executedBytes();
}

bool HalideTime::isWide(LLVM::LLVMFuncOp function) const {
  auto found = walks.find(function);
  return found != walks.end() && found->second->isWide();
}

HalideTime::HalideTime(const Machine &machine) : work(machine) {}
HalideTime::~HalideTime() = default;

HalideTime::Answer HalideTime::costOf(LLVM::LLVMFuncOp function, ArrayRef<Number> arguments) {
  if (function.isExternal())
    return {};
  std::unique_ptr<Walk> &walk = walks[function];
  if (!walk)
    walk = std::make_unique<Walk>(function, work);
  return walk->run(arguments);
}

} // namespace attnc
