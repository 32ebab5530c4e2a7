//===- Graph.h - directed graphs as SVG ---------------------------------------------------------------------------===//
//
// Plain data that svgOf() turns into an <svg> element for an HTML page (HtmlPage.h). GraphLayout.h computes the layout.
// Texts are plain text, which svgOf() escapes.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// A box with text.
struct GraphNode {
  std::string title;
  std::vector<std::string> lines = {}; ///< text below the title
  std::string tooltip = {};
  std::optional<size_t> group = {}; ///< index in Graph::groups of the innermost group around it; null: none
  unsigned series = 0;              ///< number of its colour, modulo 8
  bool isRound = false;             ///< round corners, for inputs, results and parameters
  std::string link = {};            ///< target of a click: "#logits_gemm_0"; empty: none
};

/// A frame around nodes, such as those of a loop.
struct GraphGroup {
  std::string label;
  std::optional<size_t> within = {}; ///< index of the enclosing group, which precedes this one; null: none
};

/// An edge between two nodes, by their indices in Graph::nodes. Requires from < to.
struct GraphEdge {
  size_t from, to;
  std::string tooltip = {};
  double width = 1.5; ///< of the line, in pixels
};

struct Graph {
  std::string label; ///< description for screen readers
  std::vector<GraphNode> nodes;
  std::vector<GraphGroup> groups;
  std::vector<GraphEdge> edges;
};

/// A drawing whose edges lead from top to bottom, in the size of the layout.
std::string svgOf(const Graph &graph);

} // namespace attnc
