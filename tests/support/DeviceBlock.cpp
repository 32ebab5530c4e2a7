#include "tests/support/DeviceBlock.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <numeric>
#include <random>
#include <sys/mman.h>

// Leaves the stack that runs, of which `*from` gets the place, and goes on where `to` was left. A kernel exchanges
// values hundreds of times a thread: swapcontext, which asks the system for the mask of signals, takes fifty times as
// long.
extern "C" void attncSwitchFibre(void **from, void *to);
asm(R"(
  .text
  .type attncSwitchFibre, @function
attncSwitchFibre:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size attncSwitchFibre, .-attncSwitchFibre
)");

namespace attnc {

namespace {

constexpr size_t stackBytes = 256 << 10;

/// Stacks outlive blocks: memory is mapped once.
char *stackOf(size_t thread) {
  static std::vector<char *> stacks;
  while (stacks.size() <= thread)
    stacks.push_back(static_cast<char *>(
        mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)));
  return stacks[thread];
}

/// A stack that `attncSwitchFibre` enters `begin` by: six registers, the address, and where a caller's would be, so
/// that the stack is aligned as in any function.
void *freshStack(size_t thread, void (*begin)()) {
  auto **top = reinterpret_cast<void **>(stackOf(thread) + stackBytes) - 8;
  std::fill(top, top + 8, nullptr);
  top[6] = reinterpret_cast<void *>(begin);
  return top;
}

DeviceBlock *block = nullptr; ///< that runs

} // namespace

DeviceBlock &DeviceBlock::running() { return *block; }

void DeviceBlock::enter() {
  block->setup.body(block->setup.parameters);
  block->threads[block->current].isDone = true;
  block->yield();
}

void DeviceBlock::yield() { attncSwitchFibre(&threads[current].stack, scheduler); }

void DeviceBlock::fail(std::string what) {
  fault = fmt::format("block {}: thread {}: {}", setup.number, current, what);
  yield();
  std::abort(); // the scheduler goes on with nobody
}

std::vector<size_t> DeviceBlock::turns(Order order) const {
  std::vector<size_t> numbers(threads.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  if (order == Order::Descending)
    std::reverse(numbers.begin(), numbers.end());
  if (order == Order::Shuffled)
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(static_cast<uint64_t>(setup.number)));
  return numbers;
}

std::string DeviceBlock::run(Order order) {
  block = this;
  for (size_t each = 0; each < threads.size(); ++each)
    threads[each].stack = freshStack(each, enter);
  std::vector<size_t> numbers = turns(order);
  for (bool anyRan = true; anyRan && fault.empty();) {
    anyRan = false;
    for (size_t first = 0; first < numbers.size(); first += warpThreads) {
      auto some = std::span(numbers).subspan(first, std::min(warpThreads, numbers.size() - first));
      while (takeTurns(some) && (anyRan = true) && order == Order::Descending)
        continue;
    }
  }
  if (!fault.empty())
    return fault;
  for (size_t each = 0; each < threads.size(); ++each)
    if (!threads[each].isDone)
      return fmt::format("block {}: thread {} waits for others that do not come", setup.number, each);
  return "";
}

bool DeviceBlock::takeTurns(std::span<const size_t> some) {
  bool anyRan = false;
  for (size_t each : some)
    if (fault.empty() && !threads[each].isDone && !threads[each].isWaiting) {
      anyRan = true;
      current = each;
      attncSwitchFibre(&scheduler, threads[each].stack);
    }
  return anyRan;
}

void DeviceBlock::meet(DeviceLane lane, WarpWork work) {
  threads[current].isWaiting = true;
  threads[current].work = work;
  threads[current].lane = lane;
  size_t first = work ? current / warpThreads * warpThreads : 0;
  auto group = std::span(threads).subspan(first, work ? std::min(warpThreads, threads.size() - first) : threads.size());
  bool isLast = std::all_of(group.begin(), group.end(),
                            [&](const Thread &each) { return !each.isDone && each.isWaiting && each.work == work; });
  if (!isLast)
    return yield();
  if (work) {
    std::vector<DeviceLane> lanes;
    for (const Thread &each : group)
      lanes.push_back(each.lane);
    work(lanes);
  }
  for (Thread &each : group)
    each.isWaiting = false;
}

//===------------------------------------------ shared memory -----------------------------------------------------===//

void DeviceBlock::checkShared(const char *what, const void *address, size_t bytes, size_t alignment) {
  auto *from = static_cast<const char *>(address);
  if (reinterpret_cast<uintptr_t>(from) % alignment != 0)
    fail(fmt::format("{} at an address that is no multiple of {}", what, alignment));
  for (std::span<char> memory : setup.shared)
    if (from >= memory.data() && from + bytes <= memory.data() + memory.size())
      return;
  fail(fmt::format("{} outside of the memory that the block shares", what));
}

void DeviceBlock::issueCopy(char *to, const char *from, size_t bytes, size_t size) {
  checkShared("a copy", to, size, size);
  if (bytes > size || (bytes > 0 && reinterpret_cast<uintptr_t>(from) % size != 0))
    fail(fmt::format("a copy of {} bytes of {} from {}", bytes, size, static_cast<const void *>(from)));
  std::memset(to, 0xff, size); // NaN
  threads[current].open.push_back({to, from, bytes, size});
}

void DeviceBlock::closeGroup() {
  Thread &thread = threads[current];
  thread.groups.push_back(std::move(thread.open));
  thread.open.clear();
}

void DeviceBlock::awaitGroups(size_t open) {
  for (auto &groups = threads[current].groups; groups.size() > open; groups.pop_front())
    for (const Copy &copy : groups.front()) {
      std::memset(copy.to, 0, copy.size);
      std::memcpy(copy.to, copy.from, copy.bytes);
    }
}

} // namespace attnc
