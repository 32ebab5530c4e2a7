#include "tools/attnc/ExplainedModel/MaskBlocks.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "compiler/Reference/Formula.h"
#include "compiler/Sizes/SizeAnalysis.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include <algorithm>
#include <fmt/format.h>

using namespace mlir;

namespace attnc {

using reference::Array;
using reference::Environment;
using reference::Fault;
using reference::Formula;

static constexpr int64_t mostBlocks = 48, mostSamples = 16; ///< along each side: blocks of a map, samples of a block

namespace {

/// The queries or the keys: several dimensions, flattened in row-major order.
struct Positions {
  SmallVector<unsigned> arguments; ///< numbers of the mask's arguments
  SmallVector<int64_t> sizes;
  int64_t block = 1;

  int64_t count() const { return reference::elementsOf(sizes); }
  int64_t blocks() const { return (count() + block - 1) / block; }
  /// Sets the mask's arguments to one position.
  void set(int64_t position, MutableArrayRef<double> indices) const {
    for (size_t at = sizes.size(); at-- > 0; position /= sizes[at])
      indices[arguments[at]] = double(position % sizes[at]);
  }
  /// The sampled positions of a block: its first and last one, and others at even distances between.
  SmallVector<int64_t> samplesOf(int64_t number) const {
    int64_t first = number * block, size = std::min(block, count() - first), samples = std::min(size, mostSamples);
    SmallVector<int64_t> result;
    for (int64_t sample = 0; sample < samples; ++sample)
      result.push_back(first + (samples > 1 ? sample * (size - 1) / (samples - 1) : 0));
    return result;
  }
};

/// Evaluates the mask of an attention at given sizes.
class MaskReader {
public:
  /// `op` is an attention or its gradient.
  template <class Attention>
  MaskReader(Attention op, ArrayRef<std::optional<int64_t>> symbols)
      : mask(op.getMask()), outerSizes(op.getOuterSizes()), keySizes(op.getKeySizes()),
        kernel(op->template getParentOfType<func::FuncOp>()), symbols(symbols), sizes(SizeAnalysis::ofKernel(kernel)) {}

  MaskBlocks read() {
    MaskBlocks result;
    result.problem = bind();
    if (result.problem.empty())
      result.problem = fill(result);
    return result;
  }

private:
  /// The value of a captured index or constant; null if it depends on data.
  std::optional<double> valueOf(Value value);
  /// Assigns values to all values that the mask captures; returns the reason if one has none.
  std::string bind();
  bool isUsed(unsigned argument) { return !mask.getArgument(argument).use_empty(); }
  /// The positions along the dimensions that the mask depends on, or along the last one if it depends on none.
  std::optional<Positions> positionsOf(ValueRange extents, unsigned firstArgument, StringRef blockKey);
  std::string fill(MaskBlocks &result);

