// Tests which sequences of launches the queue of a device retains as graphs, by functions in place of the driver's.
#include <gtest/gtest.h>

extern "C" {
#include "runtime/cuda/queue.h"
}

namespace {

int numLaunches, numGraphs;

/// A queue, and a driver that counts launches of kernels and of graphs.
class CudaQueue : public testing::Test {
protected:
  CudaQueue() {
    numLaunches = numGraphs = 0;
    driver.cuLaunchKernel = [](cu_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                               cu_stream, void **, void **) { return ++numLaunches, 0; };
    driver.cuGraphCreate = [](cu_graph *, unsigned) { return 0; };
    driver.cuGraphDestroy = [](cu_graph) { return 0; };
    driver.cuGraphAddKernelNode = [](cu_node *, cu_graph, const cu_node *, size_t, const cu_kernel_parameters *) {
      return 0;
    };
    driver.cuGraphInstantiate = [](cu_executable *made, cu_graph, unsigned long long) {
      return *made = reinterpret_cast<cu_executable>(&numGraphs), 0;
    };
    driver.cuGraphExecDestroy = [](cu_executable) { return 0; };
    driver.cuGraphLaunch = [](cu_executable, cu_stream) { return ++numGraphs, 0; };
  }
  ~CudaQueue() override { cuda_queue_close(&queue, &driver); }

  /// Launches kernel phase `number` alone; returns true if it was launched as a graph.
  bool isGraph(int number) {
    int before = numGraphs;
    cuda_launch launch = {&phases[number], nullptr, 1, 0, 0};
    attn_kernel_args args = {};
    const char *failed = nullptr;
    EXPECT_EQ(cuda_queue_add(&queue, &launch, &args, 0), 1);
    EXPECT_EQ(cuda_queue_flush(&queue, &driver, nullptr, &failed), 0);
    EXPECT_EQ(numLaunches + numGraphs, ++numFlushes);
    return numGraphs > before;
  }

  cuda_queue queue = {};
  cuda_driver driver = {};
  attn_device_phase phases[CUDA_GRAPHS + 1] = {};
  int numFlushes = 0;
};

} // namespace

TEST_F(CudaQueue, RetainsTheMostRecentlyUsedSequences) {
  for (int number = 0; number < CUDA_GRAPHS; ++number)
    EXPECT_FALSE(isGraph(number)) << number;
  for (int number : {0, 3, 0, CUDA_GRAPHS - 1})
    EXPECT_TRUE(isGraph(number)) << number;
  EXPECT_FALSE(isGraph(CUDA_GRAPHS)) << "replaces 1, the least recently used one";
  EXPECT_TRUE(isGraph(0));
  EXPECT_TRUE(isGraph(CUDA_GRAPHS));
  EXPECT_FALSE(isGraph(1)) << "replaces 2";
  EXPECT_FALSE(isGraph(2)) << "replaces 4";
  EXPECT_TRUE(isGraph(3));
  for (int number = 5; number < CUDA_GRAPHS; ++number)
    EXPECT_TRUE(isGraph(number)) << number;
}
