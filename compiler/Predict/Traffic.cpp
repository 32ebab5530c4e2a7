#include "compiler/Predict/Traffic.h"
#include "compiler/Sizes/IntegerFold.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <list>

using namespace mlir;

namespace attnc {

/// The excess over the time in L1, which other parameters include.
static double excessOverL1(const Machine &machine, int64_t distance, double age, double MemoryLevel::*kind) {
  double seconds = machine.secondsAt(distance, kind);
  size_t count = machine.levels.size();
  int64_t largestPrivate = count > 2 ? machine.levels[count - 3].bytes : 0; // the level before the last cache
  if (distance > largestPrivate)
    seconds += machine.forgotten(age) * std::max(0.0, machine.levels.back().*kind - seconds);
  return std::max(0.0, seconds - machine.levels.front().*kind);
}

/// Distributes bytes over the memory levels that may contain them: the effective capacity of a cache is uncertain,
/// and other programs evict old data.
static void distribute(const Machine &machine, double bytes, int64_t distance, double age,
                       SmallVectorImpl<double> &sum) {
  constexpr double softness = 0.25;
  for (size_t level = 0; level < machine.levels.size(); ++level) {
    bool isLast = level + 1 == machine.levels.size(), isShared = level > 0 && level + 2 == machine.levels.size();
    double holds = double(machine.levels[level].bytes);
    double share = isLast ? 1 : std::clamp((1 + softness - double(distance) / holds) / (2 * softness), 0.0, 1.0);
    if (isShared)
      share *= 1 - machine.forgotten(age);
    sum[level] += share * bytes;
    bytes -= share * bytes;
  }
}

/// Whether the kernel reads the argument only at subscripts that come from data.
static bool isLookedUp(func::FuncOp kernel, unsigned argument) {
  auto isByData = [](Value subscript) { return subscript.getDefiningOp<arith::IndexCastOp>() != nullptr; };
  Value read = widened(kernel.getArgument(argument));
  return !read.use_empty() && llvm::all_of(read.getUsers(), [&](Operation *user) {
    auto extract = dyn_cast<tensor::ExtractOp>(user);
    return isa<tensor::DimOp>(user) || (extract && llvm::any_of(extract.getIndices(), isByData));
  });
}

namespace {

/// A range of bytes of the arena, of a caller's buffer, of a parameter or of code.
struct Range {
  enum Space { Arena, Input, Result, Parameter, Packed, Code };
  /// Number of the buffer; for a packed parameter its number in its list, and its name.
  std::tuple<Space, unsigned, const void *> memory;
  int64_t begin = 0, end = 0;
  double touched = 0;        ///< time of the last access
  bool isPrefetched = false; ///< prefetched together with adjacent data, not accessed

  int64_t bytes() const { return end - begin; }
  bool overlaps(const Range &other) const { return memory == other.memory && begin < other.end && other.begin < end; }
  bool overlapsAny(ArrayRef<Range> others) const {
    return llvm::any_of(others, [&](const Range &other) { return overlaps(other); });
  }
  /// Code is fetched in pairs of lines.
  static Range ofCode(const CodeRange &code) {
    constexpr int64_t pair = 128;
    return {{Code, 0, nullptr}, code.begin / pair * pair, int64_t(llvm::alignTo(code.end, pair))};
  }
};

/// The bytes of the tensors and slots of an entry point, at concrete sizes and loop indices.
class EntryMemory {
public:
  EntryMemory(const EntryPlan &plan, ArrayRef<int64_t> sizes) : plan(plan), analysis(plan.sizes), sizes(sizes) {
    layOutParameters();
  }

  /// Sets the induction variable of an enclosing loop.
  void setIndex(Value index, int64_t value) { indices[index] = value; }

  /// Value of an index of the entry point; 0 if it comes from data.
  int64_t valueOf(Value index) {
    if (auto found = indices.find(index); found != indices.end())
      return found->second;
    if (std::optional<SizeExpr> size = analysis.index(index))
      return size->evaluate(sizes);
    Operation *op = index.getDefiningOp();
    std::optional<IntegerOp> kind = op ? integerOp(op) : std::nullopt;
    return kind ? foldIntegers(*kind, valueOf(op->getOperand(0)), valueOf(op->getOperand(1))).value_or(0) : 0;
  }

  int64_t bytesOf(Value value) {
    std::optional<SizeExpr> bytes = analysis.bytes(value);
    return bytes ? bytes->evaluate(sizes) : 0;
  }

