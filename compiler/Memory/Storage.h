//===- Storage.h - storages: bytes with live ranges, shared by handover -------------------------------------------===//
//
// A storage is a number of bytes with live ranges, which are closed intervals of ops (steps). Two storages merge if
// they are live together only at steps where one hands its bytes over to the other. Storages with disjoint live ranges
// can share a slot (Slots.h).
//
//===--------------------------------------------------------------------------------------------------------------===//
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
  /// The number of a storage after merges.
  unsigned find(unsigned storage) const;
  const Storage &operator[](unsigned storage) const { return storages[find(storage)]; }

  /// Declares that `from` ends at `step`, where `to` starts and may take over its bytes.
  void declareHandover(unsigned from, unsigned to, unsigned step);
  /// Merges storages in the order of the declared handovers, if they have the same size and are live together only at
  /// steps of handovers between them.
  void mergeHandovers();

  /// The representatives of merged storages.
  std::vector<unsigned> roots() const;

private:
  struct Handover {
    unsigned from, to, step;
  };
  bool mayMeet(const LiveRange &a, const LiveRange &b) const;
  bool merge(unsigned from, unsigned to);

  std::vector<Storage> storages;
  std::vector<Handover> handovers;
  std::vector<unsigned> mergedInto; ///< the storage itself for a representative
};

} // namespace attnc
