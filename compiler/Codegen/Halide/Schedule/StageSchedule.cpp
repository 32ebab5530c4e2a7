#include "compiler/Codegen/Halide/Schedule/StageSchedule.h"
#include <algorithm>
#include <cmath>

namespace attnc::halide {

/// Number of terms that amortise the launch of a chunk.
static constexpr int64_t chunkWork = int64_t(1) << 21;
/// Least work of a point, in terms: a point without a sum is a store.
static constexpr int64_t leastWork = 64;
/// Least number of points of a sum in a chunk for each lane; all of them reuse the elements read for the lanes.
static constexpr int64_t leastReuse = 28;
/// Least block of summed iterations; bytes that the first-level cache retains beside streamed data; bytes that can be
/// reread fast enough.
static constexpr int64_t leastBlock = 32, nearBytes = int64_t(24) << 10, cachedBytes = int64_t(512) << 10;
/// Least number of reread bytes saved for each byte of partial sums that makes an additional stage pay.
static constexpr double worthwhileParts = 8;
/// Columns of a chunk of a scatter (four cache lines of 16 floats), and its terms.
static constexpr int64_t columnsOfChunk = 64, termsOfChunk = int64_t(1) << 16;
/// Assumed value of a dynamic size.
static constexpr int64_t typicalSize = 1024;

int64_t typical(const Size &size) { return size.number + size.factor * typicalSize; }

int64_t Schedule::points(unsigned dimension) const {
  int64_t count = 1;
  if (dimension == laneDimension)
    count *= lanes * vectors;
  if (dimension == rowDimension)
    count *= rows;
  return count;
}

std::optional<unsigned> Schedule::raggedDimension(const Stage &stage) const {
  for (unsigned dimension = 0; dimension < spans.size(); ++dimension) {
    const Size &size = stage.extent(dimension);
    if (spans[dimension].kind == Span::Kind::Block && points(dimension) > 1 &&
        !(size.isConstant() && size.number % points(dimension) == 0))
      return dimension;
  }
  return std::nullopt;
}

Schedule Schedule::ofRest(unsigned dimension) const {
  Schedule rest = *this;
  if (dimension == laneDimension)
    rest.lanes = rest.vectors = 1;
  if (dimension == rowDimension) {
    rest.rowDimension = std::nullopt;
    rest.rows = 1;
  }
  return rest;
}

int64_t strideOf(const Stage &stage, const Node &load, unsigned loop) {
  int64_t stride = 0;
  for (size_t dimension = 0; dimension < load.operands.size(); ++dimension) {
    if (!dependsOn(stage, load.operands[dimension], loop))
      continue;
    auto affine = affineOf(stage, load.operands[dimension]);
    bool isLast = dimension + 1 == load.operands.size();
    stride += isLast && affine ? std::abs(affine->factors[loop]) : 2;
  }
  return std::min<int64_t>(stride, 2);
}

unsigned laneDimensionOf(const Stage &stage, const Machine &machine) {
  unsigned last = stage.result.size() - 1;
  const Size &width = stage.extent(last);
  int64_t terms = 1;
  for (const Loop &loop : stage.loops)
    if (loop.reduces)
      terms *= std::max<int64_t>(typical(loop.size), 1);
  bool isNarrow = width.isConstant() && 2 * width.number < machine.lanes;
  if (stage.fold != Fold::Add || !isNarrow || terms < leastTermsForOtherLanes)
    return last;
  for (unsigned dimension = last; dimension-- > 0;) {
    const Size &size = stage.extent(dimension);
    if (!size.isConstant())
      break;
    if (size.number >= machine.lanes)
      return dimension;
  }
  return last;
}

/// The number of iterations of each loop in a chunk; dynamic sizes are assumed typical.
static std::vector<int64_t> iterationsOfChunk(const Stage &stage, const Schedule &schedule) {
  std::vector<int64_t> iterations;
  for (const Loop &loop : stage.loops)
    iterations.push_back(std::max<int64_t>(typical(loop.size), 1));
  for (unsigned dimension = 0; dimension < stage.result.size(); ++dimension) {
    int64_t &own = iterations[stage.result[dimension]];
    const Span &span = schedule.spans[dimension];
    own = span.kind == Span::Kind::One ? 1 : span.kind == Span::Kind::Block ? std::min(own, span.block) : own;
  }
  return iterations;
}

/// The bytes of the elements that `iterations` of the loops read.
static int64_t bytesRead(const Stage &stage, const std::vector<int64_t> &iterations) {
  int64_t bytes = 0;
  for (unsigned number : nodesBelow(stage, stage.value)) {
    const Node &node = stage.nodes[number];
    if (node.op != Op::Load)
      continue;
    int64_t elements = 1;
    for (unsigned subscript : node.operands) {
      auto affine = affineOf(stage, subscript);
      int64_t reach = 1;
      for (unsigned loop = 0; loop < stage.loops.size(); ++loop)
        if (affine ? affine->factors[loop] != 0 : dependsOn(stage, subscript, loop))
          reach += (affine ? std::abs(affine->factors[loop]) : 1) * (iterations[loop] - 1);
      elements *= reach;
    }
    bytes += 4 * elements;
  }
  return bytes;
}

std::optional<unsigned> partialSumLoop(const Stage &stage, const Schedule &schedule) {
  if (stage.fold != Fold::Add || schedule.sums.outer.empty())
    return std::nullopt;
  unsigned loop = schedule.sums.outer.back();
  const Size &size = stage.loops[loop].size;
  // A single iteration saves no rereads. The start has to be a constant, as it moves to the stage that adds the partial
  // sums.
  if ((size.isConstant() && size.number < 2) || stage.nodes[stage.start].op != Op::Number)
    return std::nullopt;
  // A partial sum needs a summed loop of its own: without another one, the partial sums would be the terms.
  if (std::count_if(stage.loops.begin(), stage.loops.end(), [](const Loop &each) { return each.reduces; }) < 2)
    return std::nullopt;
  std::vector<int64_t> all, ofChunk = iterationsOfChunk(stage, schedule);
  for (const Loop &each : stage.loops)
    all.push_back(std::max<int64_t>(typical(each.size), 1));
  double chunks = 1, sums = 4;
  for (unsigned each : stage.result) {
    chunks *= double(all[each]) / double(ofChunk[each]);
    sums *= double(all[each]);
  }
  all[loop] = ofChunk[loop] = 1;
  double readAgain = (chunks - 1) * double(bytesRead(stage, ofChunk));
  return sums <= double(bytesRead(stage, all)) && readAgain >= worthwhileParts * sums ? std::optional(loop)
                                                                                      : std::nullopt;
}

namespace {

/// Bandwidth of the outer cache levels beside arithmetic, in bytes per cycle.
constexpr double farBytesPerCycle = 400;

/// Cost of one iteration of the summed loops for a tile, in cycles.
class TileCost {
public:
  TileCost(const Stage &stage, unsigned laneLoop, int64_t lanes)
      : stage(stage), laneLoop(laneLoop), lanes(lanes), below(nodesBelow(stage, stage.value)) {
    for (unsigned number : below) {
      const Node &node = stage.nodes[number];
      bool isLeaf = node.op == Op::Number || node.op == Op::Load;
      arithmetic += node.element == ATTN_F32 && !isLeaf;
    }
    // A fused multiply-add computes the product within the addition.
    if (stage.fold && !(stage.fold == Fold::Add && stage.nodes[stage.value].op == Op::Mul))
      ++arithmetic;
  }

