#include "compiler/Reference/OpEvaluation.h"
#include <limits>

using namespace mlir;
using namespace attnc::reference;

/// The shape of a result type, with its dynamic sizes replaced by `sizes` in order.
static llvm::SmallVector<int64_t> shapeOf(Type type, ArrayRef<int64_t> sizes) {
  llvm::SmallVector<int64_t> shape(cast<RankedTensorType>(type).getShape());
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size)) {
      size = sizes.front();
      sizes = sizes.drop_front();
    }
  return shape;
}

FailureOr<Array> attnc::reference::evaluate(tensor::EmptyOp op, const OpContext &context) {
  auto element = elementOf(op.getType());
  if (failed(element))
    return context.fault.at(op, "unsupported element type, expected f32, i32, i1 or index");
  // NaN exposes reads of unwritten elements.
  double nothing = *element == Element::F32 ? std::numeric_limits<double>::quiet_NaN() : 0;
  return Array(*element, shapeOf(op.getType(), context.integersOf(op.getDynamicSizes())), nothing);
}

FailureOr<Array> attnc::reference::evaluate(tensor::DimOp op, const OpContext &context) {
  int64_t dimension = context.integerOf(op.getIndex());
  const Array &source = context.arrayOf(op.getSource());
  if (dimension < 0 || dimension >= source.rank())
    return context.fault.at(op, "there is no dimension " + Twine(dimension));
  return Array::scalar(Element::Index, source.shape[dimension]);
}

FailureOr<Array> attnc::reference::evaluate(tensor::ExtractOp op, const OpContext &context) {
  const Array &source = context.arrayOf(op.getTensor());
  int64_t offset = source.offsetOf(context.integersOf(op.getIndices()));
  if (offset < 0)
    return context.fault.at(op, "a subscript is outside of " + describe(source.element, source.shape));
  return Array::scalar(source.element, source.values[offset]);
}

FailureOr<Array> attnc::reference::evaluate(tensor::InsertOp op, const OpContext &context) {
  Array result = context.arrayOf(op.getDest());
  int64_t offset = result.offsetOf(context.integersOf(op.getIndices()));
  if (offset < 0)
    return context.fault.at(op, "a subscript is outside of " + describe(result.element, result.shape));
  result.values[offset] = context.arrayOf(op.getScalar()).values[0];
  return result;
}

//===-------------------------------------------- reshapes ------------------------------------------------------===//

FailureOr<Array> attnc::reference::evaluate(tensor::ExpandShapeOp op, const OpContext &context) {
  Array result = context.arrayOf(op.getSrc());
  llvm::SmallVector<int64_t> shape = context.integersOf(op.getMixedOutputShape());
  if (elementsOf(shape) != elementsOf(result.shape))
    return context.fault.at(op, describe(result.element, result.shape) + " has a different number of elements than " +
                                    describe(result.element, shape));
  result.shape = shape;
  return result;
}

FailureOr<Array> attnc::reference::evaluate(tensor::CollapseShapeOp op, const OpContext &context) {
  Array result = context.arrayOf(op.getSrc());
  llvm::SmallVector<int64_t> shape;
  for (const auto &group : op.getReassociationIndices()) {
    shape.push_back(1);
    for (int64_t dimension : group)
      shape.back() *= result.shape[dimension];
  }
  result.shape = shape;
  return result;
}

FailureOr<Array> attnc::reference::evaluate(tensor::CastOp op, const OpContext &context) {
  return context.arrayOf(op.getSource());
}

//===-------------------------------------------- slices --------------------------------------------------------===//

/// The indices in the source tensor of an element of its slice.
static llvm::SmallVector<int64_t> placeInSource(ArrayRef<int64_t> indices, ArrayRef<int64_t> offsets,
                                                ArrayRef<int64_t> strides) {
  llvm::SmallVector<int64_t> place;
  for (auto [index, offset, stride] : llvm::zip_equal(indices, offsets, strides))
    place.push_back(offset + index * stride);
  return place;
}

/// The sizes without the dimensions that a rank-reducing slice drops.
static llvm::SmallVector<int64_t> withoutDropped(ArrayRef<int64_t> sizes, const llvm::SmallBitVector &dropped) {
  llvm::SmallVector<int64_t> shape;
  for (auto [dimension, size] : llvm::enumerate(sizes))
    if (!dropped.test(dimension))
      shape.push_back(size);
  return shape;
}

