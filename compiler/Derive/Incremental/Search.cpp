// The loop of a beam search: next has batch * n rows, the sampler [batch, n].
#include "compiler/Derive/Incremental/DecodeWriter.h"

using namespace mlir;

namespace attnc {

//===- Beams ------------------------------------------------------------------------------------------------------===//

Value DecodeWriter::toIndex(Value number) {
  return arith::IndexCastOp::create(builder, at, builder.getIndexType(), number);
}

/// The dimension of rows in a shape; null if there is none.
std::optional<unsigned> DecodeWriter::rowDimension(ArrayAttr shape) {
  for (auto [dimension, size] : llvm::enumerate(shape.getAsValueRange<StringAttr>()))
    if (size == names.row)
      return dimension;
  return std::nullopt;
}

SmallVector<Value> DecodeWriter::sizesOf(Value tensor) {
  SmallVector<Value> sizes;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
    if (type.isDynamicDim(dimension))
      sizes.push_back(tensor::DimOp::create(builder, at, tensor, dimension));
    else
      sizes.push_back(arith::ConstantIndexOp::create(builder, at, type.getDimSize(dimension)));
  return sizes;
}

/// Reassociation in which `dimension` corresponds to two dimensions of the larger tensor.
static SmallVector<ReassociationIndices> groupsOf(int64_t rank, unsigned dimension) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t each = 0, next = 0; each < rank; ++each) {
    groups.push_back({next++});
    if (each == dimension)
      groups.back().push_back(next++);
  }
  return groups;
}

/// Splits batch * n rows to [batch, n].
Value DecodeWriter::splitBeams(Value tensor, unsigned dimension) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<OpFoldResult> sizes;
  for (auto [number, size] : llvm::enumerate(sizesOf(tensor)))
    sizes.push_back(type.isDynamicDim(number) ? OpFoldResult(size) : builder.getIndexAttr(type.getDimSize(number)));
  shape[dimension] = ShapedType::kDynamic;
  sizes[dimension] = rows;
  shape.insert(shape.begin() + dimension + 1, *beams);
  sizes.insert(sizes.begin() + dimension + 1, builder.getIndexAttr(*beams));
  return tensor::ExpandShapeOp::create(builder, at, RankedTensorType::get(shape, type.getElementType()), tensor,
                                       groupsOf(type.getRank(), dimension), sizes);
}

/// Merges [batch, n] to batch * n rows.
Value DecodeWriter::mergeBeams(Value tensor, unsigned dimension) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  return tensor::CollapseShapeOp::create(builder, at, tensor, groupsOf(rank - 1, dimension));
}

/// Repeats rows for each of their beams.
Value DecodeWriter::repeatForBeams(Value tensor, unsigned dimension) {
  SmallVector<Value> sizes = sizesOf(tensor);
  sizes.insert(sizes.begin() + dimension + 1, beamCount());
  Value copies = generate(sizes, getElementTypeOrSelf(tensor), [&](ValueRange index) {
    SmallVector<Value> from(index);
    from.erase(from.begin() + dimension + 1);
    return read(tensor, from);
  });
  return mergeBeams(copies, dimension);
}

/// Gathers the data of each beam's parent; rows are batch * n.
Value DecodeWriter::gatherParents(Value tensor, unsigned dimension, Value parent) {
  Value beam = splitBeams(tensor, dimension);
  Value moved = generate(sizesOf(beam), getElementTypeOrSelf(tensor), [&](ValueRange index) {
    SmallVector<Value> from(index);
    from[dimension + 1] = toIndex(read(parent, {index[dimension], index[dimension + 1]}));
    return read(beam, from);
  });
  Value result = mergeBeams(moved, dimension);
  if (result.getType() != tensor.getType())
    result = tensor::CastOp::create(builder, at, tensor.getType(), result);
  return result;
}

/// Repeats the arguments of next, except tokens and caches, for beams.
LogicalResult DecodeWriter::repeatOtherArguments() {
  for (unsigned argument = 0; argument < step.getNumArguments(); ++argument) {
    StringRef name = nameOf(step, argument);
    if (isState(step, argument) || isTokens(step, argument) || name == names.length || name == names.count)
      continue;
    auto shape = step.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName);
    std::optional<unsigned> row = rowDimension(shape);
    auto type = cast<RankedTensorType>(step.getArgumentTypes()[argument]);
    for (auto [dimension, size] : llvm::enumerate(shape.getAsValueRange<StringAttr>()))
      if (type.isDynamicDim(dimension) && dimension != row && size.contains(names.row) && size != names.row)
        return choose.emitError("`") << name << "` of `" << step.getName() << "` has a dimension " << size
                                     << ", and a search repeats rows only where `" << names.row << "` is a dimension";
    if (row)
      given[name] = repeatForBeams(given.contains(name) ? given[name] : result.getArgument(numbers[name]), *row);
  }
  return success();
}

