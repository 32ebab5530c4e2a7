#include "compiler/Derive/Incremental/Reach.h"
#include <algorithm>

namespace attnc {

Reach Reach::after(Reach inner) const {
  if (isNothing() || inner.isNothing())
    return nothing();
  if (!isWindow() || !inner.isWindow())
    return join(inner);
  return Reach(before > unbounded - inner.before ? unbounded : before + inner.before);
}

std::string Reach::text() const {
  if (isNothing())
    return "nothing";
  if (isMixing())
    return "mixing";
  if (!isWindow())
    return "causal";
  return before == 0 ? "pointwise" : "window(" + std::to_string(before) + ")";
}

} // namespace attnc
