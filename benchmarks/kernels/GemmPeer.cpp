#include "benchmarks/kernels/GemmPeer.h"
#include "benchmarks/support/Machine.h"
#include <cstdlib>

#ifdef ATTNC_ONEDNN
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

namespace attnc::bench {

std::function<void()> gemmPeer(int64_t rows, int64_t columns, int64_t depth) {
  using namespace dnnl;
  setenv("OMP_NUM_THREADS", "1", 1);
  struct Product {
    engine cpu{engine::kind::cpu, 0};
    stream queue{cpu};
    matmul primitive;
    std::unordered_map<int, memory> arguments;
  };
  auto product = std::make_shared<Product>();
  using Tag = memory::format_tag;
  auto f32 = memory::data_type::f32;
  memory::desc left({rows, depth}, f32, Tag::ab), right({depth, columns}, f32, Tag::any),
      out({rows, columns}, f32, Tag::ab), plain({depth, columns}, f32, Tag::ab);
  matmul::primitive_desc description(matmul::desc(left, right, out), product->cpu);
  product->primitive = matmul(description);
  memory source(plain, product->cpu, randomFloats(depth * columns, 1, 6));
  memory weights(description.weights_desc(), product->cpu);
  reorder(source, weights).execute(product->queue, source, weights);
  product->arguments = {{DNNL_ARG_SRC, memory(left, product->cpu, randomFloats(rows * depth, 1, 7))},
                        {DNNL_ARG_WEIGHTS, weights},
                        {DNNL_ARG_DST, memory(out, product->cpu, randomFloats(rows * columns, 1, 8))}};
  return [product] {
    product->primitive.execute(product->queue, product->arguments);
    product->queue.wait();
  };
}

} // namespace attnc::bench
#else
namespace attnc::bench {
std::function<void()> gemmPeer(int64_t, int64_t, int64_t) { return {}; }
} // namespace attnc::bench
#endif
