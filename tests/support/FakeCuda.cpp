// The fake library: entry points of the driver, and the address of its state.
#include "tests/support/FakeCuda.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>

using attnc::FakeCuda;

namespace {

struct Launch {
  std::string kernel;
  int64_t blocks, threads, blockBytes;
  std::vector<uint64_t> parameters;
};

/// A graph is a list: each launch depends on the one added before it.
struct Graph {
  std::vector<std::unique_ptr<Launch>> launches;
};

struct KernelParameters { // CUDA_KERNEL_NODE_PARAMS_v1
  void *function;
  unsigned blocks[3], threads[3];
  unsigned sharedBytes;
  void **parameters, **options;
};

FakeCuda state;
std::vector<std::function<int()>> stream; // operations that wait
std::set<std::pair<const char *, size_t>> locked;
std::string code;               // PTX of the loaded module
std::vector<std::string> found; // its functions, by handle - 1
std::map<unsigned long long, int64_t> allocations;
std::map<std::string, int> allowed; // limits of dynamic shared memory by function, in bytes

int enter(const char *name) {
  ++state.calls[name];
  if (++state.numCalls == state.failing)
    return state.lastFailed = name, 999;
  auto failure = state.failures.find(name);
  return failure == state.failures.end() ? 0 : failure->second;
}

/// True if an attribute of the function allows the launch's dynamic shared memory.
bool isAllowed(const Launch &launch) { return launch.blockBytes == 0 || launch.blockBytes <= allowed[launch.kernel]; }

/// Creates an object, unless the call fails.
int make(const char *name, const char *kind) {
  int error = enter(name);
  state.alive[kind] += error ? 0 : 1;
  return error;
}
/// Frees an object, even if the call fails.
int end(const char *name, const char *kind) {
  --state.alive[kind];
  return enter(name);
}

int runAll() {
  int error = 0;
  for (const auto &each : stream)
    error = error ? error : each();
  stream.clear();
  return error;
}

char *memory(unsigned long long address) { return reinterpret_cast<char *>(address); }

bool isLocked(const void *address, size_t bytes) {
  auto *begin = static_cast<const char *>(address);
  for (auto [first, size] : locked)
    if (begin >= first && begin + bytes <= first + size)
      return true;
  return false;
}

/// Returns the number of parameters in the PTX of a kernel.
size_t numParameters(const std::string &kernel) {
  size_t at = code.find(".entry " + kernel + "("), end = code.find(')', at), count = 0;
  while ((at = code.find(".param ", at + 1)) < end)
    ++count;
  return count;
}

Launch launchOf(void *function, unsigned blocks, unsigned threads, unsigned blockBytes, void **parameters) {
  Launch launch{found[reinterpret_cast<size_t>(function) - 1], blocks, threads, blockBytes, {}};
  for (size_t number = 0, count = numParameters(launch.kernel); number < count; ++number) {
    uint64_t word;
    std::memcpy(&word, parameters[number], sizeof word);
    launch.parameters.push_back(word);
  }
  return launch;
}

Launch launchOf(const KernelParameters &all) {
  return launchOf(all.function, all.blocks[0], all.threads[0], all.sharedBytes, all.parameters);
}

int runLaunch(const Launch &each) {
  return state.run(each.kernel, each.blocks, each.threads, each.blockBytes, each.parameters);
}

} // namespace