FailureOr<Array> attnc::reference::evaluate(tensor::ExtractSliceOp op, const OpContext &context) {
  const Array &source = context.arrayOf(op.getSource());
  auto offsets = context.integersOf(op.getMixedOffsets()), sizes = context.integersOf(op.getMixedSizes()),
       strides = context.integersOf(op.getMixedStrides());
  Array result(source.element, withoutDropped(sizes, op.getDroppedDims()), 0.0);
  auto next = result.values.begin();
  auto copy = [&](ArrayRef<int64_t> indices) -> LogicalResult {
    int64_t from = source.offsetOf(placeInSource(indices, offsets, strides));
    if (from < 0)
      return context.fault.at(op, "the slice is not inside of " + describe(source.element, source.shape));
    *next++ = source.values[from];
    return success();
  };
  if (failed(forEachIndex(sizes, copy)))
    return failure();
  return result;
}

FailureOr<Array> attnc::reference::evaluate(tensor::InsertSliceOp op, const OpContext &context) {
  const Array &source = context.arrayOf(op.getSource());
  Array result = context.arrayOf(op.getDest());
  auto offsets = context.integersOf(op.getMixedOffsets()), sizes = context.integersOf(op.getMixedSizes()),
       strides = context.integersOf(op.getMixedStrides());
  if (elementsOf(sizes) != elementsOf(source.shape))
    return context.fault.at(op, describe(source.element, source.shape) + " does not fill the slice");
  auto next = source.values.begin();
  auto copy = [&](ArrayRef<int64_t> indices) -> LogicalResult {
    int64_t to = result.offsetOf(placeInSource(indices, offsets, strides));
    if (to < 0)
      return context.fault.at(op, "the slice is not inside of " + describe(result.element, result.shape));
    result.values[to] = *next++;
    return success();
  };
  if (failed(forEachIndex(sizes, copy)))
    return failure();
  return result;
}

FailureOr<Array> attnc::reference::evaluate(tensor::ConcatOp op, const OpContext &context) {
  int64_t along = op.getDim(), total = 0;
  for (Value input : op.getInputs())
    total += context.arrayOf(input).shape[along];
  const Array &first = context.arrayOf(op.getInputs().front());
  llvm::SmallVector<int64_t> shape = first.shape;
  shape[along] = total;
  Array result(first.element, shape, 0.0);
  int64_t start = 0;
  for (Value input : op.getInputs()) {
    const Array &source = context.arrayOf(input);
    auto next = source.values.begin();
    auto copy = [&](ArrayRef<int64_t> indices) -> LogicalResult {
      llvm::SmallVector<int64_t> place(indices);
      place[along] += start;
      int64_t to = result.offsetOf(place);
      if (to < 0)
        return context.fault.at(op, "inputs differ in a dimension that is not concatenated");
      result.values[to] = *next++;
      return success();
    };
    if (failed(forEachIndex(source.shape, copy)))
      return failure();
    start += source.shape[along];
  }
  return result;
}

FailureOr<Array> attnc::reference::evaluate(tensor::PadOp op, const OpContext &context) {
  const Array &source = context.arrayOf(op.getSource());
  auto low = context.integersOf(op.getMixedLowPad()), high = context.integersOf(op.getMixedHighPad());
  llvm::SmallVector<int64_t> shape;
  for (auto [size, before, after] : llvm::zip_equal(source.shape, low, high))
    shape.push_back(before + size + after);
  auto formula = context.formula(op.getRegion());
  if (failed(formula))
    return failure();
  Array result(source.element, shape, 0.0);
  auto next = result.values.begin();
  auto fill = [&](ArrayRef<int64_t> indices) -> LogicalResult {
    llvm::SmallVector<int64_t> place;
    for (auto [index, before] : llvm::zip_equal(indices, low))
      place.push_back(index - before);
    auto padding = formula->evaluate(llvm::SmallVector<double>(indices.begin(), indices.end()));
    if (failed(padding))
      return failure();
    int64_t from = source.offsetOf(place);
    *next++ = from < 0 ? padding->front() : source.values[from];
    return success();
  };
  if (failed(forEachIndex(shape, fill)))
    return failure();
  return result;
}

//===-------------------------------------------- built from scalars --------------------------------------------===//

FailureOr<Array> attnc::reference::evaluate(tensor::FromElementsOp op, const OpContext &context) {
  std::vector<double> elements;
  for (Value element : op.getElements())
    elements.push_back(context.arrayOf(element).values[0]);
  return Array(context.arrayOf(op.getElements().front()).element, op.getType().getShape(), std::move(elements));
}

FailureOr<Array> attnc::reference::evaluate(tensor::SplatOp op, const OpContext &context) {
  const Array &input = context.arrayOf(op.getInput());
  auto shape = shapeOf(op.getType(), context.integersOf(op.getDynamicSizes()));
  return Array(input.element, shape, input.values[0]);
}

