#include "compiler/Predict/Traffic.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <list>

using namespace mlir;

namespace attnc {

namespace {

/// Bytes of the arena, of a caller's buffer, or of a parameter.
struct Range {
  enum Space { Arena, Input, Result, Parameter };
  std::tuple<Space, unsigned, const void *> memory; ///< the number of the buffer, or the parameter's name
  int64_t begin = 0, end = 0;

  int64_t bytes() const { return end - begin; }
  bool overlaps(const Range &other) const { return memory == other.memory && begin < other.end && other.begin < end; }
};

class Tracer {
public:
  Tracer(const EntryPlan &plan, ArrayRef<int64_t> sizes, const Machine &machine,
         llvm::function_ref<func::FuncOp(func::CallOp)> kernelOf)
      : plan(plan), analysis(plan.sizes), sizes(sizes), machine(machine), kernelOf(kernelOf) {}

  llvm::DenseMap<Operation *, LaunchTraffic> run() {
    func::FuncOp entry = plan.entry;
    follow(entry.front()); // the call before
    isWarm = true;
    follow(entry.front());
    for (auto &[call, traffic] : sums)
      for (auto *bytes : {&traffic.read, &traffic.written})
        for (double &each : *bytes)
          each /= launches[call];
    return std::move(sums);
  }

private:
  const EntryPlan &plan;
  SizeAnalysis analysis;
  ArrayRef<int64_t> sizes;
  const Machine &machine;
  llvm::function_ref<func::FuncOp(func::CallOp)> kernelOf;
  std::list<Range> recent; ///< apart from each other, what was touched last first
  bool isWarm = false;
  llvm::DenseMap<Value, int64_t> indices; ///< of the loops around
  llvm::DenseMap<Operation *, LaunchTraffic> sums;
  llvm::DenseMap<Operation *, double> launches;

  void follow(Block &block) {
    for (Operation &op : block)
      if (auto call = dyn_cast<func::CallOp>(op))
        launch(call);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        turns(loop);
  }

  /// The first and the last turns, where there are many.
  void turns(scf::ForOp loop) {
    constexpr int64_t most = 32;
    int64_t from = valueOf(loop.getLowerBound()), step = std::max<int64_t>(1, valueOf(loop.getStep()));
    int64_t count = std::max<int64_t>(0, llvm::divideCeilSigned(valueOf(loop.getUpperBound()) - from, step));
    for (int64_t turn = 0; turn < std::min(count, most); ++turn) {
      int64_t index = count > most && turn >= most / 2 ? count - most + turn : turn;
      indices[loop.getInductionVar()] = from + index * step;
      follow(*loop.getBody());
    }
  }

  /// Of what an entry point does with indices; 0 of what comes from data.
  int64_t valueOf(Value index) {
    if (auto found = indices.find(index); found != indices.end())
      return found->second;
    if (std::optional<SizeExpr> size = analysis.index(index))
      return size->evaluate(sizes);
    Operation *op = index.getDefiningOp();
    if (!op || op->getNumOperands() != 2)
      return 0;
    int64_t a = valueOf(op->getOperand(0)), b = valueOf(op->getOperand(1));
    return isa<arith::AddIOp>(op) ? a + b : isa<arith::SubIOp>(op) ? a - b : isa<arith::MulIOp>(op) ? a * b : 0;
  }

  int64_t bytesOf(Value value) {
    std::optional<SizeExpr> bytes = analysis.bytes(value);
    return bytes ? bytes->evaluate(sizes) : 0;
  }

  /// Bytes from the beginning of its root to that of `tensor`, through elements of lists.
  int64_t offsetInRoot(Value tensor) {
    int64_t offset = 0;
    for (Operation *op = tensor.getDefiningOp(); op && tensor != EntryPlan::root(tensor); op = tensor.getDefiningOp()) {
      if (auto element = dyn_cast<model::ElementOp>(op))
        offset += valueOf(element.getPlace()) * bytesOf(element.getResult());
      tensor = op->getOperand(0);
    }
    return offset;
  }

