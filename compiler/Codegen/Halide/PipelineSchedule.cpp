#include "compiler/Codegen/Halide/PipelineSchedule.h"
#include <algorithm>

namespace attnc::halide {

/// Elements that make a chunk worth its launch, and that the first cache keeps from one stage to the next.
static constexpr int64_t chunkElements = 4096;
/// Columns of a chunk that adds terms at subscripts: a cache line of 16 floats, four times.
static constexpr int64_t columnsOfChunk = 64;
/// Terms of such a chunk.
static constexpr int64_t termsOfChunk = int64_t(1) << 16;
/// Vectors of partial sums, which hide the latency of additions.
static constexpr int64_t mostPartialVectors = 4;

//===------------------------------------------ single stages -----------------------------------------------------===//

static int64_t typicalOf(const Size &size) { return std::max<int64_t>(typical(size), 1); }

/// The largest power of 2 up to both.
static int64_t lanesFor(const Size &size, int64_t most) {
  int64_t lanes = 1;
  while (lanes * 2 <= (size.isConstant() ? std::min(most, size.number) : most))
    lanes *= 2;
  return lanes;
}

/// The largest step that any load takes along a loop: 0, 1 or 2, which is anything.
static int64_t largestStride(const Stage &stage, unsigned loop) {
  int64_t stride = 0;
  for (unsigned number : nodesBelow(stage, stage.value)) {
    const Node &node = stage.nodes[number];
    if (node.op == Op::Load)
      stride = std::max(stride, strideOf(stage, node, loop));
  }
  return stride;
}

/// The loop that lanes run across: where the result's last dimension is read in steps, or is no vector.
static std::optional<unsigned> loopAcross(const Stage &stage, const Machine &machine) {
  if (!stage.fold || !stage.places.empty())
    return std::nullopt;
  unsigned last = stage.result.size() - 1;
  int64_t along = largestStride(stage, stage.result[last]), width = typicalOf(stage.extent(last));
  std::optional<unsigned> found;
  for (unsigned loop = 0; loop < stage.loops.size(); ++loop) {
    if (!stage.loops[loop].reduces || largestStride(stage, loop) > 1)
      continue;
    int64_t iterations = typicalOf(stage.loops[loop].size);
    bool isLonger = width < machine.lanes && iterations > width;
    bool isBetter = along > 1 && 2 * iterations >= machine.lanes;
    if (isLonger || isBetter)
      found = loop; // the innermost of them
  }
  return found;
}

static void sumAcross(const Stage &stage, const Machine &machine, unsigned loop, Schedule &schedule) {
  const Size &size = stage.loops[loop].size;
  schedule.across = loop;
  schedule.lanes = lanesFor(size, machine.lanes);
  auto fits = [&](int64_t vectors) {
    int64_t step = schedule.lanes * vectors;
    return size.isConstant() ? size.number >= step && size.number % step <= size.number % (step / 2) : true;
  };
  while (schedule.vectors * 2 <= mostPartialVectors && fits(schedule.vectors * 2))
    schedule.vectors *= 2;
  schedule.sums = {};
  schedule.sums.inner.push_back(loop);
  for (unsigned other = stage.loops.size(); other-- > 0;)
    if (stage.loops[other].reduces && other != loop)
      schedule.sums.inner.push_back(other);
}

/// Lanes along the last dimension, or across a sum; nothing of chunks.
static Schedule scheduleOfRow(const Stage &stage, const Machine &machine) {
  Schedule schedule;
  schedule.spans.resize(stage.result.size());
  schedule.laneDimension = stage.result.size() - 1;
  if (auto loop = loopAcross(stage, machine)) {
    sumAcross(stage, machine, *loop, schedule);
    return schedule;
  }
  schedule.lanes = lanesFor(stage.extent(schedule.laneDimension), machine.lanes);
  for (unsigned loop = stage.loops.size(); loop-- > 0;)
    if (stage.loops[loop].reduces)
      schedule.sums.inner.push_back(loop);
  return schedule;
}

/// Of a stage that adds terms at subscripts: chunks and lanes divide dimensions in which terms are apart.
static Schedule scheduleOfPlaces(const Stage &stage, const Machine &machine) {
  Schedule schedule = scheduleOfRow(stage, machine);
  unsigned last = schedule.laneDimension;
  const Size &width = stage.extent(last);
  schedule.lanes = 1;
  if (stage.isApart(last)) {
    schedule.lanes = lanesFor(width, machine.lanes);
    while (width.isConstant() && width.number % schedule.lanes != 0 && schedule.lanes > 4)
      schedule.lanes /= 2;
    bool divides = width.isConstant() && width.number % schedule.lanes == 0;
    if (!divides && (!width.isConstant() || width.number > columnsOfChunk))
      schedule.lanes = machine.lanes;
    else if (!divides)
      schedule.lanes = 1;
    if (!width.isConstant() || width.number > columnsOfChunk)
      schedule.spans[last] = {Span::Kind::Block, columnsOfChunk};
  }
  int64_t terms = 1;
  for (unsigned loop = 0; loop < stage.loops.size(); ++loop)
    terms *= stage.loops[loop].reduces ? typicalOf(stage.loops[loop].size) : 1;
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

/// By itself, in chunks of its own.
static std::optional<Schedule> chooseOne(const Stage &stage, const Machine &machine, std::string &reason) {
  if (!stage.places.empty())
    return scheduleOfPlaces(stage, machine);
  auto loop = loopAcross(stage, machine);
  std::optional<Schedule> schedule = chooseSchedule(stage, machine, reason);
  if (!loop || !schedule)
    return schedule;
  Schedule made;
  made.laneDimension = schedule->laneDimension;
  made.spans = schedule->spans;
  sumAcross(stage, machine, *loop, made);
  return made;
}

//===------------------------------------------ stages of the same rows -------------------------------------------===//

/// How many leading dimensions all stages have in common, of which each reads its own index of earlier ones.
static unsigned sharedDimensions(const std::vector<PlannedStage> &stages, const Machine &machine) {
  const Stage &first = stages[0].stage;
  unsigned shared = stages.size() > 1 ? first.result.size() : 0;
  for (const PlannedStage &planned : stages) {
    const Stage &stage = planned.stage;
    // Sums in tiles of registers have chunks of their own.
    if (planned.isLayout || (stage.fold && stage.places.empty() && !loopAcross(stage, machine)))
      return 0;
    shared = std::min<unsigned>(shared, stage.result.size());
    for (unsigned dimension = 0; dimension < shared; ++dimension)
      if (!(stage.extent(dimension) == first.extent(dimension)) || !stage.isApart(dimension))
        shared = dimension;
    for (const Node &node : stage.nodes) {
      if (node.op != Op::Load || !planned.sources[node.integer].isStage)
        continue;
      for (unsigned dimension = 0; dimension < shared; ++dimension) {
        bool isOwn = dimension < node.operands.size() && stage.nodes[node.operands[dimension]].op == Op::Index &&
                     stage.nodes[node.operands[dimension]].integer == stage.result[dimension];
        shared = isOwn ? shared : dimension;
      }
    }
  }
  return shared;
}

/// What a chunk has of the shared dimensions: so many rows that its elements stay near.
static std::vector<Span> spansOfRows(const std::vector<PlannedStage> &stages, unsigned shared) {
  int64_t elements = 1; // of a row
  for (const PlannedStage &planned : stages) {
    int64_t own = 1;
    for (unsigned loop = 0; loop < planned.stage.loops.size(); ++loop)
      own *= typicalOf(planned.stage.loops[loop].size);
    for (unsigned dimension = 0; dimension < shared; ++dimension)
      own /= typicalOf(planned.stage.extent(dimension));
    elements = std::max(elements, own);
  }
  const Stage &stage = stages[0].stage;
  std::vector<Span> spans(shared);
  int64_t wanted = 1; // a power of 2, which lanes divide
  while (2 * wanted * elements <= chunkElements)
    wanted *= 2;
  unsigned dimension = shared;
  while (dimension > 0) {
    const Size &size = stage.extent(--dimension);
    if (!size.isConstant() || size.number > wanted) {
      spans[dimension] = wanted > 1 ? Span{Span::Kind::Block, wanted} : Span{Span::Kind::One, 0};
      break;
    }
    while (wanted > 1 && wanted * size.number > chunkElements / elements)
      wanted /= 2;
  }
  for (unsigned outer = 0; outer < dimension; ++outer)
    spans[outer].kind = Span::Kind::One;
  return spans;
}

std::optional<std::vector<Schedule>> chooseSchedules(const std::vector<PlannedStage> &stages, const Machine &machine,
                                                     std::string &reason) {
  std::vector<Schedule> schedules;
  unsigned shared = sharedDimensions(stages, machine);
  for (const PlannedStage &planned : stages) {
    if (shared == 0) {
      std::optional<Schedule> schedule = chooseOne(planned.stage, machine, reason);
      if (!schedule)
        return std::nullopt;
      schedules.push_back(std::move(*schedule));
      continue;
    }
    Schedule schedule =
        planned.stage.places.empty() ? scheduleOfRow(planned.stage, machine) : scheduleOfPlaces(planned.stage, machine);
    std::vector<Span> spans = spansOfRows(stages, shared);
    std::copy(spans.begin(), spans.end(), schedule.spans.begin());
    if (const Span &span = schedule.spans[schedule.laneDimension]; !schedule.across && span.divides())
      schedule.lanes = std::min(schedule.lanes, std::max<int64_t>(span.block, 1));
    for (unsigned dimension = shared; dimension < schedule.spans.size(); ++dimension) {
      bool isCounted = !planned.stage.extent(dimension).isConstant() && schedule.points(dimension) > 1;
      schedule.spans[dimension] = {isCounted ? Span::Kind::Counted : Span::Kind::Whole, 0};
    }
    schedules.push_back(std::move(schedule));
  }
  return schedules;
}

//===------------------------------------------ phases ------------------------------------------------------------===//

unsigned dividedDimensions(const Schedule &schedule) {
  unsigned divided = 0;
  for (unsigned dimension = 0; dimension < schedule.spans.size(); ++dimension)
    if (schedule.spans[dimension].divides())
      divided = dimension + 1;
  return divided;
}

/// Whether a stage may run in the chunks of stages `first` and following, which it reads.
static bool joins(const std::vector<PlannedStage> &stages, const std::vector<Schedule> &schedules, unsigned first,
                  unsigned number) {
  const Stage &stage = stages[number].stage, &leader = stages[first].stage;
  unsigned divided = dividedDimensions(schedules[first]);
  if (stages[first].isLayout || stages[number].isLayout || dividedDimensions(schedules[number]) != divided)
    return false;
  for (unsigned dimension = 0; dimension < divided; ++dimension)
    if (!(schedules[first].spans[dimension] == schedules[number].spans[dimension]) ||
        !(leader.extent(dimension) == stage.extent(dimension)))
      return false;
  for (const Node &node : stage.nodes) {
    if (node.op != Op::Load)
      continue;
    const PlannedStage::Source &source = stages[number].sources[node.integer];
    if (!source.isStage || source.number < first)
      continue;
    for (unsigned dimension = 0; dimension < divided; ++dimension) {
      if (dimension >= node.operands.size())
        return false;
      const Node &subscript = stage.nodes[node.operands[dimension]];
      if (subscript.op != Op::Index || subscript.integer != stage.result[dimension])
        return false;
    }
  }
  return true;
}

std::vector<unsigned> phasesOf(const std::vector<PlannedStage> &stages, const std::vector<Schedule> &schedules) {
  std::vector<unsigned> phases;
  unsigned first = 0;
  for (unsigned number = 0; number < stages.size(); ++number) {
    bool isNext = number > 0 && !joins(stages, schedules, first, number);
    if (isNext)
      first = number;
    phases.push_back(number == 0 ? 0 : phases.back() + isNext);
  }
  return phases;
}

/// Whether the chunk's part of a tensor lies in one piece: one index of each dimension outside of a blocked one.
static bool isOnePiece(const Schedule &schedule) {
  bool isDivided = false;
  for (unsigned dimension = schedule.spans.size(); dimension-- > 0;) {
    Span::Kind kind = schedule.spans[dimension].kind;
    if (isDivided && kind != Span::Kind::One)
      return false;
    isDivided |= schedule.spans[dimension].divides();
  }
  return true;
}

std::vector<bool> areOfChunks(const std::vector<PlannedStage> &stages, const std::vector<Schedule> &schedules,
                              const std::vector<unsigned> &phases) {
  std::vector<bool> areOf;
  for (unsigned number = 0; number < stages.size(); ++number)
    areOf.push_back(!stages[number].result && isOnePiece(schedules[number]));
  for (unsigned number = 0; number < stages.size(); ++number)
    for (const PlannedStage::Source &source : stages[number].sources)
      if (source.isStage && phases[source.number] != phases[number])
        areOf[source.number] = false;
  return areOf;
}

} // namespace attnc::halide
