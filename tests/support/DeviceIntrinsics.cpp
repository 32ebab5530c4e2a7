#include "tests/support/DeviceIntrinsics.h"
#include "tests/support/DeviceBlock.h"
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace attnc {

namespace {

template <typename T> T operand(const uint64_t *operands, size_t number) {
  T value;
  std::memcpy(&value, operands + number, sizeof value);
  return value;
}

template <typename T> void answer(void *result, T value) { std::memcpy(result, &value, sizeof value); }

//===------------------------------------------ threads -----------------------------------------------------------===//

void threadNumber(const uint64_t *, void *result) {
  answer(result, static_cast<int32_t>(DeviceBlock::running().thread()));
}
void blockNumber(const uint64_t *, void *result) {
  answer(result, static_cast<int32_t>(DeviceBlock::running().number()));
}
void blockBarrier(const uint64_t *, void *) { DeviceBlock::running().waitForBlock(); }

template <WarpWork work> void inWarp(const uint64_t *operands, void *result) {
  DeviceBlock::running().workInWarp({operands, result}, work);
}

void nothing(std::span<const DeviceLane>) {}

/// barrier.sync(number, threads)
void threadsBarrier(const uint64_t *operands, void *) {
  DeviceBlock::running().waitForThreads(operand<uint32_t>(operands, 0), operand<uint32_t>(operands, 1));
}

void arriveForThreads(const uint64_t *operands, void *) {
  DeviceBlock::running().arriveForThreads(operand<uint32_t>(operands, 0), operand<uint32_t>(operands, 1));
}

void initBarrier(const uint64_t *operands, void *) {
  DeviceBlock::running().initBarrier(operand<const char *>(operands, 0), operand<uint32_t>(operands, 1));
}
/// The returned state is unused.
void arriveAtBarrier(const uint64_t *operands, void *result) {
  DeviceBlock::running().arrive(operand<const char *>(operands, 0));
  answer(result, uint64_t(0));
}
void tryWaitParity(const uint64_t *operands, void *result) {
  answer(result, DeviceBlock::running().tryWait(operand<const char *>(operands, 0), operand<uint32_t>(operands, 1)));
}

/// shfl.sync(members, value, operand, clamp): a lane receives the value of lane source(lane, operand).
template <size_t (*source)(size_t lane, size_t operand)> void exchange(std::span<const DeviceLane> lanes) {
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    size_t with = source(lane, operand<uint32_t>(lanes[lane].operands, 2)) % lanes.size();
    answer(lanes[lane].result, operand<uint32_t>(lanes[with].operands, 1));
  }
}

size_t byDistance(size_t lane, size_t operand) { return lane ^ operand; }
size_t byNumber(size_t, size_t operand) { return operand; }

//===------------------------------------------ copies ------------------------------------------------------------===//

/// cp.async.shared.global(to, from, bytes)
template <size_t size> void copy(const uint64_t *operands, void *) {
  DeviceBlock::running().issueCopy(operand<char *>(operands, 0), operand<const char *>(operands, 1),
                                   operand<uint32_t>(operands, 2), size);
}
void fenceProxy(const uint64_t *, void *) { DeviceBlock::running().fenceProxy(); }
void commitGroup(const uint64_t *, void *) { DeviceBlock::running().closeGroup(); }
void waitGroup(const uint64_t *operands, void *) { DeviceBlock::running().awaitGroups(operand<uint32_t>(operands, 0)); }

//===------------------------------------------ tiles -------------------------------------------------------------===//

/// mbarrier.arrive.expect_tx(barrier, bytes)
void arriveExpecting(const uint64_t *operands, void *result) {
  DeviceBlock::running().arrive(operand<const char *>(operands, 0), operand<uint32_t>(operands, 1));
  answer(result, uint64_t(0));
}

using MapField = DeviceTensorMap::Field;

/// tensormap.replace(map, value)
template <MapField field, typename Word> void replaceField(const uint64_t *operands, void *) {
  DeviceBlock::running().writeMap(operand<char *>(operands, 0), field, 0, operand<Word>(operands, 1));
}
/// tensormap.replace(map, dimension, value)
template <MapField field, typename Word> void replaceOne(const uint64_t *operands, void *) {
  DeviceBlock::running().writeMap(operand<char *>(operands, 0), field, operand<uint32_t>(operands, 1),
                                  operand<Word>(operands, 2));
}

void syncWarp(std::span<const DeviceLane>) { DeviceBlock::running().orderMapWrites(); }

/// tensormap.cp_fenceproxy(to, from), the same in all lanes
void releaseMap(std::span<const DeviceLane> lanes) {
  DeviceBlock::running().releaseMap(operand<char *>(lanes[0].operands, 0), operand<const char *>(lanes[0].operands, 1));
}

void acquireMap(const uint64_t *operands, void *) {
  DeviceBlock::running().acquireMap(operand<const char *>(operands, 0));
}

/// Bulk copies are counted by barriers, so their groups are empty; waiting for a group waits for maps.
void awaitBulkCopies(const uint64_t *, void *) { DeviceBlock::running().awaitBulkCopies(); }

/// cp.async.bulk.tensor(to, barrier, map, coordinates...)
template <size_t dimensions> void copyTile(const uint64_t *operands, void *) {
  std::vector<int32_t> coordinates;
  for (size_t each = 0; each < dimensions; ++each)
    coordinates.push_back(operand<int32_t>(operands, 3 + each));
  DeviceBlock::running().issueTile(operand<char *>(operands, 0), operand<const char *>(operands, 2),
                                   std::move(coordinates), operand<const char *>(operands, 1));
}

//===------------------------------------------ matrices ----------------------------------------------------------===//

/// ldmatrix: lane l receives elements 2(l % 4) and the next one of row l / 4 of each matrix, or of the transposed
/// matrix; lane 8m + r has the address of row r of matrix m.
template <size_t count, bool turned> void spread(std::span<const DeviceLane> lanes) {
  for (size_t lane = 0; lane < lanes.size(); ++lane)
    for (size_t matrix = 0; matrix < count; ++matrix)
      for (size_t half = 0; half < 2; ++half) {
        size_t row = lane / 4, column = lane % 4 * 2 + half;
        if (turned)
          std::swap(row, column);
        auto *source = operand<const uint16_t *>(lanes[8 * matrix + row].operands, 0);
        static_cast<uint16_t *>(lanes[lane].result)[2 * matrix + half] = source[column];
      }
}

template <size_t count, bool turned> void loadMatrices(const uint64_t *operands, void *result) {
  DeviceBlock &block = DeviceBlock::running();
  if (block.thread() % DeviceBlock::warpThreads < 8 * count)
    block.checkShared("ldmatrix", operand<const void *>(operands, 0), 16, 16);
  inWarp<spread<count, turned>>(operands, result);
}

float halfAt(uint32_t word, size_t part) {
  return static_cast<float>(std::bit_cast<std::array<_Float16, 2>>(word)[part]);
}
float bfloatAt(uint32_t word, size_t part) { return std::bit_cast<float>(part == 0 ? word << 16 : word & 0xffff0000u); }
/// The instruction ignores the last 13 bits.
float tfloatAt(uint32_t word, size_t) { return std::bit_cast<float>(word & 0xffffe000u); }

/// ex2.approx: on a device within a relative error of 2^-22 of the power, with subnormal results flushed to zero.
void powerOfTwo(const uint64_t *operands, void *result) {
  float power = std::exp2(operand<float>(operands, 0));
  answer(result, power < 0x1p-126f ? 0.0f : power);
}

/// D = A * B + C with m16n8k`depth`: a word of A or B contains `parts` consecutive elements along the depth.
template <size_t depth, size_t parts, float (*element)(uint32_t, size_t)>
void multiplyAdd(std::span<const DeviceLane> lanes) {
  float a[16][depth], b[8][depth];
  for (size_t lane = 0; lane < lanes.size(); ++lane)
    for (size_t word = 0; word < 6; ++word)
      for (size_t part = 0; part < parts; ++part) {
        float value = element(operand<uint32_t>(lanes[lane].operands, word), part);
        size_t outer = lane / 4, inner = lane % 4 * parts + part;
        if (word < 4)
          a[outer + word % 2 * 8][inner + word / 2 * (depth / 2)] = value;
        else
          b[outer][inner + (word - 4) * (depth / 2)] = value;
      }
  TensorCoreSums how = DeviceBlock::running().sums();
  for (size_t lane = 0; lane < lanes.size(); ++lane)
    for (size_t each = 0; each < 4; ++each)
      static_cast<float *>(lanes[lane].result)[each] =
          addProducts(how, operand<float>(lanes[lane].operands, 6 + each), a[lane / 4 + each / 2 * 8],
                      b[lane % 4 * 2 + each % 2], depth);
}

void roundToTf32(const uint64_t *operands, void *result) {
  answer(result, nearestTf32(operand<uint32_t>(operands, 0)));
}

//===------------------------------------------ products of warp groups -------------------------------------------===//

void checkProducts(const std::string &fault) {
  if (!fault.empty())
    DeviceBlock::running().fail(fault);
}

std::vector<float> floats(const uint64_t *operands, size_t first, size_t count) {
  std::vector<float> values;
  for (size_t each = 0; each < count; ++each)
    values.push_back(operand<float>(operands, first + each));
  return values;
}

/// (number of sums, sums...)
void fenceProducts(const uint64_t *operands, void *result) {
  DeviceBlock &block = DeviceBlock::running();
  checkProducts(block.warpGroup().fence(block.threadInGroup()));
  std::vector<float> sums = floats(operands, 1, operands[0]);
  std::memcpy(result, sums.data(), sums.size() * sizeof(float));
}

void closeProducts(const uint64_t *, void *) {
  DeviceBlock &block = DeviceBlock::running();
  block.warpGroup().close(block.threadInGroup());
}

/// (groups that may be unfinished, number of sums, number of kept registers, sums..., kept...)
void awaitProducts(const uint64_t *operands, void *result) {
  DeviceBlock &block = DeviceBlock::running();
  std::vector<float> sums = floats(operands, 3, operands[1]);
  std::vector<uint32_t> kept;
  for (size_t each = 0; each < operands[2]; ++each)
    kept.push_back(operand<uint32_t>(operands, 3 + sums.size() + each));
  block.awaitProducts(operands[0], kept);
  block.warpGroup().resolve(block.threadInGroup(), sums.data(), static_cast<float *>(result), sums.size());
}

/// (kind in five numbers, sums..., A, B, accumulates)
void beginProduct(const uint64_t *operands, void *result) {
  DeviceBlock &block = DeviceBlock::running();
  WarpGroupProducts::Part part{};
  part.kind = {operands[0], static_cast<ProductKind::Element>(operands[1]), operands[2] != 0, operands[3] != 0,
               operands[4] != 0};
  part.sums = floats(operands, 5, part.kind.sums());
  size_t next = 5 + part.kind.sums();
  if (part.kind.hasFragmentA)
    for (uint32_t &word : part.fragment)
      word = operand<uint32_t>(operands, next++);
  else
    part.a = operands[next++];
  part.b = operands[next++];
  part.keepsSums = operand<uint32_t>(operands, next) != 0;
  checkProducts(block.warpGroup().begin(block.threadInGroup(), std::move(part), static_cast<float *>(result)));
}

} // namespace

