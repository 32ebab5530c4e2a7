#include "tests/support/DeviceBlock.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <numeric>
#include <random>
#include <sys/mman.h>

// Saves the current stack in `*from` and continues on the stack `to`. A kernel exchanges values hundreds of times a
// thread, and swapcontext takes fifty times as long, because it queries the signal mask.
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

constexpr size_t stackBytes = 4 << 20, guardBytes = 4 << 10;

/// Stacks outlive blocks, so that memory is mapped once. Unoptimised code has a stack slot for each value; a thread
/// that exceeds its stack faults on an inaccessible page.
char *stackOf(size_t thread) {
  static std::vector<char *> stacks;
  while (stacks.size() <= thread) {
    constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *memory = mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE, kind, -1, 0);
    mprotect(memory, guardBytes, PROT_NONE);
    stacks.push_back(static_cast<char *>(memory));
  }
  return stacks[thread];
}

/// Creates a stack from which `attncSwitchFibre` enters `begin`: six registers, the address, and a slot for a caller's
/// address, so that the stack is aligned as in any function.
void *freshStack(size_t thread, void (*begin)()) {
  auto **top = reinterpret_cast<void **>(stackOf(thread) + stackBytes) - 8;
  std::fill(top, top + 8, nullptr);
  top[6] = reinterpret_cast<void *>(begin);
  return top;
}

DeviceBlock *block = nullptr; ///< the running block

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
  std::abort(); // the scheduler does not resume a failed thread
}

std::vector<size_t> DeviceBlock::threadOrder(Order order) const {
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
  std::vector<size_t> numbers = threadOrder(order);
  while (fault.empty() && (runReady(numbers, order) || endLate())) {
  }
  for (size_t each = 0; each < threads.size() && fault.empty(); ++each)
    if (!threads[each].isDone)
      return fmt::format("block {}: thread {} waits for threads that do not arrive", setup.number, each);
  for (size_t each = 0; each < threads.size() && fault.empty(); ++each)
    if (threads[each].hasCopies())
      return fmt::format("block {}: thread {} ends with unfinished copies", setup.number, each);
  if (fault.empty() && !tiles.empty())
    return fmt::format("block {}: {} tiles that no thread waited for", setup.number, tiles.size());
  for (auto [number, count] : arrived)
    if (count > 0 && fault.empty())
      return fmt::format("block {}: {} threads arrived at barrier {}, at which no thread waits", setup.number, count,
                         number);
  return fault;
}

/// Runs the threads of each warp that can run. In descending order a warp runs only if no earlier warp can, and
/// products are computed early. Returns true if any thread ran.
bool DeviceBlock::runReady(std::span<const size_t> numbers, Order order) {
  bool anyRan = false;
  for (size_t first = 0; first < numbers.size();) {
    bool ran = runThreads(numbers.subspan(first, std::min(warpThreads, numbers.size() - first)));
    anyRan |= ran;
    if (order != Order::Descending || !ran) {
      first += warpThreads;
      continue;
    }
    for (size_t group = 0; group < products.size(); ++group)
      noteFault(group, products[group].computeBegun([&](uint64_t unit) { return readByProxy(unit); }));
    first = 0;
  }
  return anyRan;
}

/// Runs each of the threads that can run until it waits. Returns true if any ran.
bool DeviceBlock::runThreads(std::span<const size_t> some) {
  bool anyRan = false;
  for (size_t each : some)
    if (fault.empty() && !threads[each].isDone && threads[each].wait == Wait::Nothing) {
      anyRan = true;
      current = each;
      attncSwitchFibre(&scheduler, threads[each].stack);
    }
  return anyRan;
}

void DeviceBlock::waitFor(Wait wait) {
  threads[current].wait = wait;
  yield();
}

void DeviceBlock::waitForBlock() {
  threads[current].wait = Wait::Block;
  if (!std::all_of(threads.begin(), threads.end(), [](const Thread &each) { return each.wait == Wait::Block; }))
    return yield();
  for (Thread &each : threads)
    each.wait = Wait::Nothing;
}

void DeviceBlock::workInWarp(DeviceLane lane, WarpWork work) {
  Thread &thread = threads[current];
  thread.wait = Wait::Warp;
  thread.work = work;
  thread.lane = lane;
  size_t first = current / warpThreads * warpThreads;
  auto warp = std::span(threads).subspan(first, std::min(warpThreads, threads.size() - first));
  if (!std::all_of(warp.begin(), warp.end(),
                   [&](const Thread &each) { return each.wait == Wait::Warp && each.work == work; }))
    return yield();
  std::vector<DeviceLane> lanes;
  for (const Thread &each : warp)
    lanes.push_back(each.lane);
  work(lanes);
  for (Thread &each : warp)
    each.wait = Wait::Nothing;
}

