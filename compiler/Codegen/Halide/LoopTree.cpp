#include "compiler/Codegen/Halide/LoopTree.h"
#include <algorithm>

namespace attnc::halide {

/// More are never counted apart.
static constexpr int64_t mostIterations = int64_t(1) << 31;

LoopTree::LoopTree(const Definition &definition, const Extents &dimensions) : definition(definition) {
  auto add = [&](Extent extent) {
    loops.push_back({extent, {}});
    if (extent.exact)
      loops.back().iterations = std::min(*extent.exact, mostIterations);
    return static_cast<unsigned>(loops.size() - 1);
  };
  for (const auto &[name, extent] : dimensions)
    roots[name] = leaves[name] = add(extent);
  for (const LoopSplit &split : definition.splits) {
    moved.push_back(false);
    if (split.fuses) {
      std::optional<int64_t> iterations = 1;
      for (const std::string &part : {split.inner, split.outer}) {
        Loop &loop = loops[leaves.at(part)];
        loop.isFused = true;
        iterations = iterations && loop.iterations
                         ? std::optional(std::min(*iterations * *loop.iterations, mostIterations))
                         : std::nullopt;
        leaves.erase(part);
      }
      leaves[split.loop] = add({});
      loops.back().iterations = iterations;
      continue;
    }
    unsigned whole = leaves.at(split.loop);
    leaves.erase(split.loop);
    Extent extent = loops[whole].extent;
    moved.back() = extent.least >= split.factor;
    Extent outer{std::max<int64_t>(extent.least / split.factor, 1), {}};
    if (extent.exact)
      outer.exact = outer.least = (*extent.exact + split.factor - 1) / split.factor;
    leaves[split.outer] = add(outer);
    leaves[split.inner] = add({split.factor, split.factor});
    loops[whole].isMoved = moved.back();
    loops[whole].outer = leaves[split.outer];
    loops[whole].inner = leaves[split.inner];
  }
}

std::optional<int64_t> LoopTree::iterationsOf(const std::string &loop) const {
  return loops[leaves.at(loop)].iterations;
}

std::optional<int64_t> LoopTree::indicesWithin(const std::string &dimension, const std::string &at) const {
  std::vector<bool> isWithin(loops.size(), false);
  for (const OrderedLoop &loop : definition.loops) {
    if (loop.name == at)
      break;
    isWithin[leaves.at(loop.name)] = true;
  }
  return indicesOf(loops[roots.at(dimension)], isWithin);
}

std::optional<int64_t> LoopTree::indicesOf(const Loop &loop, const std::vector<bool> &isWithin) const {
  if (loop.isFused)
    return std::nullopt;
  if (loop.outer < 0)
    return isWithin[&loop - loops.data()] ? loop.extent.exact : 1;
  std::optional<int64_t> outer = indicesOf(loops[loop.outer], isWithin), inner = indicesOf(loops[loop.inner], isWithin);
  if (outer == 1)
    return loop.isMoved ? inner : std::nullopt;
  bool isWhole = outer && outer == loops[loop.outer].extent.exact && inner == loops[loop.inner].extent.exact;
  return isWhole ? loop.extent.exact : std::nullopt;
}

int64_t LoopTree::indicesOfSplits(const Definition &definition, const std::string &dimension) {
  int64_t indices = 1;
  std::string outermost = dimension;
  for (const LoopSplit &split : definition.splits)
    if (!split.fuses && split.loop == outermost) {
      indices *= split.factor;
      outermost = split.outer;
    }
  return indices;
}

Extents extentsOfTile(const LoopSchedule &loops, const Extents &chunk) {
  LoopTree tree(loops.result, chunk);
  Extents tile;
  for (const auto &[dimension, extent] : chunk) {
    std::optional<int64_t> exact = loops.at ? tree.indicesWithin(dimension, *loops.at) : extent.exact;
    tile[dimension] = {exact.value_or(1), exact, extent.most};
  }
  return tile;
}

} // namespace attnc::halide
