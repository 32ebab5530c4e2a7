#include "compiler/Codegen/Halide/Stage.h"
#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>

namespace attnc::halide {

bool Node::operator==(const Node &other) const {
  auto key = [](const Node &node) {
    return std::tie(node.op, node.element, node.operands, node.integer, node.operation);
  };
  return key(*this) == key(other) && std::bit_cast<uint64_t>(number) == std::bit_cast<uint64_t>(other.number);
}

unsigned Stage::add(Node node) {
  auto found = std::find(nodes.begin(), nodes.end(), node);
  if (found == nodes.end())
    found = nodes.insert(nodes.end(), std::move(node));
  return found - nodes.begin();
}

bool Stage::isApart(unsigned dimension) const {
  if (places.empty())
    return true;
  const Node &place = nodes[places[dimension]];
  return place.op == Op::Index && place.integer == result[dimension];
}

bool Affine::isConstant() const {
  return std::all_of(factors.begin(), factors.end(), [](int64_t factor) { return factor == 0; });
}

std::optional<Affine> affineOf(const Stage &stage, unsigned number) {
  const Node &node = stage.nodes[number];
  Affine result{std::vector<int64_t>(stage.loops.size(), 0)};
  if (node.op == Op::Integer) {
    result.constant = node.integer;
    return result;
  }
  if (node.op == Op::Index) {
    result.factors[node.integer] = 1;
    return result;
  }
  if (node.element != ATTN_I32 || (node.op != Op::Add && node.op != Op::Sub && node.op != Op::Mul))
    return std::nullopt;
  auto left = affineOf(stage, node.operands[0]), right = affineOf(stage, node.operands[1]);
  if (!left || !right)
    return std::nullopt;
  if (node.op == Op::Mul) {
    if (left->isConstant())
      std::swap(left, right);
    if (!right->isConstant())
      return std::nullopt;
    for (int64_t &factor : left->factors)
      factor *= right->constant;
    left->constant *= right->constant;
    return left;
  }
  int64_t sign = node.op == Op::Add ? 1 : -1;
  for (size_t loop = 0; loop < stage.loops.size(); ++loop)
    left->factors[loop] += sign * right->factors[loop];
  left->constant += sign * right->constant;
  return left;
}

unsigned nodeOf(Stage &stage, const Affine &affine) {
  auto integer = [&](int64_t value) { return stage.add({Op::Integer, ATTN_I32, {}, 0, value}); };
  std::optional<unsigned> sum;
  auto addTerm = [&](unsigned term) { sum = sum ? stage.add({Op::Add, ATTN_I32, {*sum, term}}) : term; };
  for (size_t loop = 0; loop < affine.factors.size(); ++loop) {
    if (affine.factors[loop] == 0)
      continue;
    unsigned index = stage.add({Op::Index, ATTN_I32, {}, 0, static_cast<int64_t>(loop)});
    addTerm(affine.factors[loop] == 1 ? index : stage.add({Op::Mul, ATTN_I32, {index, integer(affine.factors[loop])}}));
  }
  if (affine.constant != 0 || !sum)
    addTerm(integer(affine.constant));
  return *sum;
}

bool dependsOn(const Stage &stage, unsigned number, unsigned loop) {
  const Node &node = stage.nodes[number];
  if (node.op == Op::Index)
    return node.integer == loop;
  return std::any_of(node.operands.begin(), node.operands.end(),
                     [&](unsigned operand) { return dependsOn(stage, operand, loop); });
}

bool readsByData(const Stage &stage, unsigned number) {
  const Node &node = stage.nodes[number];
  return node.op == Op::Checked || std::any_of(node.operands.begin(), node.operands.end(),
                                               [&](unsigned operand) { return readsByData(stage, operand); });
}

std::vector<unsigned> nodesBelow(const Stage &stage, unsigned root) {
  std::vector<bool> wanted(stage.nodes.size(), false);
  wanted[root] = true;
  std::vector<unsigned> result;
  for (unsigned number = root + 1; number-- > 0;) {
    if (!wanted[number])
      continue;
    result.insert(result.begin(), number);
    for (unsigned operand : stage.nodes[number].operands)
      wanted[operand] = true;
  }
  return result;
}

//===------------------------------------------ ranges of integers ------------------------------------------------===//

namespace {

using Wide = __int128;
struct Range {
  Wide low = 0, high = 0;
};

constexpr Wide largest = std::numeric_limits<int32_t>::max();

class Ranges {
public:
  Ranges(const Stage &stage, int64_t limit) : stage(stage), limit(limit) {}

