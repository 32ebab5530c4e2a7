//===- GraphLayout.h - where the boxes of a graph lie -------------------------------------------------------------===//
//
// Layers from top to bottom, as by K. Sugiyama, S. Tagawa, M. Toda, "Methods for visual understanding of hierarchical
// system structures", 1981: a node lies in the layer behind the last of those that it reads; an edge over several
// layers passes through a place of its own in each; within a layer, order and place follow the neighbours' centres.
// The inside of a group is laid out first and is then one box of what is around it, so frames never cut through
// anything.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Page/Graph.h"

namespace attnc {

struct GraphBox {
  double left = 0, top = 0, width = 0, height = 0;
  double centre() const { return left + width / 2; }
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

struct GraphLayout {
  double width = 0, height = 0;
  std::vector<GraphBox> nodes, groups;
  /// Points of each edge, from the bottom of its first node to the top of its last one.
  std::vector<std::vector<std::pair<double, double>>> edges;
};

/// Edges lead from nodes to later ones; `sizes` are widths and heights of the nodes.
GraphLayout layOut(const Graph &graph, const std::vector<std::pair<double, double>> &sizes);

} // namespace attnc
