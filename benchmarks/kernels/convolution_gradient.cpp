// Benchmark of convolution gradients on one core, relative to the FMA peak of the same run, by the emitter that `auto`
// chooses. Useful operations: those of the convolution, for each of the two gradients.
//
//   convolution-gradient-benchmark [BATCH]...     default 1
//
// Three entry points alternate; each line has the time that one takes in addition to the one before.
#include "convolution_gradient.h"
#include "benchmarks/support/Machine.h"
#include "benchmarks/support/Model.h"
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

using namespace attnc::bench;

namespace {

constexpr int repetitions = 31;

/// An entry point with the memory of a call.
class Call {
public:
  Call(const std::string &name, int64_t batch)
      : number(attn_find_entry(&model, name.c_str())), entry(model.entries[number]),
        context(nullptr, entry.arena_bytes(&batch, 1)) {
    for (int32_t each = 0; each < entry.input_count + entry.result_count; ++each)
      addTensor(entry.tensors[each], batch);
  }

  double seconds() {
    attn_status status;
    double start = threadSeconds();
    must(attn_run(&model, number, context.get(), tensors.data(), int64_t(tensors.size()), &status), status);
    return threadSeconds() - start;
  }

private:
  void addTensor(const attn_tensor_info &info, int64_t batch) {
    attn_tensor tensor{nullptr, {}, info.dtype, info.rank};
    size_t elements = 1;
    for (int32_t dimension = 0; dimension < info.rank; ++dimension)
      elements *= size_t(tensor.shape[dimension] = attn_size(&info.shape[dimension], &batch));
    tensor.data = randomFloats(elements, 1, unsigned(tensors.size()) + 1);
    tensors.push_back(tensor);
  }

  static constexpr const attn_model &model = convolution_gradient_model;
  int64_t number;
  const attn_entry_info &entry;
  Context context;
  std::vector<attn_tensor> tensors;
};

void report(const char *name, double flops, int64_t batch) {
  flops *= double(batch);
  Call calls[] = {{std::string(name) + "_forward", batch},
                  {std::string(name) + "_input", batch},
                  {std::string(name) + "_both", batch}};
  std::vector<double> seconds[3], shares[3];
  for (int run = 0; run <= repetitions; ++run) {
    double before = 0;
    for (int part = 0; part < 3; ++part) {
      double peak = fmaPeak(), until = calls[part].seconds(), own = until - before;
      before = until;
      if (run == 0) // the first run touches the pages
        continue;
      seconds[part].push_back(own);
      shares[part].push_back(flops / own / (0.5 * (peak + fmaPeak())));
    }
  }
  const char *parts[] = {"forward, sum", "by input", "by weights"};
  for (int part = 0; part < 3; ++part)
    std::printf("%-10s batch %-3lld %-14s %8.3f ms %6.1f %% of the FMA peak\n", name, (long long)batch, parts[part],
                1e3 * median(seconds[part]), 100 * median(shares[part]));
  std::fflush(stdout);
}

} // namespace

int main(int count, char **arguments) {
  for (int64_t batch : numbersOf(count, arguments, {1})) {
    report("image", 2.0 * 56 * 56 * 64 * 64 * 9, batch);
    report("point", 2.0 * 56 * 56 * 128 * 128, batch);
    report("causal", 2.0 * 2048 * 64 * 64 * 3, batch);
    report("transposed", 2.0 * 56 * 56 * 64 * 64 * 4, batch); // four of the 16 weights for each pixel
  }
}
