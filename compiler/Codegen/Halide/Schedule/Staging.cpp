#include "compiler/Codegen/Halide/Schedule/Staging.h"
#include "compiler/Codegen/Halide/Schedule/StageSchedule.h"
#include <algorithm>
#include <cstdlib>
#include <map>

namespace attnc::halide {

namespace {

/// Least number of reads of an element that pays for its copy to a new layout.
constexpr double worthwhileReads = 8;

struct Direction {
  std::vector<int64_t> factors; ///< one for each loop
  unsigned node = 0;            ///< a node with these factors
  int64_t constant = 0;         ///< constant of that node
  int64_t low = 0;              ///< smallest value of the sum without the constant
  Size size;
};

class Stager {
public:
  Stager(const Stage &given, const Machine &machine) : whole(given), machine(machine) {
    for (unsigned number = 0; number < given.buffers.size(); ++number)
      sources.push_back({false, number});
  }

  std::vector<PlannedStage> run() {
    if (whole.fold && whole.places.empty()) {
      std::vector<unsigned> factors;
      collectFactors(whole.value, factors);
      for (unsigned factor : factors)
        if (wantsLayout(factor))
          stage(factor);
      whole.value = rebuilt(whole.value);
      sweep();
      std::string reason;
      if (auto schedule = chooseSchedule(whole, machine, reason))
        if (auto loop = partialSumLoop(whole, *schedule))
          sumInParts(*loop);
    }
    plan.push_back({std::move(whole), std::move(sources)});
    return std::move(plan);
  }

private:
  void collectFactors(unsigned number, std::vector<unsigned> &factors) const {
    const Node &node = whole.nodes[number];
    if (node.op != Op::Mul)
      return factors.push_back(number);
    for (unsigned operand : node.operands)
      collectFactors(operand, factors);
  }

  /// True if the factor is anything but elements that are contiguous, or equal, in successive lanes.
  bool wantsLayout(unsigned number) const {
    bool loads = false;
    for (unsigned each : nodesBelow(whole, number))
      loads |= whole.nodes[each].op == Op::Load;
    const Node &node = whole.nodes[number];
    // A data-dependent subscript may be out of range between the points of the loops.
    if (!loads || whole.result.empty() || readsByData(whole, number))
      return false;
    if (node.op != Op::Load)
      return true;
    bool isAffine = std::all_of(node.operands.begin(), node.operands.end(),
                                [&](unsigned operand) { return affineOf(whole, operand).has_value(); });
    return !isAffine || strideOf(whole, node, laneLoop()) > 1;
  }

  unsigned laneLoop() const { return whole.result[laneDimensionOf(whole, machine)]; }

  //===---------------------------------------- directions --------------------------------------------------------===//

  /// Collects the directions below a node: the subscripts of a load first, in their order.
  void collectDirections(unsigned number, std::vector<Direction> &directions) const {
    if (auto affine = affineOf(whole, number)) {
      bool known = std::any_of(directions.begin(), directions.end(),
                               [&](const Direction &each) { return each.factors == affine->factors; });
      if (!affine->isConstant() && !known)
        directions.push_back({affine->factors, number, affine->constant, 0, {}});
      return;
    }
    const Node &node = whole.nodes[number];
    // The condition of a `select` comes last.
    for (size_t operand = node.operands.size(); node.op == Op::Select && operand-- > 0;)
      collectDirections(node.operands[operand], directions);
    for (unsigned operand : node.operands)
      collectDirections(operand, directions);
  }

  /// Computes the range of a direction; false if stages cannot express its size.
  bool measure(Direction &direction) const {
    direction.size = {1, 0, 0};
    for (size_t loop = 0; loop < whole.loops.size(); ++loop) {
      int64_t factor = direction.factors[loop];
      const Size &size = whole.loops[loop].size;
      if (factor == 0)
        continue;
      if (size.isConstant()) {
        direction.low += std::min<int64_t>(0, factor * (size.number - 1));
        direction.size.number += std::abs(factor) * (size.number - 1);
        continue;
      }
      if (factor < 0 || !direction.size.isConstant())
        return false;
      direction.size.number += factor * (size.number - 1);
      direction.size.factor = factor * size.factor;
      direction.size.argument = size.argument;
    }
    return true;
  }

