#include "tests/support/DeviceProducts.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace attnc {

namespace {

/// A pending sum: a NaN with the number of the product, from 1 on, and of the register.
constexpr uint32_t pendingBits = 0x7fc00000, registerBits = 7, productsLimit = 1 << 15;

float pending(size_t product, size_t number) {
  return std::bit_cast<float>(pendingBits | static_cast<uint32_t>((product + 1) << registerBits | number));
}

struct Pending {
  size_t product, number;
};
std::optional<Pending> asPending(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value), product = (bits & ~pendingBits) >> registerBits;
  if ((bits & pendingBits) != pendingBits || bits >> 31 != 0 || product == 0)
    return std::nullopt;
  return Pending{product - 1, bits & ((1u << registerBits) - 1)};
}

float numberOf(ProductKind::Element element, const char *place) {
  if (element == ProductKind::Element::TF32) {
    uint32_t word;
    std::memcpy(&word, place, sizeof word);
    return std::bit_cast<float>(word & 0xffffe000u);
  }
  uint16_t half;
  std::memcpy(&half, place, sizeof half);
  if (element == ProductKind::Element::BF16)
    return std::bit_cast<float>(static_cast<uint32_t>(half) << 16);
  return static_cast<float>(std::bit_cast<_Float16>(half));
}

/// A matrix in shared memory, by its descriptor.
class SharedMatrix {
public:
  SharedMatrix(const ProductKind &kind, uint64_t descriptor, bool isTurned,
               const std::function<const char *(uint64_t)> &read)
      : element(kind.element), start((descriptor & 0x3fff) << 4), panel((descriptor >> 16 & 0x3fff) << 4),
        pattern((descriptor >> 32 & 0x3fff) << 4), isTurned(isTurned), read(read) {
    constexpr std::array<size_t, 4> rowOfCode = {0, 128, 64, 32};
    rowBytes = rowOfCode[descriptor >> 62];
    isKnown = rowBytes != 0 && (descriptor >> 46 & 0xffff & ~0xc000) == 0;
  }
  bool isKnown;

  float at(size_t outer, size_t k) const {
    size_t bytes = element == ProductKind::Element::TF32 ? 4 : 2, width = rowBytes / bytes;
    size_t row = isTurned ? k : outer, column = isTurned ? outer : k;
    uint64_t address = start + row / 8 * pattern + row % 8 * rowBytes + column % width * bytes + column / width * panel;
    uint64_t exchanged = address ^ ((address >> 7 & (rowBytes / 16 - 1)) << 4);
    return numberOf(element, read(exchanged & ~uint64_t(15)) + exchanged % 16);
  }

private:
  ProductKind::Element element;
  uint64_t start, panel, pattern;
  bool isTurned;
  const std::function<const char *(uint64_t)> &read;
  size_t rowBytes;
};

/// The row and column in D of register `number` of a thread. The 32-bit registers of A are 8×8 matrices in the same
/// order.
std::pair<size_t, size_t> placeOfSum(size_t thread, size_t number) {
  size_t lane = thread % 32;
  return {thread / 32 * 16 + lane / 4 + number / 2 % 2 * 8, number / 4 * 8 + lane % 4 * 2 + number % 2};
}

} // namespace

std::string WarpGroupProducts::fence(size_t thread) {
  progress[thread].isFenced = true;
  return "";
}

std::string WarpGroupProducts::begin(size_t thread, Part part, float *sums) {
  Progress &own = progress[thread];
  if (!own.isFenced)
    return "a product without wgmma.fence in front of its group";
  if (own.parts.size() == productsLimit - 1)
    return "too many products for the model";
  for (size_t each = 0; each < part.sums.size(); ++each)
    sums[each] = pending(own.parts.size(), each);
  own.parts.push_back(std::move(part));
  return "";
}

void WarpGroupProducts::close(size_t thread) {
  progress[thread].groups.push_back(progress[thread].parts.size());
  progress[thread].isFenced = false;
}