const std::vector<DeviceIntrinsic> &deviceIntrinsics() {
  static const std::vector<DeviceIntrinsic> table = {
      {"llvm.nvvm.read.ptx.sreg.tid.x", threadNumber},
      {"llvm.nvvm.read.ptx.sreg.ctaid.x", blockNumber},
      {"llvm.nvvm.barrier.cta.sync.aligned.all", blockBarrier},
      {"llvm.nvvm.bar.warp.sync", inWarp<syncWarp>},
      {"llvm.nvvm.shfl.sync.bfly.i32", inWarp<exchange<byDistance>>},
      {"llvm.nvvm.shfl.sync.bfly.f32", inWarp<exchange<byDistance>>},
      {"llvm.nvvm.shfl.sync.idx.i32", inWarp<exchange<byNumber>>},
      {"llvm.nvvm.shfl.sync.idx.f32", inWarp<exchange<byNumber>>},
      {"llvm.nvvm.cp.async.ca.shared.global.4.s", copy<4>},
      {"llvm.nvvm.cp.async.cg.shared.global.16.s", copy<16>},
      {"llvm.nvvm.cp.async.commit.group", commitGroup},
      {"llvm.nvvm.cp.async.wait.group", waitGroup},
      {"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3", loadMatrices<4, false>},
      {"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3", loadMatrices<4, true>},
      {"llvm.nvvm.mma.m16n8k16.row.col.f32.f32", inWarp<multiplyAdd<16, 2, halfAt>>},
      {"llvm.nvvm.mma.m16n8k16.row.col.bf16", inWarp<multiplyAdd<16, 2, bfloatAt>>},
      {"llvm.nvvm.mma.m16n8k8.row.col.tf32", inWarp<multiplyAdd<8, 1, tfloatAt>>},
      {"llvm.nvvm.f2tf32.rna", roundToTf32},
      {"llvm.nvvm.ex2.approx.ftz.f32", powerOfTwo},
      {"llvm.nvvm.barrier.cta.sync.aligned.count", threadsBarrier},
      {"llvm.nvvm.barrier.cta.arrive.aligned.count", arriveForThreads},
      {"llvm.nvvm.mbarrier.init.shared", initBarrier},
      {"llvm.nvvm.mbarrier.arrive.shared", arriveAtBarrier},
      {"llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta", tryWaitParity},
      {"llvm.nvvm.fence.proxy.async.shared_cta", fenceProxy},
      {"llvm.nvvm.setmaxnreg.inc.sync.aligned.u32", inWarp<nothing>},
      {"llvm.nvvm.setmaxnreg.dec.sync.aligned.u32", inWarp<nothing>},
      {"llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta", arriveExpecting},
      {"llvm.nvvm.tensormap.replace.global.address.p3", replaceField<MapField::Address, uint64_t>},
      {"llvm.nvvm.tensormap.replace.rank.p3", replaceField<MapField::Rank, uint32_t>},
      {"llvm.nvvm.tensormap.replace.box.dim.p3", replaceOne<MapField::Box, uint32_t>},
      {"llvm.nvvm.tensormap.replace.global.dim.p3", replaceOne<MapField::Size, uint32_t>},
      {"llvm.nvvm.tensormap.replace.global.stride.p3", replaceOne<MapField::Stride, uint64_t>},
      {"llvm.nvvm.tensormap.replace.element.stride.p3", replaceOne<MapField::ElementStride, uint32_t>},
      {"llvm.nvvm.tensormap.replace.elemtype.p3", replaceField<MapField::ElementType, uint32_t>},
      {"llvm.nvvm.tensormap.replace.interleave.layout.p3", replaceField<MapField::Interleave, uint32_t>},
      {"llvm.nvvm.tensormap.replace.swizzle.mode.p3", replaceField<MapField::Swizzle, uint32_t>},
      {"llvm.nvvm.tensormap.replace.fill.mode.p3", replaceField<MapField::Fill, uint32_t>},
      {"llvm.nvvm.fence.proxy.tensormap_generic.acquire.gpu", acquireMap},
      {"llvm.nvvm.cp.async.bulk.commit.group", [](const uint64_t *, void *) {}},
      {"llvm.nvvm.cp.async.bulk.wait.group.read", awaitBulkCopies},
      {"llvm.nvvm.cp.async.bulk.tensor.g2s.cta.tile.1d", copyTile<1>},
      {"llvm.nvvm.cp.async.bulk.tensor.g2s.cta.tile.2d", copyTile<2>},
      {"llvm.nvvm.cp.async.bulk.tensor.g2s.cta.tile.3d", copyTile<3>},
      {"llvm.nvvm.cp.async.bulk.tensor.g2s.cta.tile.4d", copyTile<4>},
      {"llvm.nvvm.cp.async.bulk.tensor.g2s.cta.tile.5d", copyTile<5>},
      {"llvm.nvvm.wgmma.commit_group.sync.aligned", closeProducts},
      {"tensormap.cp_fenceproxy", inWarp<releaseMap>},
      {"wgmma.fence", fenceProducts},
      {"wgmma.wait_group", awaitProducts},
      {"wgmma.mma_async", beginProduct},
  };
  return table;
}

} // namespace attnc
