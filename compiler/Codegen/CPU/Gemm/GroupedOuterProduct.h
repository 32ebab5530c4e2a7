//===- GroupedOuterProduct.h - sums of outer products, by matrices that data selects ------------------------------===//
//
// The gradient of the matrices of a grouped product: for each matrix, the product of two sets of rows, which the sort
// phase has assigned to it (GroupedRows.h). In mixtures of experts, the depth of these products is the tokens of an
// expert:
//
//   result[e] = initial[e] + sum over the steps k of matrix e of left[k, ..]' * right[k, ..]
//
// A chunk is (matrix, row block, group of panels), in the words of GemmSchedule.h. It copies kc steps at a time,
// because the steps of a matrix are at different distances in memory:
//
//   for k0 = 0 .. steps of the matrix, step kc
//     for k in k0 .. k0 + kc
//       copied[k][row]          = left[step k, rows of the block]       an odd number of cache lines a step
//       packed[panel][k][0..nr] = right[step k, columns of the panel]
//     for panel in panels of the chunk
//       for tile in rows of the block
//         partial[panel][tile] += copied[tile] * packed[panel]
//
// The steps of a matrix are added in their order, so the sums are the same for any number of threads. A matrix without
// steps is `initial` (or zeros).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Gemm/GemmSchedule.h"
#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

/// Emits the phase that multiplies, after the sort phase (GemmPhase.h), of a grouped outer product. The phase has
/// schedule.chunks() chunks and outerProductBytes() bytes of worker scratch.
void emitGroupedOuterProduct(const GemmProblem &problem, const GemmSchedule &schedule, KernelFrame &frame);

int64_t outerProductBytes(const GemmSchedule &schedule);

} // namespace attnc