  Range rangeOf(Value tensor, int64_t bytes) {
    ValueLocation location = plan.location(tensor);
    Range range;
    int64_t begin = offsetInRoot(tensor);
    if (location.kind == ValueLocation::Kind::Element) {
      model::WithElementOp list = plan.elements[location.number];
      begin += valueOf(list.getPlace()) * bytesOf(list.getElement());
      location = plan.location(list.getResult());
    }
    switch (location.kind) {
    case ValueLocation::Kind::Slot:
      begin += plan.offset(location.number).evaluate(sizes);
      range.memory = {Range::Arena, 0, nullptr};
      break;
    case ValueLocation::Kind::Input:
      range.memory = {Range::Input, location.number, nullptr};
      break;
    case ValueLocation::Kind::Parameter:
    case ValueLocation::Kind::Updated: {
      model::SetOp set = location.kind == ValueLocation::Kind::Updated ? plan.updates[location.number] : model::SetOp();
      auto get = EntryPlan::root(tensor).getDefiningOp<model::GetOp>();
      FlatSymbolRefAttr name = set ? set.getParameterAttr() : get.getParameterAttr();
      const Parameter &parameter = parameters.find(name.getValue())->second;
      int64_t element = 0;
      for (auto [count, index] : llvm::zip(parameter.counts, set ? set.getIndices() : get.getIndices()))
        element = count * element + valueOf(index);
      bool isLoaded = set || get.getType() == parameter.type;
      if (isLoaded)
        range.memory = {Range::Parameter, 0, nullptr};
      else
        range.memory = {Range::Packed, unsigned(element), name.getAttr().getAsOpaquePointer()};
      begin += isLoaded ? parameter.begin + element * parameter.stride : 0;
      break;
    }
    default:
      range.memory = {Range::Result, location.number, nullptr};
    }
    range.begin = begin;
    range.end = begin + bytes;
    return range;
  }

  Range rangeOfSlot(unsigned slot, int64_t bytes) {
    int64_t begin = plan.offset(slot).evaluate(sizes);
    return {{Range::Arena, 0, nullptr}, begin, begin + bytes};
  }

private:
  /// Loaded parameters are adjacent, in the order of the module, as in the runtime.
  void layOutParameters() {
    int64_t end = 0;
    func::FuncOp entry = plan.entry;
    for (auto each : entry->getParentOfType<ModuleOp>().getOps<model::ParameterOp>()) {
      auto type = cast<RankedTensorType>(each.getType());
      int64_t bits = type.getElementTypeBitWidth(), count = 1;
      int64_t stride = int64_t(llvm::alignTo(type.getNumElements() * llvm::divideCeil(bits, 8), arenaAlignment));
      for (int64_t factor : each.getCounts())
        count *= factor;
      parameters[each.getSymName()] = {type, end, stride, each.getCounts()};
      end += count * stride;
    }
  }

  /// Offset of `tensor` in its root, through elements of per-iteration lists.
  int64_t offsetInRoot(Value tensor) {
    int64_t offset = 0;
    for (Operation *op = tensor.getDefiningOp(); op && tensor != EntryPlan::root(tensor); op = tensor.getDefiningOp()) {
      if (auto element = dyn_cast<model::ElementOp>(op))
        offset += valueOf(element.getPlace()) * bytesOf(element.getResult());
      tensor = op->getOperand(0);
    }
    return offset;
  }

  const EntryPlan &plan;
  SizeAnalysis analysis;
  ArrayRef<int64_t> sizes;
  llvm::DenseMap<Value, int64_t> indices; ///< induction variables of the enclosing loops
  /// Location of loaded parameters.
  struct Parameter {
    Type type;
    int64_t begin, stride; ///< bytes between elements of a parameter list
    ArrayRef<int64_t> counts;
  };
  llvm::StringMap<Parameter> parameters;
};

/// The data touched so far, which determine the memory level of the next accesses.
class CacheHistory {
public:
  explicit CacheHistory(const Machine &machine) : machine(machine) {}

  double clock = 0; ///< seconds since the start of the previous call

  /// Latency of the first line of an operand.
  double latencyOfData(const Range &range) const {
    auto [distance, age] = nearestOverlap(range);
    return excessOverL1(machine, distance, age, &MemoryLevel::latency);
  }