  double of(int64_t vectors, std::optional<unsigned> rowLoop, int64_t rows) const {
    double loads = 0, bytes = 0;
    for (unsigned number : below) {
      const Node &node = stage.nodes[number];
      if (node.op != Op::Load)
        continue;
      double times = rowLoop && dependsOn(stage, number, *rowLoop) ? rows : 1;
      int64_t stride = strideOf(stage, node, laneLoop);
      times *= stride == 0 ? 1 : stride == 1 ? vectors : vectors * lanes;
      loads += times;
      bytes += times * 4 * (stride == 1 ? lanes : 1);
    }
    constexpr double latency = 4;
    // Loads overlap with arithmetic at a small cost; vector loads are limited by the bandwidth of outer cache levels.
    return std::max({arithmetic * vectors * rows / 2.0, loads / 2, stage.fold ? latency : 0.0}) + 0.05 * loads +
           bytes / farBytesPerCycle;
  }

private:
  const Stage &stage;
  unsigned laneLoop;
  int64_t lanes;
  std::vector<unsigned> below;
  int64_t arithmetic = 0;
};

class Chooser {
public:
  Chooser(const Stage &stage, const Machine &machine) : stage(stage), machine(machine) {}

  std::optional<Schedule> run(std::string &reason) {
    if (stage.result.empty()) {
      reason = "its result is one number";
      return std::nullopt;
    }
    schedule.laneDimension = laneDimensionOf(stage, machine);
    const Size &width = stage.extent(schedule.laneDimension);
    int64_t widest = width.isConstant() ? std::min(machine.lanes, width.number) : machine.lanes;
    while (schedule.lanes * 2 <= widest)
      schedule.lanes *= 2;
    unsigned blocked = chooseBlockedDimension();
    chooseTile(blocked, /*isInParts=*/false);
    chooseSpans(blocked);
    orderSums();
    if (readsTooMuch() && chooseTile(blocked, /*isInParts=*/true)) {
      chooseSpans(blocked);
      divideSums();
    }
    return schedule;
  }

private:
  int64_t workOfPoint() const {
    int64_t work = 1;
    for (const Loop &loop : stage.loops)
      if (loop.reduces)
        work *= std::max<int64_t>(typical(loop.size), 1);
    return std::max(work, leastWork);
  }

