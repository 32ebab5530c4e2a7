#include "compiler/Codegen/Formula/VectorRandom.h"
#include "compiler/Codegen/Formula/Divisibility.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {
namespace {

/// Arithmetic modulo 2^32 on scalars or vectors of one shape.
class Words32 {
public:
  Words32(OpBuilder &builder, Location location, Type i32) : builder(builder), location(location), i32(i32) {}

  Value constant(uint32_t value) { return constant(i32, value); }
  Value exclusiveOr(Value a, Value b) { return make<arith::XOrIOp>(a, b); }
  Value shiftRight(Value a, uint32_t by) { return make<arith::ShRUIOp>(a, constant(by)); }
  Value both(Value a, Value b) { return make<arith::AndIOp>(a, b); }
  Value choose(Value bit, Value ifSet, Value otherwise) {
    Value isSet = make<arith::CmpIOp>(arith::CmpIPredicate::ne, bit, constant(0));
    return make<arith::SelectOp>(isSet, ifSet, otherwise);
  }
  /// The high and the low word of a product.
  std::pair<Value, Value> multiply(Value a, uint32_t factor) {
    Type wide = withElement(64);
    Value extended = builder.createOrFold<arith::ExtUIOp>(location, wide, a);
    Value product = make<arith::MulIOp>(extended, constant(wide, factor));
    Value high = make<arith::ShRUIOp>(product, constant(wide, 32));
    return {builder.createOrFold<arith::TruncIOp>(location, i32, high),
            builder.createOrFold<arith::TruncIOp>(location, i32, product)};
  }
  /// The 24 highest bits as a fraction.
  Value fraction(Value word) {
    auto vector = dyn_cast<VectorType>(i32);
    Type real = vector ? Type(vector.clone(builder.getF32Type())) : builder.getF32Type();
    Value whole = arith::SIToFPOp::create(builder, location, real, shiftRight(word, 8));
    TypedAttr unit = builder.getF32FloatAttr(0x1p-24f);
    if (vector)
      unit = DenseElementsAttr::get(cast<ShapedType>(real), Attribute(unit));
    return arith::MulFOp::create(builder, location, whole, arith::ConstantOp::create(builder, location, unit));
  }

private:
  template <typename Op, typename... Values> Value make(Values... values) {
    return builder.createOrFold<Op>(location, values...);
  }
  Type withElement(unsigned width) {
    Type element = builder.getIntegerType(width);
    auto vector = dyn_cast<VectorType>(i32);
    return vector ? Type(vector.clone(element)) : element;
  }
  Value constant(Type type, uint32_t value) {
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    TypedAttr attribute = builder.getIntegerAttr(getElementTypeOrSelf(type), APInt(width, value));
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(builder, location, attribute);
  }

  OpBuilder &builder;
  Location location;
  Type i32;
};

//===------------------------------------------ adjacent columns --------------------------------------------------===//

/// The scalar in all lanes of `vector`; null if they may differ.
Value splatted(OpBuilder &builder, Value vector) {
  if (auto broadcast = vector.getDefiningOp<vector::BroadcastOp>())
    return isa<VectorType>(broadcast.getSource().getType()) ? Value() : broadcast.getSource();
  DenseElementsAttr constant;
  if (!matchPattern(vector, m_Constant(&constant)) || !constant.isSplat())
    return {};
  return arith::ConstantOp::create(builder, vector.getLoc(), cast<TypedAttr>(constant.getSplatValue<Attribute>()));
}

/// The first lane of a constant whose lane l is first + l; nothing for other vectors.
std::optional<int32_t> consecutiveStart(Value vector) {
  DenseElementsAttr constant;
  if (!matchPattern(vector, m_Constant(&constant)))
    return std::nullopt;
  auto numbers = llvm::to_vector(constant.getValues<int32_t>());
  for (auto [lane, number] : llvm::enumerate(numbers))
    if (number != numbers[0] + int32_t(lane))
      return std::nullopt;
  return numbers[0];
}

/// Random draws whose lanes are adjacent columns, from a multiple of four on: four lanes use one counter.
class AdjacentDraws {
public:
  /// Null if the lanes of `draw` are not adjacent columns of this kind.
  static Value expand(OpBuilder &builder, attn::UniformOp draw, Words32 &words) {
    auto type = dyn_cast<VectorType>(draw.getColumn().getType());
    if (!type || type.getRank() != 1 || type.getNumElements() % 4 != 0)
      return {};
    AdjacentDraws draws(builder, draw.getLoc(), type);
    Value column = draws.firstColumn(draw.getColumn());
    if (!column)
      return {};
    SmallVector<Value> scalars;
    for (Value operand : {draw.getSeed(), draw.getRow(), draw.getStep(), draw.getPlace()})
      if (Value scalar = splatted(builder, operand))
        scalars.push_back(scalar);
    if (scalars.size() != 4)
      return {};
    return words.fraction(draws.rounds(scalars[0], draw.getSite(), column, scalars[1], scalars[2], scalars[3]));
  }

private:
  AdjacentDraws(OpBuilder &builder, Location location, VectorType type)
      : builder(builder), location(location), words(type),
        pairs(VectorType::get({type.getNumElements() / 2}, builder.getI64Type())) {}

  /// The column of lane 0, which is a multiple of 4.
  Value firstColumn(Value columns) {
    if (auto first = consecutiveStart(columns); first && *first % 4 == 0)
      return arith::ConstantIntOp::create(builder, location, *first, 32);
    auto sum = columns.getDefiningOp<arith::AddIOp>();
    if (!sum || consecutiveStart(sum.getRhs()) != 0)
      return {};
    Value base = splatted(builder, sum.getLhs());
    return base && isMultipleOf(base, 4) ? base : Value();
  }

