//===- HalideKernel.h - loops kernels as text, for tests of the Halide emitter ------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/HalideEmitter.h"
#include "tests/support/OracleCheck.h"
#include <algorithm>
#include <fmt/format.h>

namespace attnc {

using Shape = std::vector<int64_t>;

/// One sum, maximum or pointwise op over loops d0, d1, ...; %d<n> is the index of a loop in the body.
struct Kernel {
  std::string arguments;           ///< of the function: "%x: tensor<?x8xf32>, ..."
  std::string sizes = "";          ///< ops that define the dynamic sizes of the result
  std::string empty = "";          ///< the values of these sizes: "%n, %m"
  std::string result;              ///< type of the result
  unsigned parallel;               ///< number of loops that are the result's dimensions
  std::string summed;              ///< type of a tensor with the sizes of the other loops; empty if there are none
  std::string body;                ///< ops that define %term: f32 from the arguments and indices
  std::string fold = "arith.addf"; ///< op that combines the terms
  std::string start = "0.0";       ///< first value of the combination
  std::string summedSizes = "";    ///< dynamic sizes of the tensor type `summed`
  std::string schedule = "";       ///< entries of the dictionary attn.schedule
};

/// The loops with these numbers: "d2, d3" for 2 and 4.
inline std::string list(unsigned from, unsigned to) {
  std::string text;
  for (unsigned each = from; each < to; ++each)
    text += fmt::format("{}d{}", each > from ? ", " : "", each);
  return text;
}

/// The MLIR text of the kernel function.
inline std::string textOf(const Kernel &kernel) {
  unsigned reductions = kernel.summed.empty() ? 0 : std::count(kernel.summed.begin(), kernel.summed.end(), 'x');
  unsigned loops = kernel.parallel + reductions;
  std::string iterators, indices;
  for (unsigned each = 0; each < loops; ++each) {
    iterators += fmt::format("{}\"{}\"", each ? ", " : "", each < kernel.parallel ? "parallel" : "reduction");
    indices += fmt::format("%d{0} = linalg.index {0} : index\n", each);
  }
  std::string space =
      reductions ? fmt::format("%space = tensor.empty({}) : {}\n", kernel.summedSizes, kernel.summed) : "";
  std::string maps = fmt::format("affine_map<({0}) -> ({1})>", list(0, loops), list(0, kernel.parallel));
  if (reductions)
    maps = fmt::format("affine_map<({}) -> ({})>, ", list(0, loops), list(kernel.parallel, loops)) + maps;
  return fmt::format(
      R"(func.func private @k({0}) -> {1} attributes {{attn.kernel = "loops", attn.schedule = {{{13}}}}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0.0 : f32
    %start = arith.constant {2} : f32
    {3}
    {4}
    %empty = tensor.empty({5}) : {1}
    %init = linalg.fill ins(%start : f32) outs(%empty : {1}) -> {1}
    %r = linalg.generic {{indexing_maps = [{6}], iterator_types = [{7}]}} {8} outs(%init : {1}) {{
    ^bb0({9}%out: f32):
      {10}
      {11}
      {12}
    }} -> {1}
    return %r : {1} }})",
      kernel.arguments, kernel.result, kernel.start, kernel.sizes, space, kernel.empty, maps, iterators,
      reductions ? fmt::format("ins(%space : {})", kernel.summed) : "", reductions ? "%unused: f32, " : "", indices,
      kernel.body,
      reductions ? fmt::format("%after = {} %out, %term : f32 linalg.yield %after : f32", kernel.fold)
                 : "linalg.yield %term : f32",
      kernel.schedule);
}

/// Compiles the kernel by the Halide emitter for this machine and for x86-64-v3, runs it, and compares the result, of
/// shape `result`, with the oracle (OracleCheck.h). Returns the target and the difference; empty if there is none.
inline std::string check(const Kernel &kernel, const std::vector<HostArray> &inputs, Shape result) {
  for (std::string target : {"native", "x86-64-v3"}) {
    OracleCheck oracle{textOf(kernel), inputs, {std::move(result)}};
    oracle.emitter = [] { return createHalideEmitter(); };
    oracle.target = target;
    if (std::string difference = differenceFromOracle(oracle); !difference.empty())
      return target + ": " + difference;
    result = oracle.resultShapes[0];
  }
  return "";
}

inline HostArray random(Shape shape, uint64_t seed) { return HostArray::random(std::move(shape), seed); }

