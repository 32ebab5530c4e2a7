//===- Bpe.h - byte-pair encoding ---------------------------------------------------------------------------------===//
//
// A piece starts as the sequence of its characters, or of its bytes. The merge of least rank that applies to two
// adjacent symbols replaces them by one symbol, at the leftmost place where it applies, until no merge applies
// (Sennrich et al. 2016). Short pieces search all pairs for the least rank. Long pieces keep the pairs in a heap and
// the symbols in a doubly linked list, which takes O(n log n) for n symbols.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/tokenizer/Model.h"

namespace attnc::tokenizer {

/// The merge of each pair of tokens: a hash table with open addressing.
class MergeTable {
public:
  struct Merge {
    uint32_t rank;
    int32_t id;
  };
  static constexpr uint32_t noRank = UINT32_MAX;

  /// A table with room for `count` merges.
  explicit MergeTable(size_t count = 0);
  /// Sets the merge of a pair.
  void set(int32_t left, int32_t right, Merge merge);
  /// The merge of a pair; its rank is noRank if there is none.
  Merge find(int32_t left, int32_t right) const { return slots[slotOf(keyOf(left, right))].merge; }

private:
  struct Slot {
    uint64_t key = UINT64_MAX;
    Merge merge = {noRank, -1};
  };
  static uint64_t keyOf(int32_t left, int32_t right) { return uint64_t(uint32_t(left)) << 32 | uint32_t(right); }
  size_t slotOf(uint64_t key) const;

  std::vector<Slot> slots;
  unsigned shift;
};

class Bpe : public Model {
public:
  explicit Bpe(const JsonEntry &model);
  void encode(std::string_view piece, ModelMemory &memory, std::vector<int32_t> &ids) const override;
  bool useBytes() override;
  bool splitsAtSpaces() const override { return isSplitAtSpaces; }

private:
  void readMerges(const JsonEntry &list);
  bool hasMergesAcrossSpaces() const;
  int32_t symbolOf(std::string_view piece, size_t begin, size_t end) const;
  void appendSymbols(std::string_view piece, std::vector<int32_t> &ids) const;
  bool appendBytes(std::string_view text, std::vector<int32_t> &ids) const;
  void mergeFew(std::vector<int32_t> &ids, size_t first) const;
  void mergeMany(ModelMemory &memory, std::vector<int32_t> &ids, size_t first) const;
  int32_t wholeId(std::string_view piece) const;

  MergeTable merges;
  std::vector<int32_t> mergedIds; ///< the results of all merges
  std::string unknown, prefix, suffix;
  bool hasUnknown, isUnknownFused, ignoresMerges, takesBytes = false, isSplitAtSpaces = false;
  std::vector<int32_t> byteTokens;                      ///< for byte_fallback; empty without it
  std::vector<int32_t> byteSymbols;                     ///< of each byte, if the model takes bytes
  std::unordered_map<std::string, int32_t> wholePieces; ///< by bytes, if the model takes bytes and ignores merges
};

} // namespace attnc::tokenizer