/// Resumes the threads that wait at a barrier if enough threads have arrived.
void DeviceBlock::countThreads(size_t number, size_t count) {
  if (number == 0 || number > 15 || count == 0 || count % warpThreads != 0)
    fail(fmt::format("barrier {} for {} threads", number, count));
  auto isThere = [&](const Thread &each) { return each.wait == Wait::Threads && each.number == number; };
  if (arrived[number] + static_cast<size_t>(std::count_if(threads.begin(), threads.end(), isThere)) < count)
    return;
  arrived[number] = 0;
  for (Thread &each : threads)
    if (isThere(each))
      each.wait = Wait::Nothing;
}

void DeviceBlock::waitForThreads(size_t number, size_t count) {
  threads[current].number = number;
  threads[current].wait = Wait::Threads;
  countThreads(number, count);
  if (threads[current].wait == Wait::Threads)
    yield();
}

void DeviceBlock::arriveForThreads(size_t number, size_t count) {
  ++arrived[number];
  countThreads(number, count);
}

//===------------------------------------------ phases ------------------------------------------------------------===//

void DeviceBlock::initBarrier(const char *barrier, size_t arrivals) {
  checkShared("a barrier", barrier, 8, 8);
  if (arrivals == 0)
    fail("a barrier without arrivals");
  barriers[barrier] = {arrivals, arrivals, 0, current};
}

DeviceBlock::PhaseBarrier &DeviceBlock::phaseBarrier(const char *barrier) {
  auto found = barriers.find(barrier);
  if (found == barriers.end())
    fail("a barrier that was not initialised");
  return found->second;
}

void DeviceBlock::arrive(const char *barrier, size_t bytes) {
  constexpr size_t mostBytes = (1 << 20) - 1;
  PhaseBarrier &found = phaseBarrier(barrier);
  if (found.missing == 0)
    fail("more arrivals at a barrier than it has");
  if (bytes > mostBytes)
    fail(fmt::format("a barrier expects {} bytes", bytes));
  found.bytes += static_cast<int64_t>(bytes);
  --found.missing;
  size_t before = found.phase;
  endPhase(barrier);
  if (found.phase != before)
    yield();
}

void DeviceBlock::endPhase(const char *barrier) {
  PhaseBarrier &found = barriers.at(barrier);
  if (found.missing > 0 || found.bytes != 0)
    return;
  found.missing = found.arrivals;
  ++found.phase;
  for (Thread &each : threads)
    if (each.wait == Wait::Phase && each.barrier == barrier)
      each.wait = Wait::Nothing;
}

bool DeviceBlock::tryWait(const char *barrier, size_t parity) {
  Thread &thread = threads[current];
  PhaseBarrier &found = phaseBarrier(barrier);
  bool gaveUp = thread.barrier == barrier;
  thread.barrier = nullptr;
  if (found.phase % 2 != parity)
    return true;
  thread.barrier = barrier;
  if (!gaveUp)
    return false;
  waitFor(Wait::Phase);
  thread.barrier = nullptr;
  return true;
}

//===------------------------------------------ products ----------------------------------------------------------===//

void DeviceBlock::awaitProducts(size_t open, const std::vector<uint32_t> &kept) {
  if (std::string wrong = warpGroup().await(threadInGroup(), open, kept); !wrong.empty())
    fail(wrong);
  waitFor(Wait::Products);
}

/// Completes one asynchronous operation, after no thread can run. Returns false if there is none.
bool DeviceBlock::endLate() { return endProducts() || bringTiles(); }

void DeviceBlock::noteFault(size_t group, const std::string &wrong) {
  if (!wrong.empty() && fault.empty())
    fault = fmt::format("block {}: warp group {}: {}", setup.number, group, wrong);
}

bool DeviceBlock::endProducts() {
  for (size_t group = 0; group < products.size(); ++group) {
    noteFault(group, products[group].computeAwaited([&](uint64_t unit) { return readByProxy(unit); }));
    bool anyGoesOn = false;
    size_t first = group * WarpGroupProducts::threads;
    for (size_t each = first; each < std::min(first + WarpGroupProducts::threads, threads.size()); ++each)
      if (threads[each].wait == Wait::Products && products[group].endWait(each - first)) {
        threads[each].wait = Wait::Nothing;
        anyGoesOn = true;
      }
    if (anyGoesOn)
      return true;
  }
  return false;
}