//===- Decoding steps ---------------------------------------------------------------------------------------------===//

SmallVector<Value> DecodeWriter::Search::all() const {
  SmallVector<Value> values = {token, position, ended, tokens, length, score, stepNumber};
  llvm::append_range(values, caches);
  return values;
}

DecodeWriter::Search DecodeWriter::Search::unpack(ValueRange values) {
  return {values[0], values[1], values[2], values[3],
          values[4], values[5], values[6], SmallVector<Value>(values.drop_front(7))};
}

/// Initial beams, which equal the prompt. All but the first of a row have score -inf, as they would be duplicates.
DecodeWriter::Search DecodeWriter::searchStart(ArrayRef<Value> caches, Value first) {
  Type i32Type = builder.getI32Type(), f32Type = builder.getF32Type();
  Value width = arith::ConstantIndexOp::create(builder, at, maxTokens), count = beamCount();
  auto all = [&](ArrayRef<Value> sizes, int64_t value) {
    return generate(sizes, i32Type, [&](ValueRange) { return i32(value); });
  };
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, at, builder.getF32FloatAttr(value));
  };
  Value score = generate({rows, count}, f32Type, [&](ValueRange index) {
    Value zero = arith::ConstantIndexOp::create(builder, at, 0);
    return choice(compare(arith::CmpIPredicate::eq, index[1], zero), number(0), number(-INFINITY));
  });
  Search start = {repeatForBeams(lastTokens(), 0),
                  repeatForBeams(first, 0),
                  all({rows, count}, 0),
                  all({rows, count, width}, stop.value_or(0)),
                  all({rows, count}, 0),
                  score,
                  all({}, 0),
                  {}};
  unsigned next = 0;
  for (unsigned argument = 0; argument < prefill.getNumArguments(); ++argument)
    if (isState(prefill, argument)) {
      auto row = rowDimension(prefill.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName));
      start.caches.push_back(repeatForBeams(caches[next++], *row));
    }
  return start;
}

DecodeWriter::Selection DecodeWriter::searchChoice(const Search &before, Value logits) {
  Value ended = generate({rows, beamCount()}, builder.getI1Type(), [&](ValueRange index) {
    return compare(arith::CmpIPredicate::ne, read(before.ended, index), i32(0));
  });
  SmallVector<Value> operands = {before.score, ended, splitBeams(logits, 0)};
  appendChoiceOperands(operands, before.stepNumber);
  SmallVector<Value> chosen = inlineCall(choose, operands);
  return {chosen[0], chosen[1], chosen[2]};
}

