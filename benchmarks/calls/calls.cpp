// Overhead of attn_run over a direct call of the generated function, in nanoseconds: calls-benchmark
//
//   checked    the function of the generated header, which calls attn_run
//   generated  the entry point itself
//   over       the difference: at most 1000, also in a virtual machine, where one CPUID instruction would take longer
#include "calls.h"
#include "benchmarks/support/Model.h"
#include <benchmark/benchmark.h>
#include <ctime>
#include <vector>

using namespace attnc::bench;

namespace {

constexpr int64_t n = 4, m = 2, callsAtOnce = 1000;

/// Processor time of this thread, which excludes other threads and processes.
double threadNanoseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * double(time.tv_sec) + double(time.tv_nsec);
}

template <typename Function> double nanosecondsOf(Function call) {
  double start = threadNanoseconds();
  for (int64_t i = 0; i < callsAtOnce; ++i)
    call();
  return (threadNanoseconds() - start) / callsAtOnce;
}

/// Alternates both calls, so that changes of the machine's speed affect both.
template <typename Checked, typename Generated>
void compare(benchmark::State &state, Checked callChecked, Generated callGenerated) {
  double checked = 0, generated = 0;
  for (auto each : state) {
    checked += nanosecondsOf(callChecked);
    generated += nanosecondsOf(callGenerated);
  }
  auto average = [](double sum) { return benchmark::Counter(sum, benchmark::Counter::kAvgIterations); };
  state.counters["checked"] = average(checked);
  state.counters["generated"] = average(generated);
  state.counters["over"] = average(checked - generated);
}

void few(benchmark::State &state) {
  Context context(nullptr, calls_few_arena_bytes(n, 1));
  std::vector<float> x(n), y(n);
  void *tensors[] = {x.data(), y.data()};
  const int64_t dimensions[] = {n};
  const attn_frame frame = {tensors, dimensions, nullptr, static_cast<char *>(context.get()->arena),
                            attn_serial_executor()};
  attn_status status;
  compare(
      state, [&] { must(calls_few(context.get(), n, x.data(), y.data(), &status), status); },
      [&] { calls_few_run(&frame); });
}

void many(benchmark::State &state) {
  Context context(nullptr, calls_many_arena_bytes(n, m, 1));
  std::vector<std::vector<float>> memory(10, std::vector<float>(n * m * 4));
  std::vector<void *> tensors;
  for (std::vector<float> &each : memory)
    tensors.push_back(each.data());
  const int64_t dimensions[] = {n, m};
  const attn_frame frame = {tensors.data(), dimensions, nullptr, static_cast<char *>(context.get()->arena),
                            attn_serial_executor()};
  auto at = [&](size_t number) { return memory[number].data(); };
  attn_status status;
  compare(
      state,
      [&] {
        must(calls_many(context.get(), n, m, at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9),
                        &status),
             status);
      },
      [&] { calls_many_run(&frame); });
}

} // namespace

BENCHMARK(few);
BENCHMARK(many);
BENCHMARK_MAIN();
