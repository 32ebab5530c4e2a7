#include "compiler/Predict/Traffic.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <list>

using namespace mlir;

namespace attnc {

namespace {

/// Bytes of the arena, of a caller's buffer, or of a parameter.
struct Range {
  enum Space { Arena, Input, Result, Parameter, Packed, Code };
  /// The number of the buffer; of a packed parameter that in its list, and its name.
  std::tuple<Space, unsigned, const void *> memory;
  int64_t begin = 0, end = 0;
  double touched = 0;     ///< when
  bool isBrought = false; ///< it was not, but what lies beside it, with which it came

  int64_t bytes() const { return end - begin; }
  bool overlaps(const Range &other) const { return memory == other.memory && begin < other.end && other.begin < end; }
};

class Tracer {
public:
  Tracer(const EntryPlan &plan, ArrayRef<int64_t> sizes, const Machine &machine,
         llvm::function_ref<func::FuncOp(func::CallOp)> kernelOf, llvm::function_ref<LaunchedCode(func::CallOp)> codeOf,
         llvm::function_ref<double(func::CallOp, const LaunchTraffic &)> secondsOf)
      : plan(plan), analysis(plan.sizes), sizes(sizes), machine(machine), kernelOf(kernelOf), codeOf(codeOf),
        secondsOf(secondsOf) {
    layOutParameters();
  }

  llvm::DenseMap<Operation *, LaunchTraffic> run() {
    func::FuncOp entry = plan.entry;
    follow(entry.front()); // the call before
    isWarm = true;
    asleep = machine.wake; // the caller had other things to do
    follow(entry.front());
    for (auto &[call, traffic] : sums) {
      traffic.waits /= launches[call];
      traffic.wakes /= launches[call];
      for (auto *bytes : {&traffic.read, &traffic.written})
        for (double &each : *bytes)
          each /= launches[call];
    }
    return std::move(sums);
  }

private:
  const EntryPlan &plan;
  SizeAnalysis analysis;
  ArrayRef<int64_t> sizes;
  const Machine &machine;
  llvm::function_ref<func::FuncOp(func::CallOp)> kernelOf;
  llvm::function_ref<LaunchedCode(func::CallOp)> codeOf;
  llvm::function_ref<double(func::CallOp, const LaunchTraffic &)> secondsOf;
  double clock = 0;        ///< seconds since the call before began
  std::list<Range> recent; ///< apart from each other, what was touched last first
  double wide = 0;         ///< when whole vectors were worked on last
  double asleep = 0;       ///< seconds that are to be lost until those are as fast as ever
  bool isWarm = false;
  llvm::DenseMap<Value, int64_t> indices; ///< of the loops around
  llvm::DenseMap<Operation *, LaunchTraffic> sums;
  llvm::DenseMap<Operation *, double> launches;
  /// Where loaded parameters lie.
  struct Parameter {
    Type type;
    int64_t begin, stride; ///< from an element of a list to the next
    ArrayRef<int64_t> counts;
  };
  llvm::StringMap<Parameter> parameters;

  /// One behind the other, in the order of the module, as the runtime has them.
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
    double before = clock;
    for (int64_t turn = 0; turn < std::min(count, most); ++turn) {
      int64_t index = count > most && turn >= most / 2 ? count - most + turn : turn;
      indices[loop.getInductionVar()] = from + index * step;
      follow(*loop.getBody());
    }
    if (count > most)
      clock = before + (clock - before) * double(count) / double(most);
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
    LaunchTraffic traffic;
    traffic.read.resize(machine.levels.size());
    traffic.written.resize(machine.levels.size());
    int64_t results = 0;
    for (Value result : call.getResults())
      results += bytesOf(result);
    std::vector<Range> own;
    double waits = 0, lookedUp = 0;
    for (auto [number, operand] : llvm::enumerate(call.getOperands()))
      if (isa<RankedTensorType>(operand.getType())) {
        int64_t bytes = bytesOf(operand);
        bool isTable = isLookedUp(kernel, number);
        Range range = rangeOf(operand, isTable ? std::min(bytes, results) : bytes);
        double latency = bytes > 0 ? waitForData(range) : 0;
        (isTable ? lookedUp : waits) = std::max(isTable ? lookedUp : waits, latency);
        read(range, traffic, own);
      }
    LaunchedCode code = codeOf(call);
    traffic.waits = waits + lookedUp;
    for (const CodePiece &piece : code.pieces) {
      own.push_back(rangeOf(piece));
      traffic.waits += waitForCode(own.back());
    }
    for (Value result : call.getResults())
      write(rangeOf(result, bytesOf(result)), traffic, own);
    touchScratch(call, code, traffic, own);
    if (clock - wide > machine.sleep)
      asleep = machine.wake;
    traffic.wakes = code.isWide ? asleep : 0;
    double seconds = secondsOf(call, traffic);
    clock += seconds;
    if (code.isWide) {
      asleep = std::max(0.0, asleep - seconds * (1 - 1 / machine.drowsy));
      wide = clock;
    }
    for (Range &range : own)
      range.touched = clock;
    for (const Range &range : own)
      remember(broughtWith(range));
    for (const Range &range : own)
      remember(range);
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
    sum.waits += traffic.waits;
    sum.wakes += traffic.wakes;
    ++launches[call];
  }