const char *DeviceBlock::readByProxy(uint64_t unit) {
  static const std::array<char, 16> nan = [] {
    std::array<char, 16> bytes;
    bytes.fill(-1);
    return bytes;
  }();
  constexpr uint64_t window = 1 << 18;
  std::span<char> memory = setup.shared.front(); // dynamic shared memory of the block
  uint64_t offset = (unit - reinterpret_cast<uintptr_t>(memory.data())) % window;
  if (offset + 16 > memory.size()) {
    if (fault.empty())
      fault = fmt::format("block {}: a product of what lies outside of the block's memory", setup.number);
    return nan.data();
  }
  const char *place = memory.data() + offset;
  return unfenced.contains(place) ? nan.data() : place;
}

void DeviceBlock::fenceProxy() {
  std::erase_if(unfenced, [&](const auto &each) { return each.second == current; });
  for (auto &[place, barrier] : barriers)
    barrier.isFenced |= barrier.madeBy == current;
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

bool DeviceBlock::Thread::hasCopies() const {
  return !open.empty() || std::any_of(groups.begin(), groups.end(), [](const auto &group) { return !group.empty(); });
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
      unfenced[copy.to - reinterpret_cast<uintptr_t>(copy.to) % 16] = current;
    }
}

//===------------------------------------------ tiles -------------------------------------------------------------===//

void DeviceBlock::writeMap(char *map, DeviceTensorMap::Field field, size_t dimension, uint64_t value) {
  checkShared("a tensor map", map, DeviceTensorMap::size, DeviceTensorMap::size);
  DeviceTensorMap changed;
  std::memcpy(static_cast<void *>(&changed), map, sizeof changed);
  changed.set(field, dimension, value);
  std::memcpy(map, &changed, sizeof changed);
  mapWrites[map] = current;
}

void DeviceBlock::orderMapWrites() {
  std::erase_if(mapWrites, [&](const auto &each) { return each.second / warpThreads == current / warpThreads; });
}

void DeviceBlock::releaseMap(char *to, const char *from) {
  checkShared("a tensor map", from, DeviceTensorMap::size, DeviceTensorMap::size);
  if (reinterpret_cast<uintptr_t>(to) % DeviceTensorMap::size != 0)
    fail("a tensor map at an address that is no multiple of 128");
  if (mapWrites.contains(from))
    fail("a tensor map is released that other lanes still write");
  DeviceTensorMap &released = (*setup.maps)[to];
  std::memcpy(static_cast<void *>(&released), from, sizeof released);
  if (std::string wrong = released.check(); !wrong.empty())
    fail(wrong);
  std::memcpy(to, from, sizeof released);
}

void DeviceBlock::acquireMap(const char *map) {
  auto found = setup.maps->find(map);
  if (found == setup.maps->end() || std::memcmp(&found->second, map, DeviceTensorMap::size) != 0)
    fail("a tensor map that was not released");
  threads[current].acquiredMaps.insert(map);
}

void DeviceBlock::awaitBulkCopies() { threads[current].maps.merge(threads[current].acquiredMaps); }

void DeviceBlock::issueTile(char *to, const char *map, std::vector<int32_t> coordinates, const char *barrier) {
  if (!threads[current].maps.contains(map))
    fail("a tensor map that the thread has not acquired, or did not wait for");
  const DeviceTensorMap &released = setup.maps->at(map);
  if (released.dimensions() != coordinates.size())
    fail(fmt::format("{} coordinates in a tensor map of {} dimensions", coordinates.size(), released.dimensions()));
  checkShared("a tile", to, released.bytes(), 128);
  if (!phaseBarrier(barrier).isFenced)
    fail("a tile whose bytes count at a barrier that was not fenced");
  std::memset(to, 0xff, released.bytes()); // NaN
  tiles.push_back({to, released, std::move(coordinates), barrier});
}

/// Completes all tiles of one barrier that a thread waits for.
bool DeviceBlock::bringTiles() {
  for (const Thread &each : threads) {
    std::vector<Tile> awaited;
    std::erase_if(tiles, [&](const Tile &tile) {
      bool isAwaited = each.wait == Wait::Phase && each.barrier == tile.barrier;
      if (isAwaited)
        awaited.push_back(tile);
      return isAwaited;
    });
    for (const Tile &tile : awaited)
      bring(tile);
    if (!awaited.empty())
      return true;
  }
  return false;
}

/// Copies a tile. The asynchronous proxy writes it, so the proxy reads it without a fence.
void DeviceBlock::bring(const Tile &tile) {
  tile.map.copy(tile.coordinates, tile.to);
  for (size_t each = 0; each < tile.map.bytes(); each += 16)
    unfenced.erase(tile.to + each);
  barriers.at(tile.barrier).bytes -= static_cast<int64_t>(tile.map.bytes());
  endPhase(tile.barrier);
}

} // namespace attnc