  /// Latency of cold code: the first line also waits for its page, which adjacent code may have touched recently; later
  /// lines are prefetched.
  double latencyOfCode(const Range &code) const {
    constexpr int64_t line = 64, page = 4096;
    if (code.bytes() <= 0)
      return 0;
    Range around = code;
    around.begin = std::max<int64_t>(0, code.begin - page / 2);
    around.end = code.begin + page / 2;
    double lines = 0;
    forEachOverlap(code, [&](double bytes, int64_t distance, double age) {
      lines += bytes / double(line) * excessOverL1(machine, distance, age, &MemoryLevel::codeLine);
    });
    auto [distance, age] = nearestOverlap(around);
    double call = excessOverL1(machine, distance, age, &MemoryLevel::call);
    return std::max(lines, call + lines - excessOverL1(machine, distance, age, &MemoryLevel::codeLine));
  }

  /// Adds the bytes of the range to the memory levels that may contain them.
  void addTraffic(const Range &range, SmallVectorImpl<double> &sum) const {
    if (range.bytes() > 0)
      forEachOverlap(
          range, [&](double bytes, int64_t distance, double age) { distribute(machine, bytes, distance, age, sum); });
  }

  /// Adds a launch that takes `seconds` and touches these ranges.
  void add(MutableArrayRef<Range> touched, double seconds) {
    clock += seconds;
    for (Range &range : touched)
      range.touched = clock;
    for (const Range &range : touched)
      remember(prefetchedWith(range));
    for (const Range &range : touched)
      remember(range);
  }

private:
  /// The range that is fetched together with `range`: lines come in pairs, and a stream of consecutive lines, possibly
  /// over several launches, is prefetched up to the end of the page.
  Range prefetchedWith(const Range &range) const {
    constexpr int64_t pair = 128, page = 4096, ahead = 1024, aheadOfCode = 256;
    bool isCode = std::get<0>(range.memory) == Range::Code;
    Range fetched = range;
    fetched.isPrefetched = true;
    if (range.bytes() <= 0)
      return fetched;
    fetched.begin = range.begin / pair * pair;
    fetched.end = int64_t(llvm::alignTo(range.end, pair));
    Range before = range;
    before.begin = std::max<int64_t>(0, fetched.begin - pair);
    before.end = fetched.begin;
    bool isStream = fetched.bytes() > pair || nearestOverlap(before).first <= machine.levels.front().bytes;
    if (!isStream)
      return fetched;
    // Page boundaries of code are unknown before a model is linked.
    int64_t last =
        isCode ? range.end + aheadOfCode : std::min(range.end + ahead, int64_t(llvm::alignTo(fetched.end, page)));
    fetched.end = std::max(fetched.end, last);
    return fetched;
  }

  /// Moves the range to the front of the most recently touched ones.
  void remember(const Range &range) {
    for (auto other = recent.begin(); other != recent.end();) {
      if (!other->overlaps(range)) {
        ++other;
        continue;
      }
      Range before = *other, after = *other;
      before.end = range.begin;
      after.begin = range.end;
      other = recent.erase(other);
      for (const Range &part : {before, after})
        if (part.bytes() > 0)
          recent.insert(other, part);
    }
    recent.push_front(range);
  }

  /// Calls `visit` with each range, most recently touched first, with the bytes touched after its launch, and the bytes
  /// of its launch, until `visit` returns false.
  void forEachRecent(llvm::function_ref<bool(const Range &, int64_t, int64_t)> visit) const {
    int64_t since = 0, launched = 0;
    double launch = -1;
    for (auto each = recent.begin(); each != recent.end(); ++each) {
      if (each->touched != launch) {
        since += launched;
        launched = 0;
        launch = each->touched;
        for (auto same = each; same != recent.end() && same->touched == launch; ++same)
          launched += same->isPrefetched ? 0 : same->bytes();
      }
      if (!visit(*each, since, launched))
        return;
    }
  }

  /// Prefetched data arrive in L2.
  int64_t effectiveDistance(const Range &range, int64_t distance) const {
    bool isSecond = range.isPrefetched && machine.levels.size() > 1;
    return isSecond ? std::max(distance, machine.levels[1].bytes / 2) : distance;
  }

