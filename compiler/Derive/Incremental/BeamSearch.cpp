#include "compiler/Derive/Incremental/BeamSearch.h"

using namespace mlir;

namespace attnc {

//===- Beams ------------------------------------------------------------------------------------------------------===//

/// The dimension of rows in a shape; null if there is none.
std::optional<unsigned> BeamSearch::rowDimension(ArrayAttr shape) {
  for (auto [dimension, size] : llvm::enumerate(shape.getAsValueRange<StringAttr>()))
    if (size == entry.names.row)
      return dimension;
  return std::nullopt;
}

/// The dimensions of rows of the caches.
SmallVector<unsigned> BeamSearch::cacheRowDimensions() {
  SmallVector<unsigned> dimensions;
  for (unsigned argument = 0; argument < entry.prefill.getNumArguments(); ++argument)
    if (entry.isState(entry.prefill, argument))
      dimensions.push_back(*rowDimension(entry.prefill.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName)));
  return dimensions;
}

/// Splits batch * n rows to [batch, n].
Value BeamSearch::splitBeams(Value tensor, unsigned dimension) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<OpFoldResult> sizes;
  for (auto [number, size] : llvm::enumerate(sizesOf(tensor)))
    sizes.push_back(type.isDynamicDim(number) ? OpFoldResult(size) : builder.getIndexAttr(type.getDimSize(number)));
  shape[dimension] = ShapedType::kDynamic;
  sizes[dimension] = entry.rows;
  shape.insert(shape.begin() + dimension + 1, *entry.beams);
  sizes.insert(sizes.begin() + dimension + 1, builder.getIndexAttr(*entry.beams));
  return tensor::ExpandShapeOp::create(builder, at, RankedTensorType::get(shape, type.getElementType()), tensor,
                                       groupsWithSplit(type.getRank(), dimension), sizes);
}

/// Merges [batch, n] to batch * n rows.
Value BeamSearch::mergeBeams(Value tensor, unsigned dimension) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  return tensor::CollapseShapeOp::create(builder, at, tensor, groupsWithSplit(rank - 1, dimension));
}

/// Repeats rows for each of their beams.
Value BeamSearch::repeatForBeams(Value tensor, unsigned dimension) {
  Values sizes = sizesOf(tensor);
  sizes.insert(sizes.begin() + dimension + 1, beamCount());
  Value copies = generate(sizes, getElementTypeOrSelf(tensor), [&](ValueRange index) {
    Values from(index);
    from.erase(from.begin() + dimension + 1);
    return read(tensor, from);
  });
  return mergeBeams(copies, dimension);
}

/// Gathers the data of each beam's parent; rows are batch * n.
Value BeamSearch::gatherParents(Value tensor, unsigned dimension, Value parent) {
  Value beam = splitBeams(tensor, dimension);
  Value moved = generate(sizesOf(beam), getElementTypeOrSelf(tensor), [&](ValueRange index) {
    Values from(index);
    from[dimension + 1] = toIndex(read(parent, {index[dimension], index[dimension + 1]}));
    return read(beam, from);
  });
  Value result = mergeBeams(moved, dimension);
  if (result.getType() != tensor.getType())
    result = tensor::CastOp::create(builder, at, tensor.getType(), result);
  return result;
}

/// Repeats the arguments of next, except tokens and caches, for beams.
LogicalResult BeamSearch::repeatOtherArguments() {
  for (unsigned argument = 0; argument < entry.step.getNumArguments(); ++argument) {
    StringRef name = entry.nameOf(entry.step, argument);
    if (entry.isOfLoop(entry.step, argument))
      continue;
    auto shape = entry.step.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName);
    std::optional<unsigned> row = rowDimension(shape);
    auto type = cast<RankedTensorType>(entry.step.getArgumentTypes()[argument]);
    for (auto [dimension, size] : llvm::enumerate(shape.getAsValueRange<StringAttr>()))
      if (type.isDynamicDim(dimension) && dimension != row && size.contains(entry.names.row) && size != entry.names.row)
        return entry.choose.emitError("`") << name << "` of `" << entry.step.getName() << "` has a dimension " << size
                                           << ", but a search repeats rows only along `" << entry.names.row << "`";
    if (row)
      entry.setArgument(name, repeatForBeams(entry.argument(name), *row));
  }
  return success();
}

//===- Decoding steps ---------------------------------------------------------------------------------------------===//

TensorWriter::Values BeamSearch::State::all() const {
  Values values = {token, position, ended, tokens, length, score, stepNumber};
  llvm::append_range(values, caches);
  return values;
}

BeamSearch::State BeamSearch::State::unpack(ValueRange values) {
  return {values[0], values[1], values[2], values[3], values[4], values[5], values[6], Values(values.drop_front(7))};
}

/// Initial beams, which equal the prompt. All but the first of a row have score -inf, as they would be duplicates.
BeamSearch::State BeamSearch::start(ValueRange caches, Value first) {
  Type f32Type = builder.getF32Type();
  Value width = constant(entry.maxTokens), count = beamCount();
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, at, builder.getF32FloatAttr(value));
  };
  Value score = generate({entry.rows, count}, f32Type, [&](ValueRange index) {
    Value zero = constant(0);
    return choice(equal(index[1], zero), number(0), number(-INFINITY));
  });
  State state = {repeatForBeams(entry.firstTokens(), 0),
                 repeatForBeams(first, 0),
                 fill({entry.rows, count}, 0),
                 fill({entry.rows, count, width}, entry.stop.value_or(0)),
                 fill({entry.rows, count}, 0),
                 score,
                 fill({}, 0),
                 {}};
  for (auto [cache, row] : llvm::zip_equal(caches, cacheRowDimensions()))
    state.caches.push_back(repeatForBeams(cache, row));
  return state;
}

