#include "tools/attnc/PinnedThreads.h"
#include <sched.h>

using namespace llvm;

namespace attnc {

void pinTo(int64_t threads) {
  cpu_set_t allowed, wanted;
  CPU_ZERO(&wanted);
  if (threads <= 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return;
  for (int processor = 0; processor < CPU_SETSIZE && CPU_COUNT(&wanted) < threads; ++processor)
    if (CPU_ISSET(processor, &allowed))
      CPU_SET(processor, &wanted);
  if (CPU_COUNT(&wanted) < threads || sched_setaffinity(0, sizeof wanted, &wanted) != 0)
    warn("threads are not pinned: there are fewer processors than threads, or the system does not allow it");
}

Error takeSizes(SourceOptions &source, const InvocationOptions &invocation) {
  for (StringRef text : invocation.dims) {
    auto [name, value] = text.split('=');
    int64_t size = 0;
    if (value.getAsInteger(10, size) || size < 1)
      return createStringError("--dim " + text + ": expected a size");
    source.compile.at.emplace_back(name.str(), size);
  }
  source.compile.at.emplace_back("workers", std::max<int64_t>(invocation.threads, 1));
  return Error::success();
}

} // namespace attnc
