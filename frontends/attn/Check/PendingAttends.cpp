#include "frontends/attn/Check/PendingAttends.h"

namespace attnc::check {

using namespace typed;

const PendingAttend &PendingAttends::add(PendingAttend attend) {
  Free free;
  for (ExprRef part : {attend.score, attend.mask, attend.weight, attend.value, attend.sink})
    if (part)
      free.add(build.freeOf(part));
  for (const Index *index : attend.keys)
    free.indices.erase(build.numberOf(index));
  free.scalars.erase(attend.weightIn);
  for (const Index *index : attend.summed)
    free.indices.insert(build.numberOf(index));
  const PendingAttend &pending = pendings.emplace_back(std::move(attend));
  for (const Local *yield : pending.yields) {
    build.makeOpen(yield, free);
    byYield[yield] = &pending;
  }
  return pending;
}

} // namespace attnc::check
