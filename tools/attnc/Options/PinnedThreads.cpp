#include "tools/attnc/Options/PinnedThreads.h"
#include <sched.h>
#include <unistd.h>

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

/// The number of processors that this process may use.
static int64_t processors() {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : sysconf(_SC_NPROCESSORS_ONLN);
}

Error takeSizes(SourceOptions &source, InvocationOptions &invocation, int64_t least) {
  NamedSizes &sizes = source.compile.at;
  if (!sizes.empty())
    return createStringError("--at has no effect: --dim gives the sizes of calls and of memory plans");
  if (invocation.threads < 0)
    return createStringError("--threads " + Twine(invocation.threads) + ": expected a number from 0");
  if (invocation.threads == 0)
    invocation.threads = processors();
  for (StringRef text : invocation.dims) {
    auto [name, value] = text.split('=');
    int64_t size = 0;
    if (value.getAsInteger(10, size) || size < least)
      return createStringError("--dim " + text + ": expected a size from " + Twine(least));
    if (any_of(sizes, [&](const auto &said) { return said.first == name; }))
      return createStringError("--dim " + text + ": the size of " + name + " is given twice");
    sizes.emplace_back(name.str(), size);
  }
  sizes.emplace_back("workers", invocation.threads);
  return Error::success();
}

} // namespace attnc
