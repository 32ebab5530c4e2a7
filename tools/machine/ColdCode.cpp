#include "tools/machine/ColdCode.h"
#include "tools/machine/Rate.h"
#include <cstring>
#include <sys/mman.h>

namespace attnc::machine {

namespace {

/// Writes consecutive functions of `size` bytes, each of no-operation instructions and a return.
void writeFunctions(unsigned char *code, size_t bytes, size_t size) {
  constexpr unsigned char nothing[] = {0x0f, 0x1f, 0x40, 0x00}, back = 0xc3;
  for (size_t at = 0; at < size; at += sizeof nothing)
    std::memcpy(code + at, nothing, sizeof nothing);
  code[size - sizeof nothing] = back;
  for (size_t at = size; at + size <= bytes; at += size)
    std::memcpy(code + at, code, size);
}

/// Seconds of a call. A linear congruential generator with period `count`, a power of 2, gives the order of functions.
double callSeconds(const unsigned char *code, size_t count, size_t size) {
  size_t calls = std::min<size_t>(count, 1 << 14), at = 0;
  auto run = [&] {
    for (size_t call = 0; call < calls; ++call) {
      at = (at * 5 + 12345) & (count - 1);
      const unsigned char *entry = code + at * size;
      void (*function)() = nullptr;
      std::memcpy(&function, &entry, sizeof function);
      function();
    }
  };
  for (size_t warm = 0; warm < count; warm += calls)
    run();
  return 1 / rateOf(double(calls), run);
}

} // namespace

ColdCode coldCode(size_t bytes) {
  size_t all = size_t(1) << (63 - __builtin_clzl(std::max<size_t>(bytes, 1 << 16)));
  void *memory = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return {};
  auto *code = static_cast<unsigned char *>(memory);
  double seconds[2] = {};
  constexpr size_t sizes[] = {lineBytes, 16 * lineBytes};
  bool runs = true;
  for (int which = 0; which < 2 && runs; ++which) {
    runs = mprotect(memory, all, PROT_READ | PROT_WRITE) == 0;
    if (runs)
      writeFunctions(code, all, sizes[which]);
    runs = runs && mprotect(memory, all, PROT_READ | PROT_EXEC) == 0;
    if (runs)
      seconds[which] = callSeconds(code, all / sizes[which], sizes[which]);
  }
  munmap(memory, all);
  if (!runs)
    return {};
  constexpr double further = double(sizes[1] / lineBytes - 1);
  return {seconds[0], std::max(0.0, seconds[1] - seconds[0]) / further};
}

} // namespace attnc::machine
