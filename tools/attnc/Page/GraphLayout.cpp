#include "tools/attnc/Page/GraphLayout.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numeric>

namespace attnc {

namespace {

constexpr double gapAcross = 24, gapDown = 36, margin = 14, labelHeight = 20;

/// A node, a group, or a dummy node of an edge over several layers.
struct Item {
  enum class Kind { Node, Group, Bend } kind;
  size_t number;
  double width, height;
  size_t layer = 0;
  double left = 0, top = 0;
  std::vector<size_t> above = {}, below = {}; ///< items in the adjacent layers
  double centre() const { return left + width / 2; }
};

/// Lays out the nodes and groups directly inside of one group, or outside of all groups.
class Level {
public:
  Level(const Graph &graph, std::optional<size_t> group) : graph(graph), group(group) {}

  void add(Item item) {
    itemOf[{item.kind, item.number}] = items.size();
    items.push_back(std::move(item));
  }
  void placeItems();
  void connect(size_t edge);

  std::vector<Item> items;
  std::map<size_t, std::pair<std::optional<size_t>, std::optional<size_t>>> edges; ///< null: outside
  double width = 0, height = 0;

private:
  /// The item of this level that is a node or contains it; null if the node is elsewhere.
  std::optional<size_t> itemWith(size_t node) const;
  void fillLayers();
  void link(std::optional<size_t> from, size_t to);
  void order(bool downwards);
  void align(bool downwards);
  void spread(std::vector<size_t> &layer);
  double wished(const Item &item, bool downwards) const;
  void placeLayers();

  const Graph &graph;
  std::optional<size_t> group;
  std::map<std::pair<Item::Kind, size_t>, size_t> itemOf;
  std::vector<std::vector<size_t>> layers;
};

} // namespace

std::optional<size_t> Level::itemWith(size_t node) const {
  std::optional<size_t> around = graph.nodes[node].group;
  if (around == group)
    return itemOf.at({Item::Kind::Node, node});
  while (around && graph.groups[*around].within != group)
    around = graph.groups[*around].within;
  return around ? std::optional(itemOf.at({Item::Kind::Group, *around})) : std::nullopt;
}

/// Called in the order of the edges' ends, so that the layer of an edge's start is final.
void Level::connect(size_t edge) {
  std::optional<size_t> from = itemWith(graph.edges[edge].from), to = itemWith(graph.edges[edge].to);
  if (from == to)
    return;
  if (from && to)
    items[*to].layer = std::max(items[*to].layer, items[*from].layer + 1);
  edges[edge] = {from, to};
}

/// Adds dummy items for edges in the layers between their ends. An edge from outside passes all layers before its end,
/// and an edge to the outside all layers after its beginning.
void Level::fillLayers() {
  size_t layerCount = 0;
  for (const Item &item : items)
    layerCount = std::max(layerCount, item.layer + 1);
  for (auto [edge, ends] : edges) {
    auto [from, to] = ends;
    size_t end = to ? items[*to].layer : layerCount;
    std::optional<size_t> last = from;
    for (size_t layer = from ? items[*from].layer + 1 : 0; layer < end; ++layer) {
      items.push_back({Item::Kind::Bend, edge, 2, 0, layer});
      link(last, items.size() - 1);
      last = items.size() - 1;
    }
    if (to)
      link(last, *to);
  }
  layers.resize(layerCount);
  for (size_t item = 0; item < items.size(); ++item)
    layers[items[item].layer].push_back(item);
}

void Level::link(std::optional<size_t> from, size_t to) {
  if (!from)
    return;
  items[*from].below.push_back(to);
  items[to].above.push_back(*from);
}

/// The best centre of an item: the mean of those of its neighbours in the previous layer.
double Level::wished(const Item &item, bool downwards) const {
  const std::vector<size_t> &neighbours = downwards ? item.above : item.below;
  if (neighbours.empty())
    return item.centre();
  double sum = 0;
  for (size_t neighbour : neighbours)
    sum += items[neighbour].centre();
  return sum / double(neighbours.size());
}

/// Places the items of a layer next to each other, in their order.
void Level::spread(std::vector<size_t> &layer) {
  for (double left = 0; size_t item : layer) {
    items[item].left = left;
    left += items[item].width + gapAcross;
  }
}

void Level::order(bool downwards) {
  for (size_t step = 0; step < layers.size(); ++step) {
    std::vector<size_t> &layer = layers[downwards ? step : layers.size() - 1 - step];
    llvm::sort(layer, [&](size_t a, size_t b) {
      return std::pair(wished(items[a], downwards), items[a].left) <
             std::pair(wished(items[b], downwards), items[b].left);
    });
    spread(layer);
  }
}

/// Moves items towards their neighbours without changing their order.
void Level::align(bool downwards) {
  for (size_t step = 0; step < layers.size(); ++step) {
    std::vector<size_t> &layer = layers[downwards ? step : layers.size() - 1 - step];
    double free = -1e9, moved = 0;
    std::vector<double> wishes;
    for (size_t item : layer)
      wishes.push_back(wished(items[item], downwards) - items[item].width / 2);
    for (size_t at = 0; at < layer.size(); ++at) {
      Item &item = items[layer[at]];
      item.left = std::max(wishes[at], free);
      free = item.left + item.width + gapAcross;
      moved += item.left - wishes[at];
    }
    for (size_t item : layer) // centres the layer around the preferred positions
      items[item].left -= moved / double(layer.size());
  }
}

void Level::placeLayers() {
  double top = 0, least = HUGE_VAL, most = 0;
  for (std::vector<size_t> &layer : layers) {
    double tallest = 0;
    for (size_t item : layer)
      tallest = std::max(tallest, items[item].height);
    for (size_t item : layer) {
      items[item].top = top;
      if (items[item].kind == Item::Kind::Bend)
        items[item].height = tallest; // the edge is a straight line beside the boxes of the layer
      least = std::min(least, items[item].left);
    }
    top += tallest + gapDown;
  }
  for (Item &item : items) {
    item.left -= least;
    most = std::max(most, item.left + item.width);
  }
  width = most;
  height = std::max(top - gapDown, 0.0);
}

void Level::placeItems() {
  fillLayers();
  for (std::vector<size_t> &layer : layers)
    spread(layer);
  for (int sweep = 0; sweep < 4; ++sweep)
    order(sweep % 2 == 0);
  for (int sweep = 0; sweep < 6; ++sweep)
    align(sweep % 2 == 0);
  placeLayers();
}

namespace {

/// Lays out all levels from the innermost groups outwards, then assigns positions from the outermost level inwards.
class Layouter {
public:
  Layouter(const Graph &graph, const std::vector<std::pair<double, double>> &sizes) : graph(graph), sizes(sizes) {}