  bool shareLoops(const std::vector<Direction> &directions) const {
    for (size_t loop = 0; loop < whole.loops.size(); ++loop)
      if (std::count_if(directions.begin(), directions.end(),
                        [&](const Direction &each) { return each.factors[loop] != 0; }) > 1)
        return true;
    return false;
  }

  /// The number of reads of the sum for each element of the box, counting a read for each lane.
  double readsOfElement(const std::vector<Direction> &directions) const {
    double reads = 1;
    for (const Loop &loop : whole.loops)
      reads *= std::max<int64_t>(typical(loop.size), 1);
    for (const Direction &each : directions)
      reads /= std::max<int64_t>(typical(each.size), 1);
    return reads;
  }

  std::optional<std::vector<Direction>> directionsOf(unsigned factor) const {
    std::vector<Direction> directions;
    collectDirections(factor, directions);
    for (Direction &each : directions)
      if (!measure(each))
        return std::nullopt;
    if (directions.empty() || shareLoops(directions) || readsOfElement(directions) < worthwhileReads)
      return std::nullopt;
    // Elements of successive lanes are contiguous: their direction, at most one, becomes the last dimension.
    auto ofLanes = std::find_if(directions.begin(), directions.end(),
                                [&](const Direction &each) { return each.factors[laneLoop()] != 0; });
    if (ofLanes != directions.end())
      std::rotate(ofLanes, ofLanes + 1, directions.end());
    return directions;
  }

  //===---------------------------------------- stages ------------------------------------------------------------===//

  void stage(unsigned factor) {
    auto directions = directionsOf(factor);
    if (!directions)
      return;
    Stage made;
    std::vector<PlannedStage::Source> from;
    for (unsigned number = 0; number < directions->size(); ++number) {
      made.loops.push_back({(*directions)[number].size, false});
      made.result.push_back(number);
    }
    std::map<unsigned, unsigned> copies;
    made.value = copyInto(made, from, factor, *directions, copies);
    unsigned buffer = whole.buffers.size();
    Buffer tensor;
    std::vector<unsigned> subscripts;
    for (const Direction &each : *directions) {
      tensor.shape.push_back(each.size);
      unsigned from = whole.add({Op::Integer, ATTN_I32, {}, 0, each.constant + each.low});
      subscripts.push_back(each.constant + each.low == 0 ? each.node
                                                         : whole.add({Op::Sub, ATTN_I32, {each.node, from}}));
    }
    whole.buffers.push_back(tensor);
    sources.push_back({true, static_cast<unsigned>(plan.size())});
    replaced[factor] = whole.add({Op::Load, ATTN_F32, subscripts, 0, buffer});
    plan.push_back({std::move(made), std::move(from)});
  }

  /// Copies a node to `made`, with the directions as loops.
  unsigned copyInto(Stage &made, std::vector<PlannedStage::Source> &from, unsigned number,
                    const std::vector<Direction> &directions, std::map<unsigned, unsigned> &copies) {
    if (auto known = copies.find(number); known != copies.end())
      return known->second;
    Node node = whole.nodes[number];
    unsigned copy = 0;
    if (auto affine = affineOf(whole, number); affine && !affine->isConstant()) {
      auto direction = std::find_if(directions.begin(), directions.end(),
                                    [&](const Direction &each) { return each.factors == affine->factors; });
      copy = made.add({Op::Index, ATTN_I32, {}, 0, direction - directions.begin()});
      if (int64_t constant = direction->low + affine->constant) {
        unsigned term = made.add({Op::Integer, ATTN_I32, {}, 0, constant});
        copy = made.add({Op::Add, ATTN_I32, {copy, term}});
      }
    } else {
      for (unsigned &operand : node.operands)
        operand = copyInto(made, from, operand, directions, copies);
      if (node.op == Op::Load) {
        clamp(made, node.operands, whole.buffers[node.integer].shape);
        from.push_back(sources[node.integer]);
        made.buffers.push_back(whole.buffers[node.integer]);
        node.integer = made.buffers.size() - 1;
      }
      copy = made.add(node);
    }
    copies[number] = copy;
    return copy;
  }