  /// Reuse distance and age of the most recently touched part of the range.
  std::pair<int64_t, double> nearestOverlap(const Range &range) const {
    std::pair<int64_t, double> nearest = {INT64_MAX, clock};
    forEachRecent([&](const Range &other, int64_t since, int64_t launched) {
      bool isOne = other.overlaps(range);
      if (isOne)
        nearest = {effectiveDistance(other, since + launched), clock - other.touched};
      return !isOne;
    });
    return nearest;
  }

  /// Calls `part` with bytes of the range, their reuse distance and their age. A launch touches its operands and
  /// results concurrently: a quarter of each in each quarter of its time.
  void forEachOverlap(const Range &range, llvm::function_ref<void(double, int64_t, double)> part) const {
    int64_t found = 0, all = 0;
    forEachRecent([&](const Range &other, int64_t since, int64_t launched) {
      all = since + launched;
      if (!other.overlaps(range))
        return true;
      int64_t common = std::min(range.end, other.end) - std::max(range.begin, other.begin);
      constexpr int64_t parts = 4;
      for (int64_t each = 0; each < parts; ++each)
        part(double(common) / parts, effectiveDistance(other, since + launched * (2 * each + 1) / (2 * parts)),
             clock - other.touched);
      found += common;
      return found < range.bytes();
    });
    if (found < range.bytes())
      part(double(range.bytes() - found), all, clock);
  }

  const Machine &machine;
  std::list<Range> recent; ///< disjoint ranges, most recently touched first
};

/// Traces a call twice.
class Tracer {
public:
  Tracer(const EntryPlan &plan, ArrayRef<int64_t> sizes, const Machine &machine,
         llvm::function_ref<func::FuncOp(func::CallOp)> kernelOf, llvm::function_ref<LaunchedCode(func::CallOp)> codeOf,
         llvm::function_ref<double(func::CallOp, const LaunchTraffic &)> secondsOf)
      : plan(plan), machine(machine), kernelOf(kernelOf), codeOf(codeOf), secondsOf(secondsOf), memory(plan, sizes),
        history(machine) {}

  llvm::DenseMap<Operation *, LaunchTraffic> run() {
    func::FuncOp entry = plan.entry;
    follow(entry.front()); // the previous call
    isWarm = true;
    warmUp = machine.wake; // the caller ran other code in between
    follow(entry.front());
    for (auto &[call, traffic] : sums) {
      traffic.latency /= launches[call];
      traffic.warmUp /= launches[call];
      for (auto *bytes : {&traffic.read, &traffic.written})
        for (double &each : *bytes)
          each /= launches[call];
    }
    return std::move(sums);
  }

private:
  const EntryPlan &plan;
  const Machine &machine;
  llvm::function_ref<func::FuncOp(func::CallOp)> kernelOf;
  llvm::function_ref<LaunchedCode(func::CallOp)> codeOf;
  llvm::function_ref<double(func::CallOp, const LaunchTraffic &)> secondsOf;
  EntryMemory memory;
  CacheHistory history;
  double lastWide = 0; ///< time of the last use of full-width vectors
  double warmUp = 0;   ///< remaining warm-up of full-width vectors in seconds
  bool isWarm = false;
  llvm::DenseMap<Operation *, LaunchTraffic> sums;
  llvm::DenseMap<Operation *, double> launches;

  void follow(Block &block) {
    for (Operation &op : block)
      if (auto call = dyn_cast<func::CallOp>(op))
        launch(call);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        followLoop(loop);
  }

  /// Traces a loop: if it has many iterations, the first and the last ones.
  void followLoop(scf::ForOp loop) {
    constexpr int64_t limit = 32;
    int64_t from = memory.valueOf(loop.getLowerBound()), step = std::max<int64_t>(1, memory.valueOf(loop.getStep()));
    int64_t count = std::max<int64_t>(0, llvm::divideCeilSigned(memory.valueOf(loop.getUpperBound()) - from, step));
    double before = history.clock;
    for (int64_t iteration = 0; iteration < std::min(count, limit); ++iteration) {
      int64_t index = count > limit && iteration >= limit / 2 ? count - limit + iteration : iteration;
      memory.setIndex(loop.getInductionVar(), from + index * step);
      follow(*loop.getBody());
    }
    if (count > limit)
      history.clock = before + (history.clock - before) * double(count) / double(limit);
  }

