//===- Storage.h - live ranges that share memory ---------------------------------------------------------------===//
//
// A storage is some bytes with live ranges, closed spans of steps. Two storages become one where they meet in
// nothing but a step at which one hands its bytes over to the other. Storages that share no step can share a slot
// (Slots.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"
#include <string>
#include <vector>

namespace attnc {

/// Steps first..last, both included.
struct LiveRange {
  unsigned first, last;
  unsigned owner; ///< the storage it was added to
};

struct Storage {
  std::string name;
  SizeExpr bytes;
  std::vector<LiveRange> liveRanges;
};

class StorageTable {
public:
  unsigned add(std::string name, SizeExpr bytes, unsigned first, unsigned last);
  void alsoLive(unsigned storage, unsigned first, unsigned last);
  /// The number by which a storage goes after handovers.
  unsigned find(unsigned storage) const;
  const Storage &operator[](unsigned storage) const { return storages[find(storage)]; }

  /// Says that `from` ends at `step` where `to` begins, and that its bytes may become those of `to`.
  void declareHandover(unsigned from, unsigned to, unsigned step);
  /// Makes storages one, in the order of the declared handovers, where they have the same size and meet in nothing but
  /// steps of handovers between them.
  void mergeHandovers();

  /// The storages that stand for themselves.
  std::vector<unsigned> roots() const;

private:
  struct Handover {
    unsigned from, to, step;
  };
  bool mayMeet(const LiveRange &a, const LiveRange &b) const;
  bool merge(unsigned from, unsigned to);

  std::vector<Storage> storages;
  std::vector<Handover> handovers;
  std::vector<unsigned> mergedInto; ///< itself for one that stands for itself
};

} // namespace attnc