BeamSearch::Selection BeamSearch::choose(const State &before, Value logits) {
  Value ended = generate({entry.rows, beamCount()}, builder.getI1Type(), [&](ValueRange index) {
    return compare(arith::CmpIPredicate::ne, read(before.ended, index), i32(0));
  });
  Values chosen = entry.callSampler({before.score, ended, splitBeams(logits, 0)}, before.stepNumber);
  return {chosen[0], chosen[1], chosen[2]};
}

BeamSearch::State BeamSearch::step(const State &before) {
  Type i32Type = builder.getI32Type();
  Value width = constant(entry.maxTokens), count = beamCount();
  DecodeEntry::StepResults results = entry.callStep(before.token, before.position, before.caches);
  Selection chosen = choose(before, results.logits);
  auto readParent = [&](Value tensor, ValueRange index) {
    Values from(index);
    from[1] = toIndex(read(chosen.parent, index.take_front(2)));
    return read(tensor, from);
  };
  auto isZero = [&](Value number) { return equal(number, i32(0)); };
  State next;
  next.score = chosen.score;
  next.ended = generate({entry.rows, count}, i32Type, [&](ValueRange index) {
    Value ended = readParent(before.ended, index);
    return entry.stop ? choice(equal(read(chosen.token, index), i32(*entry.stop)), i32(1), ended) : ended;
  });
  next.tokens = generate({entry.rows, count, width}, i32Type, [&](ValueRange index) {
    Value number = toI32(index[2]);
    Value isHere = equal(number, read(before.stepNumber, {}));
    isHere = arith::AndIOp::create(builder, at, isHere, isZero(read(next.ended, index.take_front(2))));
    return choice(isHere, read(chosen.token, index.take_front(2)), readParent(before.tokens, index));
  });
  next.length = generate({entry.rows, count}, i32Type, [&](ValueRange index) {
    Value length = readParent(before.length, index);
    return choice(isZero(read(next.ended, index)), plusOne(length), length);
  });
  // A beam that has ended may read any token.
  Value token = generate({entry.rows, count}, i32Type, [&](ValueRange index) {
    return choice(isZero(readParent(before.ended, index)), read(chosen.token, index), i32(0));
  });
  Value one = constant(1);
  Value single = mergeBeams(token, 0);
  next.token = generate({sizesOf(single)[0], one}, i32Type, [&](ValueRange index) { return read(single, index[0]); });
  next.position = generate(sizesOf(before.position), i32Type,
                           [&](ValueRange index) { return plusOne(read(before.position, index)); });
  next.stepNumber = generate({}, i32Type, [&](ValueRange) { return plusOne(read(before.stepNumber, {})); });
  for (auto [cache, row] : llvm::zip_equal(results.caches, cacheRowDimensions()))
    next.caches.push_back(gatherParents(cache, row, chosen.parent));
  return next;
}

/// Returns the beam with the highest score of each row; the first one among equal scores.
void BeamSearch::returnBest(const State &end) {
  Type i32Type = builder.getI32Type(), f32Type = builder.getF32Type();
  Value lowest = generate({entry.rows}, f32Type, [&](ValueRange) -> Value {
    return arith::ConstantOp::create(builder, at, builder.getF32FloatAttr(-INFINITY));
  });
  Value best = reduce(lowest, end.score, [&](ValueRange elements) -> Value {
    return arith::MaximumFOp::create(builder, at, elements[0], elements[1]);
  });
  Value last = fill({entry.rows}, *entry.beams - 1);
  Value beam = reduce(last, {end.score, best}, [&](ValueRange elements) -> Value {
    Value here = toI32(linalg::IndexOp::create(builder, at, 1));
    Value isBest = arith::CmpFOp::create(builder, at, arith::CmpFPredicate::OEQ, elements[0], elements[1]);
    return arith::MinSIOp::create(builder, at, choice(isBest, here, i32(*entry.beams - 1)), elements[2]);
  });
  Value width = constant(entry.maxTokens);
  Value tokens = generate({entry.rows, width}, i32Type, [&](ValueRange index) {
    return read(end.tokens, {index[0], toIndex(read(beam, index[0])), index[1]});
  });
  Value length = generate({entry.rows}, i32Type, [&](ValueRange index) {
    return read(end.length, {index[0], toIndex(read(beam, index[0]))});
  });
  func::ReturnOp::create(builder, at, ValueRange{tokens, length});
}

LogicalResult BeamSearch::write(ValueRange caches, Value first) {
  if (failed(repeatOtherArguments()))
    return failure();
  Value one = constant(1), zero = constant(0);
  Value width = constant(entry.maxTokens);
  auto loop = scf::ForOp::create(builder, at, zero, width, one, start(caches, first).all());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    State next = step(State::unpack(loop.getRegionIterArgs()));
    entry.endIfAll(next.ended, next.stepNumber, next.position);
    Values yielded;
    for (auto [value, argument] : llvm::zip_equal(next.all(), loop.getRegionIterArgs())) {
      Value same = value;
      if (value.getType() != argument.getType())
        same = tensor::CastOp::create(builder, at, argument.getType(), value);
      yielded.push_back(same);
    }
    scf::YieldOp::create(builder, at, yielded);
  }
  returnBest(State::unpack(loop.getResults()));
  return success();
}

} // namespace attnc