/// A convolution with windows of 3 × 3 and stride `step`, with features last: x[images, rows, columns, inputs],
/// w[3, 3, inputs, outputs], result [images, height, width, outputs]. The number of images is dynamic.
inline Kernel convolution(int64_t height, int64_t width, int64_t inputs, int64_t outputs, int64_t step = 1) {
  int64_t tall = step * (height - 1) + 3, wide = step * (width - 1) + 3;
  return {fmt::format("%x: tensor<?x{}x{}x{}xf32>, %w: tensor<3x3x{}x{}xf32>", tall, wide, inputs, inputs, outputs),
          fmt::format("%n = tensor.dim %x, %c0 : tensor<?x{}x{}x{}xf32>", tall, wide, inputs),
          "%n",
          fmt::format("tensor<?x{}x{}x{}xf32>", height, width, outputs),
          4,
          fmt::format("tensor<3x3x{}xf32>", inputs),
          fmt::format(R"(%s = arith.constant {0} : index
            %i0 = arith.muli %d1, %s : index %i = arith.addi %i0, %d4 : index
            %j0 = arith.muli %d2, %s : index %j = arith.addi %j0, %d5 : index
            %a = tensor.extract %x[%d0, %i, %j, %d6] : tensor<?x{1}x{2}x{3}xf32>
            %b = tensor.extract %w[%d4, %d5, %d6, %d3] : tensor<3x3x{3}x{4}xf32>
            %term = arith.mulf %a, %b : f32)",
                      step, tall, wide, inputs, outputs)};
}

/// A causal convolution with zeros before the first position and outputs first in the weights, so that both operands
/// are copied to a new layout.
inline Kernel causal() {
  return {"%x: tensor<?x?x6xf32>, %w: tensor<20x6x3xf32>",
          "%n = tensor.dim %x, %c0 : tensor<?x?x6xf32> %m = tensor.dim %x, %c1 : tensor<?x?x6xf32>",
          "%n, %m",
          "tensor<?x?x20xf32>",
          3,
          "tensor<3x6xf32>",
          R"(%back = arith.muli %d3, %c2 : index
             %has = arith.cmpi sge, %d1, %back : index
             %s0 = arith.subi %d1, %back : index %s = arith.maxsi %s0, %c0 : index
             %a0 = tensor.extract %x[%d0, %s, %d4] : tensor<?x?x6xf32>
             %a = arith.select %has, %a0, %zero : f32
             %b = tensor.extract %w[%d2, %d4, %d3] : tensor<20x6x3xf32>
             %term = arith.mulf %b, %a : f32)"};
}

/// A gradient with respect to weights, with partial sums over images and rows, because a tile has at most a row of the
/// image.
inline Kernel byWeights(int64_t outputs) {
  return {fmt::format("%x: tensor<?x9x60x16xf32>, %y: tensor<?x8x60x{}xf32>", outputs),
          "%n = tensor.dim %x, %c0 : tensor<?x9x60x16xf32>",
          "",
          fmt::format("tensor<2x16x{}xf32>", outputs),
          3,
          "tensor<?x8x60xf32>",
          fmt::format(R"(%i = arith.addi %d0, %d4 : index
                         %a = tensor.extract %x[%d3, %i, %d5, %d1] : tensor<?x9x60x16xf32>
                         %b = tensor.extract %y[%d3, %d4, %d5, %d2] : tensor<?x8x60x{}xf32>
                         %term = arith.mulf %a, %b : f32)",
                      outputs),
          "arith.addf",
          "0.5",
          "%n"};
}

/// The maximum over windows of 2 × 2, with stride 2: from [images, 8, 10, 12] to [images, 4, 5, 12].
inline Kernel largest() {
  return {"%x: tensor<?x8x10x12xf32>",
          "%n = tensor.dim %x, %c0 : tensor<?x8x10x12xf32>",
          "%n",
          "tensor<?x4x5x12xf32>",
          4,
          "tensor<2x2xf32>",
          R"(%i0 = arith.muli %d1, %c2 : index %i = arith.addi %i0, %d4 : index
             %j0 = arith.muli %d2, %c2 : index %j = arith.addi %j0, %d5 : index
             %term = tensor.extract %x[%d0, %i, %j, %d3] : tensor<?x8x10x12xf32>)",
          "arith.maximumf",
          "0xFF800000"};
}

/// A pointwise kernel on [4, 20]; `body` defines %term from the element %a.
inline Kernel pointwise(std::string body) {
  return {"%x: tensor<4x20xf32>",
          "",
          "",
          "tensor<4x20xf32>",
          2,
          "",
          "%a = tensor.extract %x[%d0, %d1] : tensor<4x20xf32>\n" + std::move(body)};
}

} // namespace attnc
