// The loop over several beams for each row: what the step computes has batch * n rows, what is chosen [batch, n].
#include "compiler/Derive/Incremental/DecodeWriter.h"

using namespace mlir;

namespace attnc {

//===- Beams ------------------------------------------------------------------------------------------------------===//

Value DecodeWriter::toIndex(Value number) {
  return arith::IndexCastOp::create(builder, at, builder.getIndexType(), number);
}

/// The dimension of the rows in a shape, if there is one.
std::optional<unsigned> DecodeWriter::rowOf(ArrayAttr shape) {
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

/// Each dimension alone, but two of the larger tensor for `dimension`.
static SmallVector<ReassociationIndices> groupsOf(int64_t rank, unsigned dimension) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t each = 0, next = 0; each < rank; ++each) {
    groups.push_back({next++});
    if (each == dimension)
      groups.back().push_back(next++);
  }
  return groups;
}

/// batch * n rows as [batch, n].
Value DecodeWriter::split(Value tensor, unsigned dimension) {
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

/// [batch, n] as batch * n rows.
Value DecodeWriter::merged(Value tensor, unsigned dimension) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  return tensor::CollapseShapeOp::create(builder, at, tensor, groupsOf(rank - 1, dimension));
}

/// What is of the rows, for each of their beams.
Value DecodeWriter::repeated(Value tensor, unsigned dimension) {
  SmallVector<Value> sizes = sizesOf(tensor);
  sizes.insert(sizes.begin() + dimension + 1, beamCount());
  Value copies = each(sizes, getElementTypeOrSelf(tensor), [&](ValueRange index) {
    SmallVector<Value> from(index);
    from.erase(from.begin() + dimension + 1);
    return read(tensor, from);
  });
  return merged(copies, dimension);
}

/// What each beam has from its parent on; the rows are batch * n.
Value DecodeWriter::followed(Value tensor, unsigned dimension, Value parent) {
  Value beam = split(tensor, dimension);
  Value moved = each(sizesOf(beam), getElementTypeOrSelf(tensor), [&](ValueRange index) {
    SmallVector<Value> from(index);
    from[dimension + 1] = toIndex(read(parent, {index[dimension], index[dimension + 1]}));
    return read(beam, from);
  });
  Value result = merged(moved, dimension);
  if (result.getType() != tensor.getType())
    result = tensor::CastOp::create(builder, at, tensor.getType(), result);
  return result;
}

/// From here on, what the step takes besides tokens and caches is of beams.
LogicalResult DecodeWriter::repeatOthers() {
  for (unsigned argument = 0; argument < step.getNumArguments(); ++argument) {
    StringRef name = nameOf(step, argument);
    if (isState(step, argument) || isTokens(step, argument) || name == names.length || name == names.count)
      continue;
    auto shape = step.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName);
    std::optional<unsigned> row = rowOf(shape);
    auto type = cast<RankedTensorType>(step.getArgumentTypes()[argument]);
    for (auto [dimension, size] : llvm::enumerate(shape.getAsValueRange<StringAttr>()))
      if (type.isDynamicDim(dimension) && dimension != row && size.contains(names.row) && size != names.row)
        return choose.emitError("`") << name << "` of `" << step.getName() << "` has a dimension " << size
                                     << ", and a search repeats rows only where `" << names.row << "` is a dimension";
    if (row)
      given[name] = repeated(given.contains(name) ? given[name] : made.getArgument(numbers[name]), *row);
  }
  return success();
}

//===- Turns ------------------------------------------------------------------------------------------------------===//

SmallVector<Value> DecodeWriter::Search::all() const {
  SmallVector<Value> values = {token, position, ended, tokens, length, score, turn};
  llvm::append_range(values, caches);
  return values;
}

DecodeWriter::Search DecodeWriter::Search::of(ValueRange values) {
  return {values[0], values[1], values[2], values[3], values[4], values[5], values[6],
          SmallVector<Value>(values.drop_front(7))};
}

/// Beams that are the prompt; all but the first of a row have the score -inf, for they would be the same.
DecodeWriter::Search DecodeWriter::searchStart(ArrayRef<Value> caches, Value first) {
  Type i32Type = builder.getI32Type(), f32Type = builder.getF32Type();
  Value width = arith::ConstantIndexOp::create(builder, at, atMost), count = beamCount();
  auto all = [&](ArrayRef<Value> sizes, int64_t value) {
    return each(sizes, i32Type, [&](ValueRange) { return i32(value); });
  };
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, at, builder.getF32FloatAttr(value));
  };
  Value score = each({rows, count}, f32Type, [&](ValueRange index) {
    Value zero = arith::ConstantIndexOp::create(builder, at, 0);
    return choice(compare(arith::CmpIPredicate::eq, index[1], zero), number(0), number(-INFINITY));
  });
  Search start = {repeated(lastTokens(), 0), repeated(first, 0), all({rows, count}, 0),
                  all({rows, count, width}, stop.value_or(0)), all({rows, count}, 0), score, all({}, 0), {}};
  unsigned next = 0;
  for (unsigned argument = 0; argument < prefill.getNumArguments(); ++argument)
    if (isState(prefill, argument)) {
      auto row = rowOf(prefill.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName));
      start.caches.push_back(repeated(caches[next++], *row));
    }
  return start;
}

