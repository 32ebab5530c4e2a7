#include "tools/attnc/Page/Graph.h"
#include "tools/attnc/Page/GraphLayout.h"
#include "tools/attnc/Page/HtmlPage.h"
#include <algorithm>
#include <fmt/format.h>

namespace attnc {

static constexpr double lineHeight = 16, letterWidth = 7.2, padding = 10;

static std::pair<double, double> sizeOf(const GraphNode &node) {
  size_t longest = node.title.size();
  for (const std::string &line : node.lines)
    longest = std::max(longest, line.size());
  return {double(longest) * letterWidth + 2 * padding, double(node.lines.size() + 1) * lineHeight + padding};
}

static std::string drawingOf(const GraphNode &node, const GraphBox &box) {
  std::string text = fmt::format(
      "<g class=\"series-{}\" aria-label=\"{}\"><title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
      "height=\"{:.1f}\" rx=\"{}\"/><text class=\"title\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
      node.series % 8, escaped(node.title), escaped(node.tooltip), box.left, box.top, box.width, box.height,
      node.isRound ? box.height / 2 : 3, box.centre(), box.top + lineHeight, escaped(node.title));
  for (size_t line = 0; line < node.lines.size(); ++line)
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", box.centre(),
                        box.top + lineHeight * double(line + 2), escaped(node.lines[line]));
  text += "</g>\n";
  return node.link.empty() ? text : fmt::format("<a href=\"{}\">{}</a>", escaped(node.link), text);
}

static std::string drawingOf(const GraphGroup &group, const GraphBox &box) {
  return fmt::format("<g class=\"group\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"6\"/>"
                     "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n",
                     box.left, box.top, box.width, box.height, box.left + 10, box.top + lineHeight,
                     escaped(group.label));
}

/// A smooth curve down through the points.
static std::string drawingOf(const GraphEdge &edge, const std::vector<std::pair<double, double>> &points) {
  std::string path = fmt::format("M{:.1f} {:.1f}", points[0].first, points[0].second);
  for (size_t at = 1; at < points.size(); ++at) {
    auto [x, y] = points[at];
    double halfway = (points[at - 1].second + y) / 2;
    path += fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", points[at - 1].first, halfway, x, halfway, x, y);
  }
  return fmt::format("<path stroke-width=\"{:.1f}\" d=\"{}\" marker-end=\"url(#arrow)\"><title>{}</title></path>\n",
                     edge.width, path, escaped(edge.tooltip));
}

std::string svgOf(const Graph &graph) {
  std::vector<std::pair<double, double>> sizes;
  for (const GraphNode &node : graph.nodes)
    sizes.push_back(sizeOf(node));
  GraphLayout layout = layOut(graph, sizes);
  std::string text = fmt::format(
      "<svg class=\"graph\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" "
      "aria-label=\"{2}\">\n<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
      "markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n",
      layout.width, layout.height, escaped(graph.label));
  for (size_t group = 0; group < graph.groups.size(); ++group)
    text += drawingOf(graph.groups[group], layout.groups[group]);
  for (size_t edge = 0; edge < graph.edges.size(); ++edge)
    text += drawingOf(graph.edges[edge], layout.edges[edge]);
  for (size_t node = 0; node < graph.nodes.size(); ++node)
    text += drawingOf(graph.nodes[node], layout.nodes[node]);
  return text + "</svg>\n";
}

} // namespace attnc
