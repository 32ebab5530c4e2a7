//===- Graph.h - boxes and what flows between them ----------------------------------------------------------------===//
//
// Plain data that becomes SVG, for a page (HtmlPage.h). GraphLayout.h says where things come to lie.
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
  std::vector<std::string> lines = {}; ///< below the title
  std::string tooltip = {};
  std::optional<size_t> group = {}; ///< number of the innermost group that it is in
  unsigned series = 0;              ///< its colour
  bool isRound = false;             ///< what comes from outside or goes there
  std::string link = {};            ///< of a click: "#logits_gemm_0"; empty: none
};

/// A frame around nodes, such as those of a loop.
struct GraphGroup {
  std::string label;
  std::optional<size_t> within = {}; ///< number of the group around it, a smaller one
};

/// From a node to one behind it in the list.
struct GraphEdge {
  size_t from, to;
  std::string tooltip = {};
  double width = 1.5;
};

struct Graph {
  std::string label; ///< what it shows, for those who can't see it
  std::vector<GraphNode> nodes;
  std::vector<GraphGroup> groups;
  std::vector<GraphEdge> edges;
};

/// As large as it comes out, from top to bottom.
std::string svgOf(const Graph &graph);

} // namespace attnc