  GraphLayout layOut() {
    result.nodes.resize(graph.nodes.size());
    result.groups.resize(graph.groups.size());
    result.edges.resize(graph.edges.size());
    order.resize(graph.edges.size());
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order,
               [&](size_t a, size_t b) { return std::pair(graph.edges[a].to, a) < std::pair(graph.edges[b].to, b); });
    Level &outermost = layOutLevel(std::nullopt);
    result.width = outermost.width + 2 * margin;
    result.height = outermost.height + 2 * margin;
    place(outermost, margin, margin);
    for (size_t edge = 0; edge < graph.edges.size(); ++edge)
      drawEdge(edge);
    return std::move(result);
  }

private:
  size_t firstNode(size_t group) const;
  Level &layOutLevel(std::optional<size_t> group);
  void place(const Level &level, double left, double top);
  void drawEdge(size_t edge);

  const Graph &graph;
  const std::vector<std::pair<double, double>> &sizes;
  std::vector<size_t> order; ///< edges by the number of their last node
  std::map<std::optional<size_t>, Level> levels;
  std::map<size_t, std::vector<GraphBox>> bends; ///< by edge
  GraphLayout result;
};

} // namespace

/// The number of the first node in a group; the number of nodes for an empty group.
size_t Layouter::firstNode(size_t group) const {
  for (size_t node = 0; node < graph.nodes.size(); ++node)
    for (std::optional<size_t> around = graph.nodes[node].group; around; around = graph.groups[*around].within)
      if (around == group)
        return node;
  return graph.nodes.size();
}

Level &Layouter::layOutLevel(std::optional<size_t> group) {
  std::vector<std::pair<size_t, Item>> inside; // in the order of nodes
  for (size_t node = 0; node < graph.nodes.size(); ++node)
    if (graph.nodes[node].group == group)
      inside.push_back({node, {Item::Kind::Node, node, sizes[node].first, sizes[node].second}});
  for (size_t each = 0; each < graph.groups.size(); ++each)
    if (graph.groups[each].within == group && each != group) {
      const Level &level = layOutLevel(each);
      inside.push_back({firstNode(each),
                        {Item::Kind::Group, each, level.width + 2 * margin, level.height + 2 * margin + labelHeight}});
    }
  llvm::sort(inside, [](const auto &a, const auto &b) { return a.first < b.first; });
  Level &level = levels.try_emplace(group, graph, group).first->second;
  for (auto &[first, item] : inside)
    level.add(std::move(item));
  for (size_t edge : order)
    level.connect(edge);
  level.placeItems();
  return level;
}

void Layouter::place(const Level &level, double left, double top) {
  for (const Item &item : level.items) {
    GraphBox box{left + item.left, top + item.top, item.width, item.height};
    if (item.kind == Item::Kind::Node)
      result.nodes[item.number] = box;
    if (item.kind == Item::Kind::Bend)
      bends[item.number].push_back(box);
    if (item.kind != Item::Kind::Group)
      continue;
    result.groups[item.number] = box;
    place(levels.at(item.number), box.left + margin, box.top + margin + labelHeight);
  }
}

void Layouter::drawEdge(size_t edge) {
  const GraphBox &from = result.nodes[graph.edges[edge].from], &to = result.nodes[graph.edges[edge].to];
  std::vector<std::pair<double, double>> &points = result.edges[edge];
  points.push_back({from.centre(), from.bottom()});
  std::vector<GraphBox> &passed = bends[edge];
  llvm::sort(passed, [](const GraphBox &a, const GraphBox &b) { return a.top < b.top; });
  for (const GraphBox &bend : passed) {
    points.push_back({bend.centre(), bend.top});
    points.push_back({bend.centre(), bend.bottom()});
  }
  points.push_back({to.centre(), to.top});
}

GraphLayout layOut(const Graph &graph, const std::vector<std::pair<double, double>> &sizes) {
  assert(sizes.size() == graph.nodes.size() && "a size for each node");
  return Layouter(graph, sizes).layOut();
}

} // namespace attnc
