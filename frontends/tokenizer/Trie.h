//===- Trie.h - a trie of byte strings in a double array ----------------------------------------------------------===//
//
// Node n has a child for byte b if check[base[n] + b] == n; the child is then node base[n] + b (Aoe 1989). A search
// takes one step for each byte, whatever the number of strings.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace attnc::tokenizer {

class Trie {
public:
  using Entries = std::vector<std::pair<std::string_view, int32_t>>;
  static constexpr int32_t root = 0, none = -1;

  Trie() : Trie(Entries()) {}
  /// A trie of nonempty strings, each with a value from 0 up. The largest value of a string that occurs twice counts.
  explicit Trie(Entries entries);

  /// The child of a node for a byte, or `none`.
  int32_t child(int32_t node, char byte) const {
    int32_t child = nodes[size_t(node)].base + uint8_t(byte);
    return nodes[size_t(child)].check == node ? child : none;
  }
  /// The node for `text` below `node`, or `none`.
  int32_t descend(int32_t node, std::string_view text) const;
  /// The value of the string that ends at a node, or `none`.
  int32_t value(int32_t node) const { return nodes[size_t(node)].value; }

private:
  struct Node {
    int32_t base = 1, check = none, value = none;
  };
  class Builder;
  std::vector<Node> nodes;
};

} // namespace attnc::tokenizer