std::string WarpGroupProducts::await(size_t thread, size_t open, const std::vector<uint32_t> &kept) {
  Progress &own = progress[thread];
  size_t needed = own.awaited;
  for (; own.groups.size() > open; own.groups.pop_front())
    needed = own.groups.front();
  std::vector<uint32_t> read;
  for (; own.awaited < needed; ++own.awaited)
    if (const Part &part = own.parts[own.awaited]; part.kind.hasFragmentA)
      read.insert(read.end(), part.fragment.begin(), part.fragment.end());
  waits[thread] = needed;
  return read == kept ? "" : "registers that a product reads are not kept until it has ended";
}

std::string WarpGroupProducts::computeAwaited(const std::function<const char *(uint64_t)> &read) {
  size_t wanted = 0;
  for (const std::optional<size_t> &each : waits)
    wanted = std::max(wanted, each.value_or(0));
  return computeUpTo(wanted, read);
}

std::string WarpGroupProducts::computeBegun(const std::function<const char *(uint64_t)> &read) {
  return computeUpTo(productsLimit, read);
}

std::string WarpGroupProducts::computeUpTo(size_t wanted, const std::function<const char *(uint64_t)> &read) {
  for (const Progress &each : progress)
    wanted = std::min(wanted, each.parts.size());
  while (results.size() < wanted)
    if (std::string fault = computeNext(read); !fault.empty())
      return fault;
  return "";
}

bool WarpGroupProducts::endWait(size_t thread) {
  if (!waits[thread] || *waits[thread] > results.size())
    return false;
  waits[thread].reset();
  return true;
}

float WarpGroupProducts::resolved(size_t thread, float value) const {
  std::optional<Pending> stands = asPending(value);
  if (!stands || stands->product >= results.size())
    return value;
  size_t sums = results[stands->product].size() / threads;
  return stands->number < sums ? results[stands->product][thread * sums + stands->number] : value;
}

void WarpGroupProducts::resolve(size_t thread, const float *from, float *to, size_t count) const {
  for (size_t each = 0; each < count; ++each)
    to[each] = resolved(thread, from[each]);
}

std::string WarpGroupProducts::computeNext(const std::function<const char *(uint64_t)> &read) {
  size_t number = results.size();
  const Part &part = progress[0].parts[number];
  const ProductKind &kind = part.kind;
  for (const Progress &each : progress) {
    const Part &other = each.parts[number];
    bool isSame = other.kind == kind && other.b == part.b && other.keepsSums == part.keepsSums;
    if (!isSame || (!kind.hasFragmentA && other.a != part.a))
      return "threads of a warp group come to different products";
  }
  SharedMatrix left(kind, part.a, kind.turnsA, read), right(kind, part.b, kind.turnsB, read);
  if (!right.isKnown || (!kind.hasFragmentA && !left.isKnown))
    return "a descriptor of a matrix that the model does not support";
  size_t depth = kind.depth();
  std::vector<float> a(64 * depth), b(kind.columns * depth), result(threads * kind.sums());
  for (size_t row = 0; row < 64 && !kind.hasFragmentA; ++row)
    for (size_t k = 0; k < depth; ++k)
      a[row * depth + k] = left.at(row, k);
  for (size_t thread = 0; thread < threads && kind.hasFragmentA; ++thread)
    for (size_t word = 0; word < 4; ++word)
      for (size_t half = 0, parts = depth / 8; half < parts; ++half) {
        size_t row = thread / 32 * 16 + thread % 32 / 4 + word % 2 * 8;
        size_t k = thread % 4 * parts + half + word / 2 * (depth / 2);
        const auto *bytes = reinterpret_cast<const char *>(&progress[thread].parts[number].fragment[word]);
        a[row * depth + k] = numberOf(kind.element, bytes + half * 2);
      }
  for (size_t column = 0; column < kind.columns; ++column)
    for (size_t k = 0; k < depth; ++k)
      b[column * depth + k] = right.at(column, k);
  for (size_t thread = 0; thread < threads; ++thread)
    for (size_t each = 0; each < kind.sums(); ++each) {
      auto [row, column] = placeOfSum(thread, each);
      float before = part.keepsSums ? resolved(thread, progress[thread].parts[number].sums[each]) : 0;
      result[thread * kind.sums() + each] = addProducts(how, before, &a[row * depth], &b[column * depth], depth);
    }
  results.push_back(std::move(result));
  return "";
}

} // namespace attnc
