//===- GraphLayout.h - layered layout of directed graphs ----------------------------------------------------------===//
//
// Layers from top to bottom (K. Sugiyama, S. Tagawa, M. Toda, "Methods for visual understanding of hierarchical system
// structures", 1981). The layer of a node follows the last layer of its predecessors. An edge over several layers has a
// dummy node in each layer in between. Order and position within a layer follow the centres of the neighbours in the
// adjacent layers. The content of a group is laid out first. The group is then one box in the layout around it, so its
// frame does not intersect other boxes. All lengths are in pixels, from the top left corner of the drawing.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Page/Graph.h"

namespace attnc {

/// A rectangle of the drawing.
struct GraphBox {
  double left = 0, top = 0, width = 0, height = 0;
  double centre() const { return left + width / 2; }
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

struct GraphLayout {
  double width = 0, height = 0;        ///< of the whole drawing, with a margin
  std::vector<GraphBox> nodes, groups; ///< one box for each node and each group of the graph, in their order
  /// For each edge of the graph, the points (x, y) of its line: from the bottom of the node `from`, through the gaps
  /// between boxes, to the top of the node `to`.
  std::vector<std::vector<std::pair<double, double>>> edges;
};

/// Computes the layout. Requires from < to for each edge. `sizes` has the width and height of each node.
GraphLayout layOut(const Graph &graph, const std::vector<std::pair<double, double>> &sizes);

} // namespace attnc