  /// Clamps subscripts to the shape. They are in range at all points of the original loops, but not between these
  /// points.
  static void clamp(Stage &made, std::vector<unsigned> &subscripts, const std::vector<Size> &shape) {
    unsigned zero = made.add({Op::Integer, ATTN_I32, {}, 0, 0});
    for (size_t dimension = 0; dimension < shape.size(); ++dimension) {
      const Size &size = shape[dimension];
      unsigned last = made.add({Op::Integer, ATTN_I32, {}, 0, size.number - 1});
      if (!size.isConstant()) {
        unsigned argument = made.add({Op::Argument, ATTN_I32, {}, 0, size.argument});
        unsigned factor = made.add({Op::Integer, ATTN_I32, {}, 0, size.factor});
        unsigned product = made.add({Op::Mul, ATTN_I32, {argument, factor}});
        last = made.add({Op::Add, ATTN_I32, {product, last}});
      }
      unsigned below = made.add({Op::Min, ATTN_I32, {subscripts[dimension], last}});
      subscripts[dimension] = made.add({Op::Max, ATTN_I32, {below, zero}});
    }
  }

  /// Rebuilds the node with staged factors replaced by loads.
  unsigned rebuilt(unsigned number) {
    if (auto found = replaced.find(number); found != replaced.end())
      return found->second;
    Node node = whole.nodes[number];
    if (node.op != Op::Mul || node.element != ATTN_F32)
      return number;
    for (unsigned &operand : node.operands)
      operand = rebuilt(operand);
    return whole.add(node);
  }

  /// Removes unused nodes and their buffers.
  void sweep() {
    Stage kept = whole;
    kept.nodes.clear();
    kept.buffers.clear();
    std::vector<PlannedStage::Source> keptSources;
    std::map<unsigned, unsigned> numbers, buffers;
    auto keep = [&](unsigned root) {
      for (unsigned number : nodesBelow(whole, root)) {
        Node node = whole.nodes[number];
        for (unsigned &operand : node.operands)
          operand = numbers.at(operand);
        if (node.op == Op::Load) {
          auto [place, isNew] = buffers.try_emplace(node.integer, kept.buffers.size());
          if (isNew) {
            kept.buffers.push_back(whole.buffers[node.integer]);
            keptSources.push_back(sources[node.integer]);
          }
          node.integer = place->second;
        }
        numbers[number] = kept.add(node);
      }
      return numbers.at(root);
    };
    kept.value = keep(whole.value);
    kept.start = keep(whole.start);
    if (whole.finish)
      kept.finish = keep(*whole.finish);
    whole = std::move(kept);
    sources = std::move(keptSources);
  }

  /// Splits a sum: the sums of each iteration of a loop become a stage, and this stage adds them.
  void sumInParts(unsigned loop) {
    Stage total;
    total.loops.push_back(whole.loops[loop]);
    std::vector<unsigned> subscripts = {total.add({Op::Index, ATTN_I32, {}, 0, 0})};
    Buffer parts{whole.element, {whole.loops[loop].size}};
    for (unsigned each : whole.result) {
      total.result.push_back(total.loops.size());
      subscripts.push_back(total.add({Op::Index, ATTN_I32, {}, 0, static_cast<int64_t>(total.loops.size())}));
      total.loops.push_back(whole.loops[each]);
      parts.shape.push_back(whole.loops[each].size);
    }
    total.element = whole.element;
    total.fold = whole.fold;
    total.buffers.push_back(parts);
    total.start = total.add(whole.nodes[whole.start]);
    total.value = total.add({Op::Load, whole.element, subscripts, 0, 0});
    whole.loops[loop].reduces = false;
    whole.result.insert(whole.result.begin(), loop);
    whole.start = whole.add({Op::Number, whole.element, {}, 0});
    plan.push_back({std::move(whole), std::move(sources)});
    whole = std::move(total);
    sources = {{true, static_cast<unsigned>(plan.size() - 1)}};
  }

  Stage whole;
  const Machine &machine;
  std::vector<PlannedStage::Source> sources;
  std::map<unsigned, unsigned> replaced;
  std::vector<PlannedStage> plan;
};

} // namespace

std::vector<PlannedStage> planStages(const Stage &stage, const Machine &machine) {
  return Stager(stage, machine).run();
}

} // namespace attnc::halide