  /// The outermost dimension of which a chunk has more than one index: the dimension of the lanes, or one outside of
  /// it. The dimensions inside of it have static sizes, and too few points for a chunk or only points inside of the
  /// lanes' dimension.
  unsigned chooseBlockedDimension() {
    wanted = std::max<int64_t>(chunkWork / workOfPoint(), 1);
    inside = 1;
    if (const Size &width = stage.extent(schedule.laneDimension); stage.fold && width.isConstant())
      wanted = std::max(wanted, width.number * leastReuse);
    for (unsigned dimension = stage.result.size(); dimension-- > 0;) {
      const Size &size = stage.extent(dimension);
      bool hasLanes = dimension <= schedule.laneDimension;
      if (!size.isConstant() || dimension == 0 || (hasLanes && inside * size.number >= wanted))
        return dimension;
      inside *= size.number;
    }
    return 0;
  }

  /// Chooses the cheapest tile; false if there is none. With partial sums, tiles must not overlap, except at the end of
  /// a dynamic dimension.
  bool chooseTile(unsigned blocked, bool isInParts) {
    unsigned lane = schedule.laneDimension, dimensions = stage.result.size();
    const Size &width = stage.extent(lane);
    if (!stage.fold || blocked >= lane || !width.isConstant())
      return false;
    TileCost cost(stage, stage.result[lane], schedule.lanes);
    double best = 0;
    // A dynamic number of rows may be small, so dimensions of static size are preferred.
    auto isKnown = [&](unsigned dimension) { return stage.extent(dimension).isConstant(); };
    bool anyKnown = false;
    for (unsigned dimension = blocked; dimension < dimensions; ++dimension)
      anyKnown |= dimension != lane && isKnown(dimension) && stage.extent(dimension).number > 1;
    for (int64_t vectors = 1; vectors <= 4 && vectors * schedule.lanes <= width.number; ++vectors)
      for (unsigned dimension = dimensions; dimension-- > blocked;)
        for (int64_t rows = 1; rows <= 14; ++rows) {
          int64_t height = typical(stage.extent(dimension)), step = vectors * schedule.lanes;
          if (dimension == lane || (anyKnown && !isKnown(dimension)))
            continue;
          bool divides = width.number % step == 0 && (!isKnown(dimension) || height % rows == 0);
          if (isInParts && !divides)
            continue;
          // Registers for the sums, the vectors of the lanes, and one element of a row.
          if (vectors * rows + vectors + 1 > machine.registers || rows > height)
            continue;
          double tiles = std::ceil(double(width.number) / step) * std::ceil(double(height) / rows) / height;
          double total = tiles * cost.of(vectors, stage.result[dimension], rows);
          if (best != 0 && total >= best)
            continue;
          best = total;
          schedule.vectors = vectors;
          schedule.rows = rows;
          schedule.rowDimension = rows > 1 ? std::optional(dimension) : std::nullopt;
        }
    return best != 0;
  }

  void chooseSpans(unsigned blocked) {
    schedule.spans.resize(stage.result.size());
    for (unsigned dimension = 0; dimension < blocked; ++dimension)
      schedule.spans[dimension].kind = Span::Kind::One;
    int64_t step = schedule.points(blocked), block = (std::max<int64_t>(wanted / inside, 1) + step - 1) / step * step;
    const Size &size = stage.extent(blocked);
    if (!size.isConstant() || size.number > block)
      schedule.spans[blocked] = {Span::Kind::Block, block};
  }

  /// Orders the summed loops: innermost the loop in which most loads have stride 1, the others in source order.
  void orderSums() {
    auto contiguous = [&](unsigned loop) {
      int64_t count = 0;
      for (unsigned number : nodesBelow(stage, stage.value))
        if (stage.nodes[number].op == Op::Load)
          count += strideOf(stage, stage.nodes[number], loop) == 1;
      return count;
    };
    std::vector<std::pair<int64_t, unsigned>> order;
    for (unsigned loop = 0; loop < stage.loops.size(); ++loop)
      if (stage.loops[loop].reduces)
        order.emplace_back(contiguous(loop), loop);
    std::sort(order.rbegin(), order.rend());
    for (auto [count, loop] : order)
      schedule.sums.inner.push_back(loop);
  }

  //===---------------------------------------- sums in parts -----------------------------------------------------===//

