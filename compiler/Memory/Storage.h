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

/// The bytes of one value, or of several that are merged.
struct Storage {
  std::string name; ///< for people: the ops that write it
  SizeExpr bytes;
  std::vector<LiveRange> liveRanges;
};

/// Storages by number. A number stays valid after a merge, and then refers to the merged storage.
class StorageTable {
public:
  /// Adds a storage that is live in steps first..last; returns its number.
  unsigned add(std::string name, SizeExpr bytes, unsigned first, unsigned last);
  /// Adds the live range first..last to a storage.
  void alsoLive(unsigned storage, unsigned first, unsigned last);
  /// The number of the representative of the storage that contains `storage` after merges.
  unsigned find(unsigned storage) const;
  const Storage &operator[](unsigned storage) const { return storages[find(storage)]; }

  /// Declares that `from` ends at `step`, where `to` starts and may take over its bytes.
  void declareHandover(unsigned from, unsigned to, unsigned step);
  /// Merges the two storages of each declared handover, in the order of declaration, if they have the same size and are
  /// live together only at steps of handovers between them.
  void mergeHandovers();

  /// The numbers of all storages after merges: of the representatives, ascending.
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