DecodeWriter::Search DecodeWriter::searchStep(const Search &before) {
  Type i32Type = builder.getI32Type();
  Value width = arith::ConstantIndexOp::create(builder, at, maxTokens), count = beamCount();
  SmallVector<Value> results =
      inlineCall(step, makeOperands(step, before.token, before.position, Value(), before.caches));
  Selection chosen = searchChoice(before, lastLogits(results[0]));
  auto readParent = [&](Value tensor, ValueRange index) {
    SmallVector<Value> from(index);
    from[1] = toIndex(read(chosen.parent, index.take_front(2)));
    return read(tensor, from);
  };
  auto plusOne = [&](Value number) -> Value { return arith::AddIOp::create(builder, at, number, i32(1)); };
  auto isZero = [&](Value number) { return compare(arith::CmpIPredicate::eq, number, i32(0)); };
  Search next;
  next.score = chosen.score;
  next.ended = generate({rows, count}, i32Type, [&](ValueRange index) {
    Value ended = readParent(before.ended, index);
    return stop ? choice(compare(arith::CmpIPredicate::eq, read(chosen.token, index), i32(*stop)), i32(1), ended)
                : ended;
  });
  next.tokens = generate({rows, count, width}, i32Type, [&](ValueRange index) {
    Value number = arith::IndexCastOp::create(builder, at, i32Type, index[2]);
    Value isHere = compare(arith::CmpIPredicate::eq, number, read(before.stepNumber, {}));
    isHere = arith::AndIOp::create(builder, at, isHere, isZero(read(next.ended, index.take_front(2))));
    return choice(isHere, read(chosen.token, index.take_front(2)), readParent(before.tokens, index));
  });
  next.length = generate({rows, count}, i32Type, [&](ValueRange index) {
    Value length = readParent(before.length, index);
    return choice(isZero(read(next.ended, index)), plusOne(length), length);
  });
  // A beam that has ended may read any token.
  Value token = generate({rows, count}, i32Type, [&](ValueRange index) {
    return choice(isZero(readParent(before.ended, index)), read(chosen.token, index), i32(0));
  });
  Value one = arith::ConstantIndexOp::create(builder, at, 1);
  Value single = mergeBeams(token, 0);
  next.token = generate({sizesOf(single)[0], one}, i32Type, [&](ValueRange index) { return read(single, index[0]); });
  next.position = generate(sizesOf(before.position), i32Type,
                           [&](ValueRange index) { return plusOne(read(before.position, index)); });
  next.stepNumber = generate({}, i32Type, [&](ValueRange) { return plusOne(read(before.stepNumber, {})); });
  auto caches = ArrayRef(results).take_back(before.caches.size());
  for (unsigned argument = 0; argument < prefill.getNumArguments(); ++argument)
    if (isState(prefill, argument)) {
      auto row = rowDimension(prefill.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName));
      next.caches.push_back(gatherParents(caches[next.caches.size()], *row, chosen.parent));
    }
  return next;
}

/// Returns the beam with the highest score of each row; the first one among equal scores.
void DecodeWriter::returnBest(const Search &end) {
  Type i32Type = builder.getI32Type(), f32Type = builder.getF32Type();
  Value lowest = generate({rows}, f32Type, [&](ValueRange) -> Value {
    return arith::ConstantOp::create(builder, at, builder.getF32FloatAttr(-INFINITY));
  });
  Value best = reduce(lowest, end.score, [&](ValueRange elements) -> Value {
    return arith::MaximumFOp::create(builder, at, elements[0], elements[1]);
  });
  Value last = generate({rows}, i32Type, [&](ValueRange) { return i32(*beams - 1); });
  Value beam = reduce(last, {end.score, best}, [&](ValueRange elements) -> Value {
    Value here = arith::IndexCastOp::create(builder, at, i32Type, linalg::IndexOp::create(builder, at, 1));
    Value isBest = arith::CmpFOp::create(builder, at, arith::CmpFPredicate::OEQ, elements[0], elements[1]);
    return arith::MinSIOp::create(builder, at, choice(isBest, here, i32(*beams - 1)), elements[2]);
  });
  Value width = arith::ConstantIndexOp::create(builder, at, maxTokens);
  Value tokens = generate({rows, width}, i32Type, [&](ValueRange index) {
    return read(end.tokens, {index[0], toIndex(read(beam, index[0])), index[1]});
  });
  Value length = generate({rows}, i32Type, [&](ValueRange index) {
    return read(end.length, {index[0], toIndex(read(beam, index[0]))});
  });
  func::ReturnOp::create(builder, at, ValueRange{tokens, length});
}

void DecodeWriter::writeSearch(SmallVector<Value> caches, Value first) {
  Value one = arith::ConstantIndexOp::create(builder, at, 1), zero = arith::ConstantIndexOp::create(builder, at, 0);
  Value width = arith::ConstantIndexOp::create(builder, at, maxTokens);
  Search start = searchStart(caches, first);
  auto loop = scf::ForOp::create(builder, at, zero, width, one, start.all());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Search next = searchStep(Search::unpack(loop.getRegionIterArgs()));
    if (stop && maxTokens > 1)
      endIfAll(next.ended);
    SmallVector<Value> yielded;
    for (auto [value, argument] : llvm::zip_equal(next.all(), loop.getRegionIterArgs())) {
      Value same = value;
      if (value.getType() != argument.getType())
        same = tensor::CastOp::create(builder, at, argument.getType(), value);
      yielded.push_back(same);
    }
    scf::YieldOp::create(builder, at, yielded);
  }
  returnBest(Search::unpack(loop.getResults()));
}

} // namespace attnc