  Region &mask;
  ValueRange outerSizes, keySizes;
  func::FuncOp kernel;
  ArrayRef<std::optional<int64_t>> symbols;
  SizeAnalysis sizes;
  Environment captured;
  Fault fault;
};

} // namespace

std::optional<double> MaskReader::valueOf(Value value) {
  if (Attribute constant; matchPattern(value, m_Constant(&constant))) {
    if (auto integer = dyn_cast<IntegerAttr>(constant))
      return double(integer.getInt());
    if (auto real = dyn_cast<FloatAttr>(constant))
      return real.getValueAsDouble();
    return std::nullopt;
  }
  if (!value.getType().isIndex())
    return std::nullopt;
  std::optional<SizeExpr> size = sizes.index(value);
  SmallVector<std::optional<SizeExpr>> known;
  for (std::optional<int64_t> symbol : symbols)
    known.push_back(symbol ? std::optional<SizeExpr>(*symbol) : std::nullopt);
  if (size)
    size = substituteKnown(*size, known);
  return size ? std::optional(double(size->evaluate({}))) : std::nullopt;
}

std::string MaskReader::bind() {
  SetVector<Value> values;
  getUsedValuesDefinedAbove(mask, values);
  for (Value value : values) {
    if (isa<RankedTensorType>(value.getType()))
      return "it is a function of data";
    std::optional<double> known = valueOf(value);
    FailureOr<reference::Element> element = reference::elementOf(value.getType());
    if (!known || failed(element))
      return "it is a function of values that the model computes";
    captured[value] = std::make_shared<Array>(Array::scalar(*element, *known));
  }
  return {};
}

std::optional<Positions> MaskReader::positionsOf(ValueRange extents, unsigned firstArgument, StringRef blockKey) {
  Positions result;
  for (unsigned at = 0; at < extents.size(); ++at) {
    bool isLast = at + 1 == extents.size() && result.sizes.empty();
    if (!isUsed(firstArgument + at) && !isLast)
      continue;
    std::optional<double> size = valueOf(extents[at]);
    if (!size)
      return std::nullopt;
    result.arguments.push_back(firstArgument + at);
    result.sizes.push_back(int64_t(*size));
  }
  result.block = chosenNumber(kernel, blockKey).value_or(64);
  while (result.blocks() > mostBlocks)
    result.block *= 2;
  return result;
}

std::string MaskReader::fill(MaskBlocks &result) {
  unsigned outer = unsigned(outerSizes.size());
  std::optional<Positions> queries = positionsOf(outerSizes, 0, "tile_q"),
                           keys = positionsOf(keySizes, outer, "tile_kv");
  if (!queries || !keys || queries->count() == 0 || keys->count() == 0)
    return "its sizes are known only at run time";
  FailureOr<Formula> formula = Formula::read(mask, captured, reference::Rounding::None, fault);
  if (failed(formula))
    return fault.message();
  result.queries = queries->count(), result.keys = keys->count();
  result.blockQueries = queries->block, result.blockKeys = keys->block;
  result.rows = queries->blocks(), result.columns = keys->blocks();
  SmallVector<double> indices(formula->numArguments(), 0);
  for (int64_t row = 0; row < result.rows; ++row)
    for (int64_t column = 0; column < result.columns; ++column) {
      int64_t kept = 0, asked = 0;
      for (int64_t query : queries->samplesOf(row))
        for (int64_t key : keys->samplesOf(column)) {
          queries->set(query, indices);
          keys->set(key, indices);
          FailureOr<ArrayRef<double>> keeps = formula->evaluate(indices);
          if (failed(keeps))
            return fault.message();
          kept += (*keeps)[0] != 0;
          ++asked;
        }
      result.kept.push_back(float(kept) / float(asked));
    }
  return {};
}

double keptShare(const MaskBlocks &mask) {
  double kept = 0;
  for (int64_t row = 0; row < mask.rows; ++row)
    for (int64_t column = 0; column < mask.columns; ++column)
      kept += double(mask.kept[row * mask.columns + column]) *
              double(std::min(mask.blockQueries, mask.queries - row * mask.blockQueries)) *
              double(std::min(mask.blockKeys, mask.keys - column * mask.blockKeys));
  return kept / (double(mask.queries) * double(mask.keys));
}

std::string summaryOf(const MaskBlocks &mask) {
  return fmt::format("{} x {} pairs, {:.0f} % unmasked; {:.0f} % of the blocks of {} x {} are empty", mask.queries,
                     mask.keys, 100 * keptShare(mask),
                     100 * double(llvm::count(mask.kept, 0)) / double(mask.kept.size()), mask.blockQueries,
                     mask.blockKeys);
}

template <class Attention>
static std::optional<MaskBlocks> maskOfOps(func::FuncOp kernel, ArrayRef<std::optional<int64_t>> symbols) {
  for (auto op : kernel.getOps<Attention>())
    if (!op.getMask().empty())
      return MaskReader(op, symbols).read();
  return std::nullopt;
}

std::optional<MaskBlocks> maskBlocksOf(func::FuncOp kernel, ArrayRef<std::optional<int64_t>> symbols) {
  std::optional<MaskBlocks> mask = maskOfOps<attn::AttendOp>(kernel, symbols);
  return mask ? mask : maskOfOps<attn::AttendGradientOp>(kernel, symbols);
}

} // namespace attnc