  Range rangeOf(Value tensor, int64_t bytes) {
    Place place = plan.place(tensor);
    Range range;
    int64_t begin = offsetInRoot(tensor);
    if (place.kind == Place::Kind::Element) {
      model::WithElementOp list = plan.elements[place.number];
      begin += valueOf(list.getPlace()) * bytesOf(list.getElement());
      place = plan.place(list.getResult());
    }
    switch (place.kind) {
    case Place::Kind::Slot:
      begin += plan.offset(place.number).evaluate(sizes);
      range.memory = {Range::Arena, 0, nullptr};
      break;
    case Place::Kind::Input:
      range.memory = {Range::Input, place.number, nullptr};
      break;
    case Place::Kind::Parameter:
    case Place::Kind::Updated: {
      model::SetOp set = place.kind == Place::Kind::Updated ? plan.updates[place.number] : model::SetOp();
      auto get = EntryPlan::root(tensor).getDefiningOp<model::GetOp>();
      FlatSymbolRefAttr name = set ? set.getParameterAttr() : get.getParameterAttr();
      int64_t element = 0; // of a list, far from all others
      for (Value index : set ? set.getIndices() : get.getIndices())
        element = 1000 * element + valueOf(index);
      range.memory = {Range::Parameter, unsigned(element), name.getAttr().getAsOpaquePointer()};
      break;
    }
    default:
      range.memory = {Range::Result, place.number, nullptr};
    }
    range.begin = begin;
    range.end = begin + bytes;
    return range;
  }

  /// Whether the kernel reads the argument at subscripts that come from data, and in no other way.
  static bool isLookedUp(func::FuncOp kernel, unsigned argument) {
    auto isByData = [](Value subscript) { return subscript.getDefiningOp<arith::IndexCastOp>() != nullptr; };
    Value read = widened(kernel.getArgument(argument));
    return !read.use_empty() && llvm::all_of(read.getUsers(), [&](Operation *user) {
      auto extract = dyn_cast<tensor::ExtractOp>(user);
      return isa<tensor::DimOp>(user) || (extract && llvm::any_of(extract.getIndices(), isByData));
    });
  }

  void launch(func::CallOp call) {
    func::FuncOp kernel = kernelOf(call);
    if (!kernel)
      return;
    LaunchTraffic &traffic = sums[call];
    traffic.read.resize(machine.levels.size());
    traffic.written.resize(machine.levels.size());
    launches[call] += isWarm;
    int64_t results = 0;
    for (Value result : call.getResults())
      results += bytesOf(result);
    std::vector<Range> own;
    for (auto [number, operand] : llvm::enumerate(call.getOperands()))
      if (isa<RankedTensorType>(operand.getType())) {
        int64_t bytes = bytesOf(operand);
        touch(rangeOf(operand, isLookedUp(kernel, number) ? std::min(bytes, results) : bytes), traffic.read, own);
      }
    for (Value result : call.getResults())
      touch(rangeOf(result, bytesOf(result)), traffic.written, own);
    for (const Range &range : own)
      remember(range);
  }

  void touch(const Range &range, SmallVectorImpl<double> &sum, std::vector<Range> &own) {
    // A result over its operand.
    bool isAgain = llvm::any_of(own, [&](const Range &other) { return other.overlaps(range); });
    own.push_back(range);
    if (!isWarm || range.bytes() <= 0)
      return;
    if (isAgain) {
      sum.front() += double(range.bytes());
      return;
    }
    int64_t away = 0, found = 0;
    for (const Range &other : recent) {
      away += other.bytes();
      if (!other.overlaps(range))
        continue;
      int64_t common = std::min(range.end, other.end) - std::max(range.begin, other.begin);
      sum[&machine.levelOf(away) - machine.levels.data()] += double(common);
      found += common;
      if (found == range.bytes())
        return;
    }
    sum[&machine.levelOf(away) - machine.levels.data()] += double(range.bytes() - found);
  }

  /// Puts the range in front, and takes it out of what was touched before.
  void remember(const Range &range) {
    for (auto other = recent.begin(); other != recent.end();) {
      if (!other->overlaps(range)) {
        ++other;
        continue;
      }
      Range before = *other, behind = *other;
      before.end = range.begin;
      behind.begin = range.end;
      other = recent.erase(other);
      for (const Range &part : {before, behind})
        if (part.bytes() > 0)
          recent.insert(other, part);
    }
    recent.push_front(range);
  }
};

} // namespace

llvm::DenseMap<Operation *, LaunchTraffic> trafficOf(const EntryPlan &plan, ArrayRef<int64_t> sizes,
                                                     const Machine &machine,
                                                     llvm::function_ref<func::FuncOp(func::CallOp)> kernelOf) {
  return Tracer(plan, sizes, machine, kernelOf).run();
}

} // namespace attnc
