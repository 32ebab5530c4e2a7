#include "tests/support/FakeCuda.h"
#include <dlfcn.h>

namespace attnc {

FakeCuda *findFakeCuda() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  auto *get = library ? reinterpret_cast<FakeCuda *(*)()>(dlsym(library, "attncFakeCuda")) : nullptr;
  return get ? get() : nullptr;
}

} // namespace attnc
