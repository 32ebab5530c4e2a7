#include "frontends/tokenizer/Trie.h"

#include <algorithm>

namespace attnc::tokenizer {

static constexpr size_t byteValues = 256;

/// Places the nodes of a trie, parents before children.
class Trie::Builder {
public:
  Builder(const Entries &entries, std::vector<Node> &nodes) : entries(entries), nodes(nodes) {}
  void build();

private:
  /// Entries [begin, end) have the same first `depth` bytes, which lead to `node`.
  struct Subtree {
    size_t begin, end, depth;
    int32_t node;
  };
  void place(const Subtree &tree);
  int32_t freeBase(const std::vector<Subtree> &children);
  bool isFree(size_t node) const { return nodes[node].check == none; }
  uint8_t byteOf(const Subtree &child) const { return uint8_t(entries[child.begin].first[child.depth - 1]); }

  const Entries &entries;
  std::vector<Node> &nodes;
  std::vector<Subtree> open;
  size_t firstCandidate = 1; ///< most nodes before this one are occupied
};

void Trie::Builder::build() {
  nodes.assign(2 * byteValues, {});
  nodes[root].check = root;
  open.push_back({0, entries.size(), 0, root});
  while (!open.empty()) {
    Subtree tree = open.back();
    open.pop_back();
    place(tree);
  }
  // child() reads up to 255 nodes behind the largest base.
  nodes.resize(nodes.size() + byteValues);
}

void Trie::Builder::place(const Subtree &tree) {
  std::vector<Subtree> children;
  for (size_t entry = tree.begin; entry < tree.end; ++entry) {
    std::string_view text = entries[entry].first;
    if (text.size() == tree.depth)
      nodes[size_t(tree.node)].value = entries[entry].second;
    else if (children.empty() || byteOf(children.back()) != uint8_t(text[tree.depth]))
      children.push_back({entry, entry + 1, tree.depth + 1, none});
    else
      children.back().end = entry + 1;
  }
  if (children.empty())
    return;
  int32_t base = freeBase(children);
  nodes[size_t(tree.node)].base = base;
  for (Subtree &child : children) {
    child.node = base + byteOf(child);
    nodes[size_t(child.node)].check = tree.node;
    open.push_back(child);
  }
}

/// The least base at which all children have free nodes, from `firstCandidate` on.
int32_t Trie::Builder::freeBase(const std::vector<Subtree> &children) {
  size_t first = byteOf(children.front()), occupied = 0;
  for (size_t node = std::max(first + 1, firstCandidate);; ++node) {
    if (nodes.size() < node + byteValues)
      nodes.resize(nodes.size() * 2);
    if (!isFree(node)) {
      ++occupied;
      continue;
    }
    size_t base = node - first;
    bool fits = std::ranges::all_of(children, [&](const Subtree &child) { return isFree(base + byteOf(child)); });
    if (!fits)
      continue;
    size_t start = std::max(first + 1, firstCandidate);
    if (occupied * 20 >= (node - start + 1) * 19)
      firstCandidate = std::max(firstCandidate, node);
    return int32_t(base);
  }
}

Trie::Trie(Entries entries) {
  std::ranges::sort(entries);
  Builder(entries, nodes).build();
}

int32_t Trie::descend(int32_t node, std::string_view text) const {
  for (size_t at = 0; at < text.size() && node != none; ++at)
    node = child(node, text[at]);
  return node;
}

} // namespace attnc::tokenizer