FailureOr<Array> attnc::reference::evaluate(tensor::GenerateOp op, const OpContext &context) {
  auto element = elementOf(op.getType());
  auto formula = context.formula(op.getBody());
  if (failed(element) || failed(formula))
    return context.fault.at(op, "unsupported element type, expected f32, i32, i1 or index");
  Array result(*element, shapeOf(op.getType(), context.integersOf(op.getDynamicExtents())), 0.0);
  auto next = result.values.begin();
  auto compute = [&](ArrayRef<int64_t> indices) -> LogicalResult {
    auto value = formula->evaluate(llvm::SmallVector<double>(indices.begin(), indices.end()));
    if (succeeded(value))
      *next++ = value->front();
    return value;
  };
  if (failed(forEachIndex(result.shape, compute)))
    return failure();
  return result;
}

FailureOr<Array> attnc::reference::evaluate(model::ElementOp op, const OpContext &context) {
  const Array &list = context.arrayOf(op.getList());
  int64_t place = context.integerOf(op.getPlace());
  if (place < 0 || place >= list.shape[0])
    return context.fault.at(op, "index " + Twine(place) + " is outside of a list of " + Twine(list.shape[0]));
  Array element(list.element, llvm::ArrayRef<int64_t>(list.shape).drop_front());
  std::copy_n(list.values.begin() + place * element.values.size(), element.values.size(), element.values.begin());
  return element;
}

FailureOr<Array> attnc::reference::evaluate(model::WithElementOp op, const OpContext &context) {
  Array list = context.arrayOf(op.getList());
  const Array &element = context.arrayOf(op.getElement());
  int64_t place = context.integerOf(op.getPlace());
  if (place < 0 || place >= list.shape[0])
    return context.fault.at(op, "index " + Twine(place) + " is outside of a list of " + Twine(list.shape[0]));
  llvm::copy(element.values, list.values.begin() + place * element.values.size());
  return list;
}

FailureOr<Array> attnc::reference::evaluate(model::AppendOp op, const OpContext &context) {
  Array cache = context.arrayOf(op.getCache());
  const Array &rows = context.arrayOf(op.getRows()), &length = context.arrayOf(op.getLength());
  const Array *count = op.getCount() ? &context.arrayOf(op.getCount()) : nullptr;
  const Array *table = op.getTable() ? &context.arrayOf(op.getTable()) : nullptr;
  int64_t place = op.getPlace() ? context.integerOf(op.getPlace()) : 0, leading = op.getPlace() ? 1 : 0;
  int64_t along = op.getAlong(), size = cache.shape[along + leading];
  int64_t blocks = table ? cache.shape[*op.getRow() + leading] : 0;
  if (op.getPlace() && (place < 0 || place >= cache.shape[0]))
    return context.fault.at(op, "index " + Twine(place) + " is outside of a list of " + Twine(cache.shape[0]));
  int64_t first = op.getStep() ? context.integerOf(op.getStep()) : 0;
  double positions = op.getSteps() ? double(context.integerOf(op.getSteps())) : double(rows.shape[along]);
  for (auto [row, before] : llvm::enumerate(length.values)) {
    double appended = count ? count->values[row] : positions;
    double capacity = double(table ? size * table->shape[1] : size);
    if (before < 0 || appended < 0 || appended > positions || (!op.getRing() && before + appended > capacity))
      return context.fault.at(op, "the cache is full");
    for (int64_t entry = 0; table && double(entry * size) < before + appended; ++entry)
      if (double block = table->at({int64_t(row), entry}); block < 0 || block >= double(blocks))
        return context.fault.at(op, "entry " + Twine(entry) + " of row " + Twine(row) + " of the table is no block");
  }
  auto next = rows.values.begin();
  auto write = [&](ArrayRef<int64_t> indices) {
    double value = *next++;
    int64_t row = op.getRow() ? indices[*op.getRow()] : 0;
    if (count && double(first + indices[along]) >= count->values[row])
      return success();
    llvm::SmallVector<int64_t> to(indices);
    to[along] += first + static_cast<int64_t>(length.values[row]);
    if (table)
      to[*op.getRow()] = static_cast<int64_t>(table->at({row, to[along] / size}));
    if (table || op.getRing())
      to[along] %= size;
    if (op.getPlace())
      to.insert(to.begin(), place);
    cache.values[cache.offsetOf(to)] = value;
    return success();
  };
  if (failed(forEachIndex(rows.shape, write)))
    return failure();
  return cache;
}
