//===- Graph.h - directed graphs as SVG ---------------------------------------------------------------------------===//
//
// Plain data that becomes SVG, for a page (HtmlPage.h). GraphLayout.h computes the layout.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

struct GraphNode {
  std::string title;
  std::vector<std::string> lines = {}; ///< text below the title
  std::string tooltip = {};
  std::optional<size_t> group = {}; ///< number of the innermost group around it
  unsigned series = 0;              ///< number of its colour
  bool isRound = false;             ///< round corners, for inputs, results and parameters
  std::string link = {};            ///< target of a click: "#logits_gemm_0"; empty: none
};

/// A frame around nodes, such as those of a loop.
struct GraphGroup {
  std::string label;
  std::optional<size_t> within = {}; ///< number of the enclosing group, which precedes it
};

/// An edge from a node to a later one in the list.
struct GraphEdge {
  size_t from, to;
  std::string tooltip = {};
  double width = 1.5;
};

struct Graph {
  std::string label; ///< description for screen readers
  std::vector<GraphNode> nodes;
  std::vector<GraphGroup> groups;
  std::vector<GraphEdge> edges;
};

/// Drawn from top to bottom, in the size of the layout.
std::string svgOf(const Graph &graph);

} // namespace attnc