  void launch(func::CallOp call) {
    func::FuncOp kernel = kernelOf(call);
    if (!kernel)
      return;
    LaunchTraffic traffic;
    traffic.read.resize(machine.levels.size());
    traffic.written.resize(machine.levels.size());
    int64_t results = 0;
    for (Value result : call.getResults())
      results += memory.bytesOf(result);
    std::vector<Range> own;
    double operandLatency = 0, tableLatency = 0;
    for (auto [number, operand] : llvm::enumerate(call.getOperands()))
      if (isa<RankedTensorType>(operand.getType())) {
        int64_t bytes = memory.bytesOf(operand);
        bool isTable = isLookedUp(kernel, number);
        Range range = memory.rangeOf(operand, isTable ? std::min(bytes, results) : bytes);
        double latency = bytes > 0 ? history.latencyOfData(range) : 0;
        double &longest = isTable ? tableLatency : operandLatency;
        longest = std::max(longest, latency);
        read(range, traffic, own);
      }
    LaunchedCode code = codeOf(call);
    traffic.latency = operandLatency + tableLatency;
    for (const CodeRange &codeRange : code.ranges) {
      own.push_back(Range::ofCode(codeRange));
      traffic.latency += history.latencyOfCode(own.back());
    }
    for (Value result : call.getResults())
      write(memory.rangeOf(result, memory.bytesOf(result)), traffic, own);
    touchScratch(call, code, traffic, own);
    if (history.clock - lastWide > machine.sleep)
      warmUp = machine.wake;
    traffic.warmUp = code.isWide ? warmUp : 0;
    double seconds = secondsOf(call, traffic);
    history.add(own, seconds);
    if (code.isWide) {
      warmUp = std::max(0.0, warmUp - seconds * (1 - 1 / machine.drowsy));
      lastWide = history.clock;
    }
    if (isWarm)
      add(call, traffic);
  }

  void add(func::CallOp call, const LaunchTraffic &traffic) {
    LaunchTraffic &sum = sums[call];
    sum.read.resize(traffic.read.size());
    sum.written.resize(traffic.written.size());
    for (size_t level = 0; level < traffic.read.size(); ++level) {
      sum.read[level] += traffic.read[level];
      sum.written[level] += traffic.written[level];
    }
    sum.latency += traffic.latency;
    sum.warmUp += traffic.warmUp;
    ++launches[call];
  }

  /// Scratch is written; shared scratch is read by a later kernel phase.
  void touchScratch(func::CallOp call, const LaunchedCode &code, LaunchTraffic &traffic, std::vector<Range> &own) {
    LaunchScratch scratch = plan.launches.lookup(call);
    auto write = [&](std::optional<unsigned> slot, int64_t bytes) {
      if (slot && bytes != 0)
        this->write(memory.rangeOfSlot(*slot, bytes), traffic, own);
    };
    write(scratch.workers, code.workerBytes);
    write(scratch.shared, code.sharedBytes);
    distribute(machine, double(code.sharedBytes), code.sharedBytes, 0, traffic.read);
  }

  void read(const Range &range, LaunchTraffic &traffic, std::vector<Range> &own) {
    bool isAgain = range.overlapsAny(own);
    own.push_back(range);
    if (isAgain)
      traffic.read.front() += double(range.bytes());
    else
      history.addTraffic(range, traffic.read);
  }

  void write(const Range &range, LaunchTraffic &traffic, std::vector<Range> &own) {
    bool isAgain = range.overlapsAny(own);
    own.push_back(range);
    if (!isAgain)
      return history.addTraffic(range, traffic.written);
    // A result in place of its operand finds the lines in L1. Their write-back overlaps the reads, and costs bandwidth
    // if they come from L2.
    SmallVector<double, 4> shares(traffic.read.size());
    history.addTraffic(range, shares);
    double writtenBack = std::min(shares[1], traffic.read[1]);
    traffic.read[1] -= writtenBack;
    traffic.written[1] += writtenBack;
    traffic.written[0] += double(range.bytes()) - writtenBack;
  }
};

} // namespace

llvm::DenseMap<Operation *, LaunchTraffic>
trafficOf(const EntryPlan &plan, ArrayRef<int64_t> sizes, const Machine &machine,
          llvm::function_ref<func::FuncOp(func::CallOp)> kernelOf,
          llvm::function_ref<LaunchedCode(func::CallOp)> codeOf,
          llvm::function_ref<double(func::CallOp, const LaunchTraffic &)> secondsOf) {
  return Tracer(plan, sizes, machine, kernelOf, codeOf, secondsOf).run();
}

} // namespace attnc
