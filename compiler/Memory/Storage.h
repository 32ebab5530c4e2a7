//===- Storage.h - storages: bytes with live ranges, shared by handover -------------------------------------------===//
//
// A storage stands for the bytes of a value. Its live ranges are the closed intervals of steps (Steps.h) in which the
// bytes are needed. A handover at a step means that one value ends there, and that another value, which starts there,
// may take over its bytes. Two storages merge if they are live together only at steps of handovers between them.
// Storages with disjoint live ranges can share a slot (Slots.h).
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
  unsigned owner; ///< number of the storage to which the range was added, before merges
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
  /// Adds a storage that is live in steps first..last; returns its number. `name` is for people.
  unsigned add(std::string name, SizeExpr bytes, unsigned first, unsigned last);
  /// Adds the live range first..last to a storage.
  void alsoLive(unsigned storage, unsigned first, unsigned last);
  /// The representative of `storage`: the number that stands for the merged storage; `storage` itself before a merge.
  unsigned find(unsigned storage) const;
  const Storage &operator[](unsigned storage) const { return storages[find(storage)]; }

  /// Declares that storage `from` ends at `step`, where storage `to` starts and may take over its bytes.
  void declareHandover(unsigned from, unsigned to, unsigned step);
  /// Merges the two storages of each declared handover, in the order of declaration, if their sizes are equal
  /// expressions and if they are live together only at steps of handovers between them.
  void mergeHandovers();

  /// The representatives of all storages, ascending.
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