  /// True if successive tiles with the same lanes read more than the cache retains.
  bool readsTooMuch() const {
    if (stage.fold != Fold::Add || stage.element != ATTN_F32 || stage.finish ||
        !stage.extent(schedule.laneDimension).isConstant())
      return false;
    std::vector<int64_t> iterations = iterationsOfChunk(stage, schedule);
    int64_t &lanes = iterations[stage.result[schedule.laneDimension]], points = 1;
    lanes = std::min(lanes, schedule.points(schedule.laneDimension));
    for (unsigned dimension = 0; dimension < stage.result.size(); ++dimension)
      points *= iterations[stage.result[dimension]];
    int64_t ofTile = schedule.rows * schedule.points(schedule.laneDimension);
    bool sumsOverUnknown = std::any_of(stage.loops.begin(), stage.loops.end(),
                                       [](const Loop &loop) { return loop.reduces && !loop.size.isConstant(); });
    return points > ofTile && readsAgain() && (sumsOverUnknown || bytesRead(stage, iterations) > cachedBytes);
  }

  /// True if tiles share elements.
  bool readsAgain() const {
    for (unsigned number : nodesBelow(stage, stage.value))
      for (unsigned loop : stage.result)
        if (stage.nodes[number].op == Op::Load && !dependsOn(stage, number, loop))
          return true;
    return false;
  }

  /// Splits the summed loops. Tiles sum over inner loops while the elements read fit in the first-level cache, and over
  /// further loops if those are few iterations or read no more elements. If the innermost loop alone reads too much,
  /// tiles sum over blocks of it.
  void divideSums() {
    std::vector<int64_t> iterations = iterationsOfChunk(stage, schedule);
    Sums &sums = schedule.sums;
    for (unsigned loop : sums.inner)
      iterations[loop] = 1;
    std::vector<unsigned> inner;
    int64_t summed = 1;
    for (unsigned loop : sums.inner) {
      int64_t own = std::max<int64_t>(typical(stage.loops[loop].size), 1), before = bytesRead(stage, iterations);
      iterations[loop] = own;
      int64_t bytes = bytesRead(stage, iterations);
      if (bytes > std::max(nearBytes, before) && (summed >= leastBlock || own > leastBlock))
        break;
      summed *= own;
      inner.push_back(loop);
    }
    sums.outer.assign(sums.inner.begin() + inner.size(), sums.inner.end());
    if (inner.empty()) {
      unsigned loop = sums.outer.front();
      inner.push_back(loop);
      for (sums.block = leastBlock;; sums.block *= 2) {
        iterations[loop] = 2 * sums.block;
        if (bytesRead(stage, iterations) > nearBytes)
          break;
      }
    }
    sums.inner = std::move(inner);
  }

  const Stage &stage;
  const Machine &machine;
  Schedule schedule;
  int64_t wanted = 0, inside = 1;
};

} // namespace

/// The schedule of a scatter: chunks and lanes divide only dimensions whose points receive separate terms.
static Schedule scheduleOfPlaces(const Stage &stage, const Machine &machine) {
  Schedule schedule;
  unsigned last = stage.result.size() - 1;
  const Size &width = stage.extent(last);
  schedule.spans.resize(stage.result.size());
  schedule.laneDimension = last;
  int64_t terms = 1;
  for (unsigned loop = stage.loops.size(); loop-- > 0;)
    if (stage.loops[loop].reduces) {
      schedule.sums.inner.push_back(loop);
      terms *= std::max<int64_t>(typical(stage.loops[loop].size), 1);
    }
  if (stage.isApart(last)) {
    int64_t widest = width.isConstant() ? std::min(machine.lanes, width.number) : machine.lanes;
    while (schedule.lanes * 2 <= widest)
      schedule.lanes *= 2;
    while (width.isConstant() && width.number % schedule.lanes != 0 && schedule.lanes > 4)
      schedule.lanes /= 2;
    bool divides = width.isConstant() && width.number % schedule.lanes == 0;
    bool isWide = !width.isConstant() || width.number > columnsOfChunk;
    if (!divides)
      schedule.lanes = isWide ? machine.lanes : 1;
    if (isWide)
      schedule.spans[last] = {Span::Kind::Block, columnsOfChunk};
  }
  int64_t indices = std::max<int64_t>(termsOfChunk / terms, 1);
  for (unsigned dimension = 0; dimension < last; ++dimension) {
    const Size &size = stage.extent(dimension);
    if (!stage.isApart(dimension) || (size.isConstant() && size.number <= indices))
      continue;
    schedule.spans[dimension] = {indices == 1 ? Span::Kind::One : Span::Kind::Block, indices == 1 ? 0 : indices};
    indices = 1;
  }
  return schedule;
}

std::optional<Schedule> chooseSchedule(const Stage &stage, const Machine &machine, std::string &reason) {
  if (!stage.places.empty())
    return scheduleOfPlaces(stage, machine);
  return Chooser(stage, machine).run(reason);
}

} // namespace attnc::halide
