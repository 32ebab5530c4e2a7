//===- GraphLayout.h - layered layout of directed graphs ----------------------------------------------------------===//
//
// Layers from top to bottom (K. Sugiyama, S. Tagawa, M. Toda, "Methods for visual understanding of hierarchical system
// structures", 1981). The layer of a node follows the last layer of its predecessors. An edge over several layers has a
// dummy node in each layer between. Order and position within a layer follow the centres of the neighbours. A group is
// laid out first, and is then one box in the layout of its surroundings, so frames do not intersect other boxes.
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

/// Requires that each edge leads to a later node. `sizes` are widths and heights of the nodes.
GraphLayout layOut(const Graph &graph, const std::vector<std::pair<double, double>> &sizes);

} // namespace attnc