  /// The range of an integer node; sets `fits` to false if the node or an operand may exceed 32 bits.
  Range of(unsigned number) {
    Range range = compute(stage.nodes[number]);
    fits &= range.low >= -largest && range.high <= largest;
    range.low = std::max(range.low, -largest);
    range.high = std::min(range.high, largest);
    return range;
  }

  bool fits = true;

private:
  Wide most(const Size &size) const { return size.number + Wide(size.factor) * limit; }

  Range compute(const Node &node) {
    if (node.op == Op::Integer)
      return {node.integer, node.integer};
    if (node.op == Op::Index)
      return {0, std::max<Wide>(most(stage.loops[node.integer].size) - 1, 0)};
    if (node.op == Op::Argument)
      return {0, limit};
    if (node.op == Op::Select) {
      Range a = of(node.operands[1]), b = of(node.operands[2]);
      return {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
    if (node.operands.size() != 2 || node.op == Op::Load || node.op == Op::Call || node.op == Op::Checked)
      return {-largest, largest}; // any number
    Range a = of(node.operands[0]), b = of(node.operands[1]);
    switch (node.op) {
    case Op::Add:
      return {a.low + b.low, a.high + b.high};
    case Op::Sub:
      return {a.low - b.high, a.high - b.low};
    case Op::Mul: {
      auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
      return {low, high};
    }
    case Op::Min:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Op::Max:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case Op::Remainder:
      return {0, b.high};
    default: // a quotient
      return {std::min<Wide>(a.low, 0), std::max<Wide>(a.high, 0)};
    }
  }

  const Stage &stage;
  int64_t limit;
};

} // namespace

std::optional<int64_t> largestSize(const Stage &stage) {
  for (int64_t limit : {(int64_t(1) << 31) - 1, int64_t(1) << 28, int64_t(1) << 24, int64_t(1) << 20}) {
    Ranges ranges(stage, limit);
    for (unsigned number = 0; number < stage.nodes.size(); ++number)
      if (const Node &node = stage.nodes[number];
          node.element == ATTN_I32 && node.op != Op::Load && node.op != Op::Call && node.op != Op::Checked)
        ranges.of(number);
    bool shapesFit = true;
    for (const Loop &loop : stage.loops)
      shapesFit &= loop.size.number + Wide(loop.size.factor) * limit <= largest;
    if (ranges.fits && shapesFit)
      return limit;
  }
  return std::nullopt;
}

//===------------------------------------------ operations hidden from Halide -------------------------------------===//

/// True if arithmetic uses the number that a condition selects; false if it is only stored.
static bool isComputedWith(const Stage &stage, unsigned number) {
  return stage.fold || std::any_of(stage.nodes.begin(), stage.nodes.end(), [&](const Node &user) {
           return user.op != Op::Select &&
                  std::find(user.operands.begin(), user.operands.end(), number) != user.operands.end();
         });
}

static bool isSimplified(const Stage &stage, unsigned number) {
  const Node &node = stage.nodes[number];
  switch (node.op) {
  case Op::Sub:
  case Op::Divide:
  case Op::ToF32:
    return true;
  case Op::Select:
    return isComputedWith(stage, number);
  default:
    return std::any_of(node.operands.begin(), node.operands.end(),
                       [&](unsigned operand) { return stage.nodes[operand].op == Op::Number; });
  }
}

Stage keepingNan(Stage stage) {
  std::vector<unsigned> called;
  for (unsigned number = 0; number < stage.nodes.size(); ++number)
    if (stage.nodes[number].operation && isSimplified(stage, number))
      called.push_back(number);
  for (unsigned number : called)
    stage.nodes[number].op = Op::Call;
  return stage;
}

} // namespace attnc::halide