extern "C" {

FakeCuda *attncFakeCuda() { return &state; }

int cuInit(unsigned) { return enter("cuInit"); }

int cuGetErrorName(int error, const char **name) {
  static const std::map<int, const char *> names = {
      {2, "CUDA_ERROR_OUT_OF_MEMORY"}, {719, "CUDA_ERROR_LAUNCH_FAILED"}, {999, "CUDA_ERROR_UNKNOWN"}};
  auto known = names.find(error);
  *name = known == names.end() ? nullptr : known->second;
  return known == names.end();
}

int cuDriverGetVersion(int *version) { return *version = 13010, enter("cuDriverGetVersion"); }
int cuDeviceGetCount(int *count) { return *count = state.devices, enter("cuDeviceGetCount"); }
int cuDeviceGet(int *device, int number) { return *device = number, enter("cuDeviceGet"); }
int cuDeviceGetName(char *name, int length, int device) {
  std::string text = "Fake " + std::to_string(device);
  return std::strncpy(name, text.c_str(), static_cast<size_t>(length)), enter("cuDeviceGetName");
}
int cuDeviceTotalMem_v2(size_t *bytes, int) { return *bytes = size_t(1) << 34, enter("cuDeviceTotalMem_v2"); }
int cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 75   ? state.capability / 10
           : attribute == 76 ? state.capability % 10
           : attribute == 97 ? state.blockBytes
                             : 132;
  return enter("cuDeviceGetAttribute");
}

int cuDevicePrimaryCtxRetain(void **context, int) {
  return *context = &state, make("cuDevicePrimaryCtxRetain", "context");
}
int cuDevicePrimaryCtxRelease_v2(int) { return end("cuDevicePrimaryCtxRelease_v2", "context"); }
int cuCtxPushCurrent_v2(void *) { return make("cuCtxPushCurrent_v2", "current context"); }
int cuCtxPopCurrent_v2(void **context) { return *context = &state, end("cuCtxPopCurrent_v2", "current context"); }

int cuStreamCreate(void **made, unsigned) { return *made = &stream, make("cuStreamCreate", "stream"); }
int cuStreamDestroy_v2(void *) { return end("cuStreamDestroy_v2", "stream"); }
int cuStreamSynchronize(void *) {
  int error = enter("cuStreamSynchronize"), failed = runAll();
  return error ? error : failed;
}

int cuModuleLoadData(void **module, const void *image) {
  code = static_cast<const char *>(image);
  int major = 0, minor = 0;
  std::sscanf(code.c_str() + code.find(".version"), ".version %d.%d", &major, &minor);
  if (10 * major + minor > state.ptxVersion)
    return 222; // unsupported version
  return *module = &code, make("cuModuleLoadData", "module");
}
int cuModuleUnload(void *) { return end("cuModuleUnload", "module"); }
int cuModuleGetFunction(void **function, void *, const char *name) {
  if (code.find(std::string(".entry ") + name + "(") == std::string::npos)
    return 500; // not found
  found.push_back(name);
  *function = reinterpret_cast<void *>(found.size());
  return enter("cuModuleGetFunction");
}

int cuFuncGetAttribute(int *value, int attribute, void *) {
  return *value = attribute == 1 ? state.ownBlockBytes : -1, enter("cuFuncGetAttribute");
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  if (attribute != 8 || value > state.blockBytes)
    return 1; // invalid value
  allowed[found[reinterpret_cast<size_t>(function) - 1]] = value;
  return enter("cuFuncSetAttribute");
}

static void *allocate(size_t bytes) {
  size_t whole = (bytes + 255) / 256 * 256;
  return std::memset(std::aligned_alloc(256, whole), 0xff, whole); // NaN
}

int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
  if (bytes == 0)
    return 1; // invalid value
  int error = make("cuMemAlloc_v2", "memory");
  if (!error) {
    *address = reinterpret_cast<unsigned long long>(allocate(bytes));
    allocations[*address] = bytes;
    state.bytes["memory"] += int64_t(bytes);
  }
  return error;
}
int cuMemFree_v2(unsigned long long address) {
  runAll();
  state.bytes["memory"] -= allocations.extract(address).mapped();
  std::free(memory(address));
  return end("cuMemFree_v2", "memory");
}
int cuMemHostAlloc(void **address, size_t bytes, unsigned) {
  int error = make("cuMemHostAlloc", "host memory");
  if (!error) {
    *address = allocate(bytes);
    locked.emplace(static_cast<char *>(*address), bytes);
  }
  return error;
}
int cuMemFreeHost(void *address) {
  runAll();
  std::erase_if(locked, [&](const auto &each) { return each.first == address; });
  std::free(address);
  return end("cuMemFreeHost", "host memory");
}

