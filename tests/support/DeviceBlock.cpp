#include "tests/support/DeviceBlock.h"
#include <algorithm>
#include <bit>
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

constexpr int64_t warpThreads = 32;
constexpr size_t stackBytes = 256 << 10;

/// What a thread waits for; those of a warp wait for the same.
enum class Meeting { None, Barrier, WarpBarrier, ExchangeByDistance, ExchangeByNumber };

struct Thread {
  void *stack = nullptr; ///< where it was left
  bool isDone = false;
  Meeting at = Meeting::None;
  uint32_t given = 0, operand = 0, taken = 0; ///< of an exchange: what it gives, with whom, and what it gets
};

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

class Block {
public:
  Block(int64_t number, int64_t threads, void (*body)(const uint64_t *), const uint64_t *parameters)
      : number(number), threads(threads), body(body), parameters(parameters) {}

  std::string run(Order order);

  const int64_t number;
  size_t current = 0; ///< thread
  uint32_t exchange(Meeting how, uint32_t value, uint32_t operand);
  void wait(Meeting meeting);

private:
  static void enter();
  void meet(size_t first, size_t count);
  bool allAt(size_t first, size_t count) const;
  void yield() { attncSwitchFibre(&threads[current].stack, scheduler); }
  std::vector<size_t> turns(Order order) const;

  void *scheduler = nullptr; ///< its stack
  std::vector<Thread> threads;
  void (*body)(const uint64_t *);
  const uint64_t *parameters;
};

Block *running = nullptr;

void Block::enter() {
  Block &block = *running;
  block.body(block.parameters);
  block.threads[block.current].isDone = true;
  block.yield();
}

std::vector<size_t> Block::turns(Order order) const {
  std::vector<size_t> numbers(threads.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  if (order == Order::Descending)
    std::reverse(numbers.begin(), numbers.end());
  if (order == Order::Shuffled)
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(static_cast<uint64_t>(number)));
  return numbers;
}

std::string Block::run(Order order) {
  running = this;
  for (size_t each = 0; each < threads.size(); ++each)
    threads[each].stack = freshStack(each, enter);
  std::vector<size_t> order_ = turns(order);
  for (bool anyRan = true; anyRan;) {
    anyRan = false;
    for (size_t each : order_)
      if (!threads[each].isDone && threads[each].at == Meeting::None) {
        anyRan = true;
        current = each;
        attncSwitchFibre(&scheduler, threads[each].stack);
      }
  }
  for (size_t each = 0; each < threads.size(); ++each)
    if (!threads[each].isDone)
      return fmt::format("block {}: thread {} waits for others that do not come", number, each);
  return "";
}

bool Block::allAt(size_t first, size_t count) const {
  return std::all_of(threads.begin() + first, threads.begin() + first + count,
                     [&](const Thread &each) { return !each.isDone && each.at == threads[current].at; });
}

void Block::wait(Meeting meeting) {
  threads[current].at = meeting;
  size_t first = meeting == Meeting::Barrier ? 0 : current / warpThreads * warpThreads;
  size_t count = meeting == Meeting::Barrier ? threads.size() : std::min<size_t>(warpThreads, threads.size() - first);
  if (allAt(first, count))
    meet(first, count);
  else
    yield();
}

/// All have come: they exchange what they give, and go on.
void Block::meet(size_t first, size_t count) {
  for (size_t lane = 0; lane < count; ++lane) {
    Thread &thread = threads[first + lane];
    size_t with = thread.at == Meeting::ExchangeByDistance ? lane ^ thread.operand : thread.operand;
    if (thread.at == Meeting::ExchangeByDistance || thread.at == Meeting::ExchangeByNumber)
      thread.taken = threads[first + with % count].given;
  }
  for (size_t lane = 0; lane < count; ++lane)
    threads[first + lane].at = Meeting::None;
}

uint32_t Block::exchange(Meeting how, uint32_t value, uint32_t operand) {
  Thread &thread = threads[current];
  thread.given = value;
  thread.operand = operand;
  wait(how);
  return thread.taken;
}

//===------------------------------------------ intrinsics --------------------------------------------------------===//

int32_t threadNumber() { return static_cast<int32_t>(running->current); }
int32_t blockNumber() { return static_cast<int32_t>(running->number); }
void blockBarrier(int32_t) { running->wait(Meeting::Barrier); }
void warpBarrier(int32_t) { running->wait(Meeting::WarpBarrier); }

template <Meeting how> int32_t exchangeI32(int32_t, int32_t value, int32_t operand, int32_t) {
  return static_cast<int32_t>(running->exchange(how, static_cast<uint32_t>(value), static_cast<uint32_t>(operand)));
}
template <Meeting how> float exchangeF32(int32_t, float value, int32_t operand, int32_t) {
  return std::bit_cast<float>(running->exchange(how, std::bit_cast<uint32_t>(value), static_cast<uint32_t>(operand)));
}

template <typename Function> void *address(Function *function) { return reinterpret_cast<void *>(function); }

} // namespace

const std::vector<DeviceIntrinsic> &deviceIntrinsics() {
  static const std::vector<DeviceIntrinsic> table = {
      {"llvm.nvvm.read.ptx.sreg.tid.x", address(threadNumber)},
      {"llvm.nvvm.read.ptx.sreg.ctaid.x", address(blockNumber)},
      {"llvm.nvvm.barrier.cta.sync.aligned.all", address(blockBarrier)},
      {"llvm.nvvm.bar.warp.sync", address(warpBarrier)},
      {"llvm.nvvm.shfl.sync.bfly.i32", address(exchangeI32<Meeting::ExchangeByDistance>)},
      {"llvm.nvvm.shfl.sync.bfly.f32", address(exchangeF32<Meeting::ExchangeByDistance>)},
      {"llvm.nvvm.shfl.sync.idx.i32", address(exchangeI32<Meeting::ExchangeByNumber>)},
      {"llvm.nvvm.shfl.sync.idx.f32", address(exchangeF32<Meeting::ExchangeByNumber>)},
  };
  return table;
}

std::string runDeviceBlock(int64_t block, int64_t threads, Order order, void (*body)(const uint64_t *),
                           const uint64_t *parameters) {
  return Block(block, threads, body, parameters).run(order);
}

} // namespace attnc