DecodeWriter::Chosen DecodeWriter::searchChoice(const Search &before, Value logits) {
  Value ended = each({rows, beamCount()}, builder.getI1Type(), [&](ValueRange index) {
    return compare(arith::CmpIPredicate::ne, read(before.ended, index), i32(0));
  });
  SmallVector<Value> operands = {before.score, ended, split(logits, 0)};
  appendChoiceOperands(operands, before.turn);
  SmallVector<Value> chosen = inlined(choose, operands);
  return {chosen[0], chosen[1], chosen[2]};
}

DecodeWriter::Search DecodeWriter::searchTurn(const Search &before) {
  Type i32Type = builder.getI32Type();
  Value width = arith::ConstantIndexOp::create(builder, at, atMost), count = beamCount();
  SmallVector<Value> results = inlined(step, operandsOf(step, before.token, before.position, Value(), before.caches));
  Chosen chosen = searchChoice(before, logitsOf(results[0]));
  auto ofParent = [&](Value tensor, ValueRange index) {
    SmallVector<Value> from(index);
    from[1] = toIndex(read(chosen.parent, index.take_front(2)));
    return read(tensor, from);
  };
  auto plusOne = [&](Value number) -> Value { return arith::AddIOp::create(builder, at, number, i32(1)); };
  auto isZero = [&](Value number) { return compare(arith::CmpIPredicate::eq, number, i32(0)); };
  Search next;
  next.score = chosen.score;
  next.ended = each({rows, count}, i32Type, [&](ValueRange index) {
    Value ended = ofParent(before.ended, index);
    return stop ? choice(compare(arith::CmpIPredicate::eq, read(chosen.token, index), i32(*stop)), i32(1), ended)
                : ended;
  });
  next.tokens = each({rows, count, width}, i32Type, [&](ValueRange index) {
    Value number = arith::IndexCastOp::create(builder, at, i32Type, index[2]);
    Value isHere = compare(arith::CmpIPredicate::eq, number, read(before.turn, {}));
    isHere = arith::AndIOp::create(builder, at, isHere, isZero(read(next.ended, index.take_front(2))));
    return choice(isHere, read(chosen.token, index.take_front(2)), ofParent(before.tokens, index));
  });
  next.length = each({rows, count}, i32Type, [&](ValueRange index) {
    Value length = ofParent(before.length, index);
    return choice(isZero(read(next.ended, index)), plusOne(length), length);
  });
  // Of a beam that has ended, any token does.
  Value token = each({rows, count}, i32Type, [&](ValueRange index) {
    return choice(isZero(ofParent(before.ended, index)), read(chosen.token, index), i32(0));
  });
  Value one = arith::ConstantIndexOp::create(builder, at, 1);
  Value single = merged(token, 0);
  next.token = each({sizesOf(single)[0], one}, i32Type, [&](ValueRange index) { return read(single, index[0]); });
  next.position = each(sizesOf(before.position), i32Type,
                       [&](ValueRange index) { return plusOne(read(before.position, index)); });
  next.turn = each({}, i32Type, [&](ValueRange) { return plusOne(read(before.turn, {})); });
  auto caches = ArrayRef(results).take_back(before.caches.size());
  for (unsigned argument = 0; argument < prefill.getNumArguments(); ++argument)
    if (isState(prefill, argument)) {
      auto row = rowOf(prefill.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName));
      next.caches.push_back(followed(caches[next.caches.size()], *row, chosen.parent));
    }
  return next;
}

/// Of each row the beam with the highest score; of several, the first.
void DecodeWriter::returnBest(const Search &end) {
  Type i32Type = builder.getI32Type(), f32Type = builder.getF32Type();
  Value least = each({rows}, f32Type, [&](ValueRange) -> Value {
    return arith::ConstantOp::create(builder, at, builder.getF32FloatAttr(-INFINITY));
  });
  Value best = reduced(least, end.score, [&](ValueRange elements) -> Value {
    return arith::MaximumFOp::create(builder, at, elements[0], elements[1]);
  });
  Value last = each({rows}, i32Type, [&](ValueRange) { return i32(*beams - 1); });
  Value place = reduced(last, {end.score, best}, [&](ValueRange elements) -> Value {
    Value here = arith::IndexCastOp::create(builder, at, i32Type, linalg::IndexOp::create(builder, at, 1));
    Value isBest = arith::CmpFOp::create(builder, at, arith::CmpFPredicate::OEQ, elements[0], elements[1]);
    return arith::MinSIOp::create(builder, at, choice(isBest, here, i32(*beams - 1)), elements[2]);
  });
  Value width = arith::ConstantIndexOp::create(builder, at, atMost);
  Value tokens = each({rows, width}, i32Type, [&](ValueRange index) {
    return read(end.tokens, {index[0], toIndex(read(place, index[0])), index[1]});
  });
  Value length = each({rows}, i32Type, [&](ValueRange index) {
    return read(end.length, {index[0], toIndex(read(place, index[0]))});
  });
  func::ReturnOp::create(builder, at, ValueRange{tokens, length});
}

void DecodeWriter::writeSearch(SmallVector<Value> caches, Value first) {
  Value one = arith::ConstantIndexOp::create(builder, at, 1), zero = arith::ConstantIndexOp::create(builder, at, 0);
  Value width = arith::ConstantIndexOp::create(builder, at, atMost);
  Search start = searchStart(caches, first);
  auto loop = scf::ForOp::create(builder, at, zero, width, one, start.all());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Search next = searchTurn(Search::of(loop.getRegionIterArgs()));
    if (stop && atMost > 1)
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
  returnBest(Search::of(loop.getResults()));
}

} // namespace attnc