int cuMemsetD8Async(unsigned long long to, unsigned char value, size_t bytes, void *) {
  int error = enter("cuMemsetD8Async");
  if (!error)
    stream.emplace_back([=] { return std::memset(memory(to), value, bytes), 0; });
  return error;
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes, void *) {
  int error = enter("cuMemcpyHtoDAsync_v2");
  state.bytes["cuMemcpyHtoDAsync_v2"] += int64_t(bytes);
  if (error)
    return error;
  if (isLocked(from, bytes)) {
    stream.emplace_back([=] { return std::memcpy(memory(to), from, bytes), 0; });
    return 0;
  }
  auto *begin = static_cast<const char *>(from);
  stream.emplace_back([to, held = std::vector<char>(begin, begin + bytes)] {
    return std::memcpy(memory(to), held.data(), held.size()), 0;
  });
  return 0;
}
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, void *) {
  int error = enter("cuMemcpyDtoHAsync_v2");
  state.bytes["cuMemcpyDtoHAsync_v2"] += int64_t(bytes);
  if (error)
    return error;
  stream.emplace_back([=] { return std::memcpy(to, memory(from), bytes), 0; });
  return isLocked(to, bytes) ? 0 : runAll();
}
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes, void *) {
  int error = enter("cuMemcpyDtoDAsync_v2");
  if (!error)
    stream.emplace_back([=] { return std::memcpy(memory(to), memory(from), bytes), 0; });
  return error;
}

int cuLaunchKernel(void *function, unsigned x, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                   unsigned blockBytes, void *, void **parameters, void **) {
  int error = enter("cuLaunchKernel");
  Launch launch = launchOf(function, x, threads, blockBytes, parameters);
  if (error || !isAllowed(launch))
    return error ? error : 1; // invalid value
  stream.emplace_back([launch] { return runLaunch(launch); });
  return 0;
}

int cuGraphCreate(void **graph, unsigned) {
  int error = make("cuGraphCreate", "graph");
  *graph = error ? nullptr : new Graph;
  return error;
}
int cuGraphDestroy(void *graph) {
  delete static_cast<Graph *>(graph);
  return end("cuGraphDestroy", "graph");
}
int cuGraphAddKernelNode(void **node, void *graph, void *const *before, size_t count, const KernelParameters *all) {
  int error = enter("cuGraphAddKernelNode");
  auto &launches = static_cast<Graph *>(graph)->launches;
  if (error || count != (launches.empty() ? 0 : 1) || (count == 1 && *before != launches.back().get()))
    return error ? error : 1; // invalid value: this fake supports only lists
  launches.push_back(std::make_unique<Launch>(launchOf(*all)));
  if (!isAllowed(*launches.back()))
    return 1;
  *node = launches.back().get();
  return 0;
}
/// An executable graph has copies of the graph's launches, by node.
int cuGraphInstantiateWithFlags(void **made, void *graph, unsigned long long) {
  int error = make("cuGraphInstantiateWithFlags", "executable");
  if (error)
    return error;
  auto *executable = new std::vector<std::pair<void *, Launch>>;
  for (const auto &each : static_cast<Graph *>(graph)->launches)
    executable->emplace_back(each.get(), *each);
  *made = executable;
  return 0;
}
int cuGraphExecKernelNodeSetParams(void *executable, void *node, const KernelParameters *all) {
  int error = enter("cuGraphExecKernelNodeSetParams");
  for (auto &[of, launch] : *static_cast<std::vector<std::pair<void *, Launch>> *>(executable))
    if (!error && of == node)
      launch = launchOf(*all);
  return error;
}
int cuGraphExecDestroy(void *executable) {
  delete static_cast<std::vector<std::pair<void *, Launch>> *>(executable);
  return end("cuGraphExecDestroy", "executable");
}
int cuGraphLaunch(void *executable, void *) {
  int error = enter("cuGraphLaunch");
  if (error)
    return error;
  for (const auto &[node, launch] : *static_cast<std::vector<std::pair<void *, Launch>> *>(executable))
    stream.emplace_back([launch] { return runLaunch(launch); });
  return 0;
}
}