  /// What comes where the range is touched: lines come in pairs, and of what is read line behind line, in several
  /// launches too, more is fetched ahead, up to the end of the page.
  Range broughtWith(const Range &range) const {
    constexpr int64_t pair = 128, page = 4096, ahead = 1024, aheadOfCode = 256;
    bool isCode = std::get<0>(range.memory) == Range::Code;
    Range brought = range;
    brought.isBrought = true;
    if (range.bytes() <= 0)
      return brought;
    brought.begin = range.begin / pair * pair;
    brought.end = int64_t(llvm::alignTo(range.end, pair));
    Range before = range;
    before.begin = std::max<int64_t>(0, brought.begin - pair);
    before.end = brought.begin;
    bool isStream = brought.bytes() > pair || nearestPart(before).first <= machine.levels.front().bytes;
    if (!isStream)
      return brought;
    // Where pages of code begin is not known before a model is linked.
    int64_t last =
        isCode ? range.end + aheadOfCode : std::min(range.end + ahead, int64_t(llvm::alignTo(brought.end, page)));
    brought.end = std::max(brought.end, last);
    return brought;
  }

  /// Code comes in pairs of lines.
  static Range rangeOf(const CodePiece &code) {
    constexpr int64_t pair = 128;
    return {{Range::Code, 0, nullptr}, code.begin / pair * pair, int64_t(llvm::alignTo(code.end, pair))};
  }

  /// The first line waits for its page, whose other code may have run just now; lines behind it are asked for early.
  double waitForCode(const Range &code) {
    constexpr int64_t line = 64, page = 4096;
    if (code.bytes() <= 0)
      return 0;
    Range around = code;
    around.begin = std::max<int64_t>(0, code.begin - page / 2);
    around.end = code.begin + page / 2;
    double lines = 0;
    eachPart(code, [&](double bytes, int64_t away, double age) {
      lines += bytes / double(line) * beyondNearest(away, age, &MemoryLevel::codeLine);
    });
    auto [away, age] = nearestPart(around);
    double call = beyondNearest(away, age, &MemoryLevel::call);
    return std::max(lines, call + lines - beyondNearest(away, age, &MemoryLevel::codeLine));
  }

  /// Calls `visit` with each range, what was touched last first, with the bytes that were touched behind the launch
  /// that touched it, and with those of the launch itself, until it answers false.
  void eachRecent(llvm::function_ref<bool(const Range &, int64_t, int64_t)> visit) const {
    int64_t behind = 0, launched = 0;
    double launch = -1;
    for (auto each = recent.begin(); each != recent.end(); ++each) {
      if (each->touched != launch) {
        behind += launched;
        launched = 0;
        launch = each->touched;
        for (auto same = each; same != recent.end() && same->touched == launch; ++same)
          launched += same->isBrought ? 0 : same->bytes();
      }
      if (!visit(*each, behind, launched))
        return;
    }
  }

  /// What is fetched ahead gets into the second cache.
  int64_t distanceOf(const Range &range, int64_t away) const {
    bool isSecond = range.isBrought && machine.levels.size() > 1;
    return isSecond ? std::max(away, machine.levels[1].bytes / 2) : away;
  }

  /// How many bytes were touched since the first of the range were, and how long ago that was.
  std::pair<int64_t, double> nearestPart(const Range &range) const {
    std::pair<int64_t, double> nearest = {INT64_MAX, clock};
    eachRecent([&](const Range &other, int64_t behind, int64_t launched) {
      bool isOne = other.overlaps(range);
      if (isOne)
        nearest = {distanceOf(other, behind + launched), clock - other.touched};
      return !isOne;
    });
    return nearest;
  }

  /// Until the first line of an operand is there.
  double waitForData(const Range &range) const {
    auto [away, age] = nearestPart(range);
    return beyondNearest(away, age, &MemoryLevel::latency);
  }

  /// More than it would take in the nearest cache, which other numbers hold.
  double beyondNearest(int64_t away, double age, double MemoryLevel::*kind) const {
    double seconds = machine.secondsAt(away, kind);
    if (away > holdsAlone())
      seconds += machine.forgotten(age) * std::max(0.0, machine.levels.back().*kind - seconds);
    return std::max(0.0, seconds - machine.levels.front().*kind);
  }