  /// The words of the counters of each four lanes in pairs of low and high half: c0 and c1, c2 and c3.
  Value rounds(Value seed, uint32_t site, Value column, Value row, Value step, Value place) {
    Value quarter = make<arith::ShRUIOp>(column, arith::ConstantIntOp::create(builder, location, 2, 32));
    Value counters = make<arith::AddIOp>(alternating(joined(quarter, row), joined(step, place)), counterNumbers());
    Value factors = constant([](int64_t pair) { return pair % 2 ? 0xCD9E8D57 : 0xD2511F53; });
    Value half = constant([](int64_t) { return 32; }), low = constant([](int64_t) { return 0xFFFFFFFF; });
    uint32_t weyl = 0;
    for (int round = 0; round < 10; ++round) {
      Value key = make<arith::AddIOp>(seed, arith::ConstantIntOp::create(builder, location, int32_t(weyl), 32));
      Value wide = make<arith::ExtUIOp>(builder.getI64Type(), key);
      Value other = arith::ConstantIntOp::create(builder, location, int64_t(site), 64);
      Value product = make<arith::MulIOp>(make<arith::AndIOp>(counters, low), factors);
      // High and low words are exchanged, and so are the two pairs of a counter.
      Value mixed = make<arith::XOrIOp>(make<arith::ShRUIOp>(counters, half), alternating(wide, other));
      counters = make<arith::XOrIOp>(reversed(product), mixed);
      weyl += 0x9E3779B9;
      site += 0xBB67AE85;
    }
    return vector::BitCastOp::create(builder, location, words, counters);
  }

  Value joined(Value lowWord, Value highWord) {
    Value wide = make<arith::ExtUIOp>(builder.getI64Type(), highWord);
    Value high = make<arith::ShLIOp>(wide, arith::ConstantIntOp::create(builder, location, 32, 64));
    return make<arith::OrIOp>(high, make<arith::ExtUIOp>(builder.getI64Type(), lowWord));
  }

  /// The four words of each counter in the opposite order.
  Value reversed(Value vector) {
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < words.getNumElements(); ++lane)
      order.push_back(lane ^ 3);
    Value all = vector::BitCastOp::create(builder, location, words, vector);
    Value shuffled = vector::ShuffleOp::create(builder, location, all, all, order);
    return vector::BitCastOp::create(builder, location, pairs, shuffled);
  }

  /// The scalar `even` in pairs 0, 2, ..., and `odd` in the others.
  Value alternating(Value even, Value odd) {
    SmallVector<bool> isEven;
    for (int64_t pair = 0; pair < pairs.getNumElements(); ++pair)
      isEven.push_back(pair % 2 == 0);
    auto mask = DenseElementsAttr::get(pairs.clone(builder.getI1Type()), ArrayRef<bool>(isEven));
    return make<arith::SelectOp>(arith::ConstantOp::create(builder, location, mask),
                                 vector::BroadcastOp::create(builder, location, pairs, even),
                                 vector::BroadcastOp::create(builder, location, pairs, odd));
  }

  Value counterNumbers() {
    return constant([](int64_t pair) { return pair % 2 ? 0 : pair / 2; });
  }

  Value constant(function_ref<int64_t(int64_t pair)> number) {
    SmallVector<int64_t> numbers;
    for (int64_t pair = 0; pair < pairs.getNumElements(); ++pair)
      numbers.push_back(number(pair));
    return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(pairs, ArrayRef<int64_t>(numbers)));
  }

  template <typename Op, typename... Values> Value make(Values... values) {
    return builder.createOrFold<Op>(location, values...);
  }

  OpBuilder &builder;
  Location location;
  VectorType words, pairs;
};

} // namespace

Value expandUniform(OpBuilder &builder, attn::UniformOp draw) {
  Words32 words(builder, draw.getLoc(), draw.getSeed().getType());
  if (Value result = AdjacentDraws::expand(builder, draw, words))
    return result;
  Value column = draw.getColumn();
  Value c[] = {words.shiftRight(column, 2), draw.getRow(), draw.getStep(), draw.getPlace()};
  // The key is the same for all draws of a kernel, so sums with constants are hoisted out of its loops.
  Value seed = draw.getSeed();
  uint32_t site = draw.getSite(), weyl = 0;
  for (int round = 0; round < 10; ++round) {
    auto [evenHigh, evenLow] = words.multiply(c[0], 0xD2511F53);
    auto [oddHigh, oddLow] = words.multiply(c[2], 0xCD9E8D57);
    Value key = builder.createOrFold<arith::AddIOp>(draw.getLoc(), seed, words.constant(weyl));
    c[0] = words.exclusiveOr(words.exclusiveOr(oddHigh, c[1]), key);
    c[1] = oddLow;
    c[2] = words.exclusiveOr(words.exclusiveOr(evenHigh, c[3]), words.constant(site));
    c[3] = evenLow;
    weyl += 0x9E3779B9;
    site += 0xBB67AE85;
  }
  Value isOdd = words.both(column, words.constant(1)), isHigh = words.both(column, words.constant(2));
  Value low = words.choose(isOdd, c[1], c[0]), high = words.choose(isOdd, c[3], c[2]);
  return words.fraction(words.choose(isHigh, high, low));
}

} // namespace attnc
