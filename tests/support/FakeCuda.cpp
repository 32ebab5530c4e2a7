// The library itself: entry points by their names, and the address of its state.
#include "tests/support/FakeCuda.h"
#include <cstdlib>
#include <cstring>

using attnc::FakeCuda;

namespace {

struct Launch {
  std::string kernel;
  int64_t blocks, threads, blockBytes;
  std::vector<uint64_t> parameters;
};

FakeCuda state;
std::vector<Launch> launched;
std::string code;                   // of the module that is loaded
std::vector<std::string> found;     // its functions, by handle - 1
std::map<std::string, int> allowed; // shared memory of their blocks, in bytes

int enter(const char *name) {
  ++state.calls[name];
  auto failure = state.failures.find(name);
  return failure == state.failures.end() ? 0 : failure->second;
}

int runAll() {
  int error = 0;
  for (const Launch &each : launched)
    error = error ? error : state.run(each.kernel, each.blocks, each.threads, each.blockBytes, each.parameters);
  launched.clear();
  return error;
}

char *memory(unsigned long long address) { return reinterpret_cast<char *>(address); }

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

int cuDeviceGetCount(int *count) { return *count = state.devices, enter("cuDeviceGetCount"); }
int cuDeviceGet(int *device, int number) { return *device = number, enter("cuDeviceGet"); }
int cuDeviceGetName(char *name, int length, int device) {
  std::string text = "Fake " + std::to_string(device);
  return std::strncpy(name, text.c_str(), static_cast<size_t>(length)), enter("cuDeviceGetName");
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 97 ? state.blockBytes : attribute == 75 ? state.capability / 10 : state.capability % 10;
  return enter("cuDeviceGetAttribute");
}

int cuDevicePrimaryCtxRetain(void **context, int) {
  int error = enter("cuDevicePrimaryCtxRetain");
  state.contexts += error ? 0 : 1;
  *context = &state;
  return error;
}
int cuDevicePrimaryCtxRelease_v2(int) { return --state.contexts, enter("cuDevicePrimaryCtxRelease_v2"); }
int cuCtxPushCurrent_v2(void *) {
  int error = enter("cuCtxPushCurrent_v2");
  state.pushed += error ? 0 : 1;
  return error;
}
int cuCtxPopCurrent_v2(void **context) {
  --state.pushed;
  *context = &state;
  return enter("cuCtxPopCurrent_v2");
}
int cuCtxSynchronize() {
  int error = enter("cuCtxSynchronize");
  return error ? error : runAll();
}

int cuModuleLoadData(void **module, const void *image) {
  int error = enter("cuModuleLoadData");
  if (error)
    return error;
  code = static_cast<const char *>(image);
  ++state.modules;
  *module = &code;
  return 0;
}
int cuModuleUnload(void *) { return --state.modules, enter("cuModuleUnload"); }
int cuModuleGetFunction(void **function, void *, const char *name) {
  if (code.find(std::string(".entry ") + name + "(") == std::string::npos)
    return 500; // not found
  found.push_back(name);
  *function = reinterpret_cast<void *>(found.size());
  return enter("cuModuleGetFunction");
}

int cuFuncSetAttribute(void *function, int attribute, int value) {
  if (attribute != 8 || value > state.blockBytes)
    return 1; // invalid value
  allowed[found[reinterpret_cast<size_t>(function) - 1]] = value;
  return enter("cuFuncSetAttribute");
}

int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
  int error = enter("cuMemAlloc_v2");
  if (error || bytes == 0)
    return error ? error : 1; // invalid value
  size_t whole = (bytes + 255) / 256 * 256;
  void *made = std::aligned_alloc(256, whole);
  std::memset(made, 0xff, whole); // NaN
  ++state.allocations;
  *address = reinterpret_cast<unsigned long long>(made);
  return 0;
}
int cuMemFree_v2(unsigned long long address) {
  std::free(memory(address));
  --state.allocations;
  return enter("cuMemFree_v2");
}
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) {
  int error = enter("cuMemcpyHtoD_v2");
  if (!error)
    std::memcpy(memory(to), from, bytes);
  return error;
}
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) {
  int error = enter("cuMemcpyDtoH_v2");
  error = error ? error : runAll();
  if (!error)
    std::memcpy(to, memory(from), bytes);
  return error;
}

int cuLaunchKernel(void *function, unsigned x, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                   unsigned blockBytes, void *, void **parameters, void **) {
  int error = enter("cuLaunchKernel");
  if (error)
    return error;
  Launch launch{found[reinterpret_cast<size_t>(function) - 1], x, threads, blockBytes, {}};
  if (blockBytes > 0 && static_cast<int>(blockBytes) > allowed[launch.kernel])
    return 1; // invalid value
  for (size_t number = 0; number < state.parameters(launch.kernel); ++number) {
    uint64_t word;
    std::memcpy(&word, parameters[number], sizeof word);
    launch.parameters.push_back(word);
  }
  launched.push_back(launch);
  return 0;
}
}