  /// Bytes of the largest cache that is the core's own: before the last one, where there is more than one.
  int64_t holdsAlone() const {
    size_t count = machine.levels.size();
    return count > 2 ? machine.levels[count - 3].bytes : 0;
  }

  /// Calls `part` with so many bytes of the range, how many were touched since they were, and how long ago that was. A
  /// launch touches its operands and results together, a quarter of each in each quarter of its time.
  void eachPart(const Range &range, llvm::function_ref<void(double, int64_t, double)> part) {
    int64_t found = 0, all = 0;
    eachRecent([&](const Range &other, int64_t behind, int64_t launched) {
      all = behind + launched;
      if (!other.overlaps(range))
        return true;
      int64_t common = std::min(range.end, other.end) - std::max(range.begin, other.begin);
      constexpr int64_t parts = 4;
      for (int64_t each = 0; each < parts; ++each)
        part(double(common) / parts, distanceOf(other, behind + launched * (2 * each + 1) / (2 * parts)),
             clock - other.touched);
      found += common;
      return found < range.bytes();
    });
    if (found < range.bytes())
      part(double(range.bytes() - found), all, clock);
  }

  /// Scratch is written, and what all chunks share is read by a phase behind that.
  void touchScratch(func::CallOp call, const LaunchedCode &code, LaunchTraffic &traffic, std::vector<Range> &own) {
    LaunchScratch scratch = plan.launches.lookup(call);
    auto write = [&](std::optional<unsigned> slot, int64_t bytes) {
      if (!slot || bytes == 0)
        return;
      int64_t begin = plan.offset(*slot).evaluate(sizes);
      this->write({{Range::Arena, 0, nullptr}, begin, begin + bytes}, traffic, own);
    };
    write(scratch.workers, code.workerBytes);
    write(scratch.shared, code.sharedBytes);
    place(double(code.sharedBytes), code.sharedBytes, 0, traffic.read);
  }

  void read(const Range &range, LaunchTraffic &traffic, std::vector<Range> &own) {
    bool isAgain = isTouched(range, own);
    own.push_back(range);
    if (isAgain)
      traffic.read.front() += double(range.bytes());
    else
      share(range, traffic.read);
  }

  void write(const Range &range, LaunchTraffic &traffic, std::vector<Range> &own) {
    bool isAgain = isTouched(range, own);
    own.push_back(range);
    if (!isAgain)
      return share(range, traffic.written);
    // A result over its operand: its lines are there. They go back while others come, and of what comes from the level
    // behind the nearest cache that takes longer.
    SmallVector<double, 4> shares(traffic.read.size());
    share(range, shares);
    double back = std::min(shares[1], traffic.read[1]);
    traffic.read[1] -= back;
    traffic.written[1] += back;
    traffic.written[0] += double(range.bytes()) - back;
  }

  static bool isTouched(const Range &range, ArrayRef<Range> own) {
    return llvm::any_of(own, [&](const Range &other) { return other.overlaps(range); });
  }

  /// Adds the bytes of the range to the levels where they may lie.
  void share(const Range &range, SmallVectorImpl<double> &sum) {
    if (range.bytes() > 0)
      eachPart(range, [&](double bytes, int64_t away, double age) { place(bytes, away, age, sum); });
  }

  /// Shares bytes among the levels where they may lie: a cache does not hold quite all that it could, and others push
  /// out what is old.
  void place(double bytes, int64_t away, double age, SmallVectorImpl<double> &sum) const {
    constexpr double softness = 0.25;
    for (size_t level = 0; level < machine.levels.size(); ++level) {
      bool isLast = level + 1 == machine.levels.size(), isShared = level > 0 && level + 2 == machine.levels.size();
      double holds = double(machine.levels[level].bytes);
      double share = isLast ? 1 : std::clamp((1 + softness - double(away) / holds) / (2 * softness), 0.0, 1.0);
      if (isShared)
        share *= 1 - machine.forgotten(age);
      sum[level] += share * bytes;
      bytes -= share * bytes;
    }
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

llvm::DenseMap<Operation *, LaunchTraffic>
trafficOf(const EntryPlan &plan, ArrayRef<int64_t> sizes, const Machine &machine,
          llvm::function_ref<func::FuncOp(func::CallOp)> kernelOf,
          llvm::function_ref<LaunchedCode(func::CallOp)> codeOf,
          llvm::function_ref<double(func::CallOp, const LaunchTraffic &)> secondsOf) {
  return Tracer(plan, sizes, machine, kernelOf, codeOf, secondsOf).run();
}

} // namespace attnc
