#include "tools/attnc/Page/Graph.h"
#include "tools/attnc/Page/GraphLayout.h"
#include <gmock/gmock.h>

using namespace attnc;
using testing::HasSubstr;

static bool overlap(const GraphBox &a, const GraphBox &b) {
  return a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom();
}

static bool isInside(const GraphBox &inner, const GraphBox &outer) {
  return inner.left >= outer.left && inner.right() <= outer.right() && inner.top >= outer.top &&
         inner.bottom() <= outer.bottom();
}

/// x ─▶ [ norm ─▶ qkv ─▶ attend ─▶ add ] ─▶ logits, where x and qkv skip some layers, and a loop in the loop.
static Graph loopWithSkips() {
  Graph graph{"model", {{"x"}, {"norm"}, {"qkv"}, {"scan"}, {"attend"}, {"add"}, {"logits"}, {"alone"}}, {}, {}};
  graph.groups = {{"12 times"}, {"8 times", 0}};
  for (size_t node : {1, 2, 4, 5})
    graph.nodes[node].group = 0;
  graph.nodes[3].group = 1;
  graph.edges = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {2, 4}, {4, 5}, {0, 5}, {5, 6}, {0, 6}};
  return graph;
}

static std::vector<std::pair<double, double>> equalSizes(const Graph &graph) {
  return std::vector<std::pair<double, double>>(graph.nodes.size(), {100, 40});
}

TEST(GraphLayout, BoxesDoNotOverlap) {
  Graph graph = loopWithSkips();
  GraphLayout layout = layOut(graph, equalSizes(graph));
  for (size_t a = 0; a < graph.nodes.size(); ++a)
    for (size_t b = a + 1; b < graph.nodes.size(); ++b)
      EXPECT_FALSE(overlap(layout.nodes[a], layout.nodes[b])) << a << " and " << b;
}

TEST(GraphLayout, FramesHoldTheirNodesAndNoOthers) {
  Graph graph = loopWithSkips();
  GraphLayout layout = layOut(graph, equalSizes(graph));
  EXPECT_TRUE(isInside(layout.groups[1], layout.groups[0]));
  for (size_t node : {1, 2, 3, 4, 5})
    EXPECT_TRUE(isInside(layout.nodes[node], layout.groups[0])) << node;
  for (size_t node : {0, 6, 7})
    EXPECT_FALSE(overlap(layout.nodes[node], layout.groups[0])) << node;
  EXPECT_TRUE(isInside(layout.nodes[3], layout.groups[1]));
}

TEST(GraphLayout, EdgesLeadDownFromBoxToBox) {
  Graph graph = loopWithSkips();
  GraphLayout layout = layOut(graph, equalSizes(graph));
  for (size_t edge = 0; edge < graph.edges.size(); ++edge) {
    const auto &points = layout.edges[edge];
    EXPECT_EQ(points.front().second, layout.nodes[graph.edges[edge].from].bottom());
    EXPECT_EQ(points.back().second, layout.nodes[graph.edges[edge].to].top);
    for (size_t at = 1; at < points.size(); ++at)
      EXPECT_LE(points[at - 1].second, points[at].second) << "edge " << edge;
  }
}

TEST(GraphLayout, ALongEdgeGoesAroundWhatItSkips) {
  Graph graph{"skip", {{"a"}, {"b"}, {"c"}}, {}, {{0, 1}, {1, 2}, {0, 2}}};
  GraphLayout layout = layOut(graph, equalSizes(graph));
  for (auto [x, y] : layout.edges[2])
    if (y > layout.nodes[1].top - 1 && y < layout.nodes[1].bottom() + 1)
      EXPECT_TRUE(x < layout.nodes[1].left || x > layout.nodes[1].right());
}

TEST(GraphLayout, AnEdgeIntoAFrameGoesAroundWhatItSkipsThere) {
  Graph graph{"into", {{"a"}, {"b"}, {"c"}}, {{"twice"}}, {{0, 1}, {1, 2}, {0, 2}}};
  graph.nodes[1].group = graph.nodes[2].group = 0;
  GraphLayout layout = layOut(graph, equalSizes(graph));
  bool passes = false;
  for (auto [x, y] : layout.edges[2])
    if (y >= layout.nodes[1].top && y <= layout.nodes[1].bottom()) {
      EXPECT_TRUE(x < layout.nodes[1].left || x > layout.nodes[1].right());
      passes = true;
    }
  EXPECT_TRUE(passes);
}

TEST(GraphLayout, OfNothingIsEmpty) { EXPECT_TRUE(layOut(Graph{}, {}).nodes.empty()); }

TEST(Graph, DrawsBoxesFramesAndTooltips) {
  std::string svg = svgOf(loopWithSkips());
  EXPECT_THAT(svg, HasSubstr(">12 times</text>"));
  EXPECT_THAT(svg, HasSubstr("aria-label=\"attend\""));
}
