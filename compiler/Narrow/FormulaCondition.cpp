#include "compiler/Narrow/FormulaCondition.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

static constexpr double largestF32 = 0x1.fffffep127;
/// Magnitudes of data of unknown range: 2^least to 2^greatest; smaller ones are one piece.
static constexpr int leastExponent = -24, greatestExponent = 20;
static constexpr int piecesPerBinade = 8;
static constexpr size_t maxPieces = 4096;

bool Condition::raise(const Condition &other) {
  bool isWorse = other.factor > factor || (other.isUnbounded && !isUnbounded);
  bool eitherIsUnbounded = isUnbounded || other.isUnbounded;
  if (other.factor > factor)
    *this = other;
  isUnbounded = eitherIsUnbounded;
  return isWorse;
}

Formula::Formula(Block &block, const StorageFormat &format, llvm::function_ref<ElementFacts(Value)> elements,
                 llvm::function_ref<Enclosure(Value)> positions)
    : block(block), format(format), factsOf(elements), positionOf(positions) {
  findLoads(block, Value());
}

void Formula::findLoads(Block &body, Value term) {
  for (Operation &op : body) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      elements.push_back({extract.getResult(), extract.getTensor(), term});
    if (auto reduce = dyn_cast<attn::ReduceOp>(op)) {
      Block &inner = reduce.getBody().front();
      findLoads(inner, reduce.getCombine() == attn::Combine::Add ? inner.getTerminator()->getOperand(0) : term);
    }
  }
}

void Formula::bind(BlockArgument argument, Value tensor) {
  tensors[argument] = tensor;
  elements.push_back({argument, tensor, Value()});
}

void Formula::bind(BlockArgument argument, double typical, const ElementFacts &facts) {
  numbers[argument] = {typical, facts};
}

//===-------------------------------------------- evaluation -----------------------------------------------------===//

/// Typical value of unperturbed data: about one half, so that neither the data nor one minus them are near zero, and
/// different for each tensor, so that their differences are not near zero either.
static double typicalValue(const ElementFacts &facts, size_t seed) {
  double golden = double(seed + 1) * 0.6180339887498949;
  return std::clamp(0.4 + 0.3 * (golden - std::floor(golden)), facts.range.least, facts.range.greatest);
}

/// Decides a comparison that is undecided, but does not depend on the perturbed element.
Perturbed Formula::decided(Perturbed truth) {
  if (!isRange && truth.error == 0 && !truth.isDecided()) {
    usesChoice = true;
    truth.value = Enclosure::point(chosen ? 1 : 0);
  }
  return truth;
}

Perturbed Formula::elementOf(Value number, Value tensor) {
  if (!isRange && number == perturbed.number)
    return values.lookup(number);
  if (areAlike && tensor == perturbed.tensor)
    return {part};
  ElementFacts facts = factsOf(tensor);
  Perturbed element{facts.range, 0, facts.isExact, facts.isIntegral};
  if (number.getType().isInteger(1))
    return decided(element);
  if (isRange || facts.isExact || !isa<FloatType>(number.getType()))
    return element;
  auto [known, isNew] = typical.try_emplace(number, 0);
  if (isNew)
    known->second = typicalValue(facts, values.size());
  return {Enclosure::point(known->second), 0, false, facts.isIntegral};
}

Perturbed Formula::operand(Value value) {
  if (auto found = values.find(value); found != values.end())
    return found->second;
  if (auto found = numbers.find(value); found != numbers.end())
    return {isRange ? found->second.facts.range : Enclosure::point(found->second.typical), 0,
            found->second.facts.isExact};
  if (auto found = tensors.find(value); found != tensors.end())
    return values[value] = elementOf(value, found->second);
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (auto real = dyn_cast<FloatAttr>(constant))
      return Perturbed::number(real.getValueAsDouble());
    if (auto whole = dyn_cast<IntegerAttr>(constant))
      return Perturbed::number(whole.getType().isInteger(1) ? double(whole.getValue().getBoolValue())
                                                            : double(whole.getValue().getSExtValue()));
  }
  if (value.getType().isIntOrIndex())
    return Perturbed::index(positionOf(value));
  return {isRange ? Enclosure::everything() : Enclosure::point(1)};
}

Perturbed Formula::evaluateReduce(Operation *op) {
  auto reduce = cast<attn::ReduceOp>(op);
  Block &body = reduce.getBody().front();
  double terms = 1;
  for (auto [index, size] : llvm::zip(body.getArguments(), reduce.getSizes())) {
    double count = operand(size).value.greatest;
    values[index] = Perturbed::index({0, std::max(count - 1, 0.0)});
    terms *= count;
  }
  evaluate(body);
  Perturbed term = operand(body.getTerminator()->getOperand(0));
  bool adds = reduce.getCombine() == attn::Combine::Add;
  if (isRange && !reduce.getType().isInteger(1))
    term.value = adds                                        ? term.value * Enclosure{0, terms}
                 : reduce.getCombine() == attn::Combine::Mul ? Enclosure::everything()
                                                             : term.value;
  return term;
}

/// Records cancellation: differences of positions may be one, whatever their magnitude.
void Formula::noteCancellation(Operation *op, const Perturbed &result) {
  if (!isa<arith::AddFOp, arith::SubFOp>(op) || !result.isExact || result.error == 0)
    return;
  Enclosure a = operand(op->getOperand(0)).value, b = operand(op->getOperand(1)).value;
  if (a.isPoint() || b.isPoint())
    return;
  double factor = result.error / std::max(1.0, result.value.mignitude());
  if (factor > cancellation.first)
    cancellation = {factor, op};
}

/// Whether the op subtracts two elements of the perturbed element's tensor.
bool Formula::isDifference(Operation *op) const {
  auto isElement = [&](Value value) {
    return llvm::any_of(elements,
                        [&](const Load &load) { return load.number == value && load.tensor == perturbed.tensor; });
  };
  return isa<arith::SubFOp>(op) && llvm::all_of(op->getOperands(), isElement);
}

Perturbed Formula::evaluate(Operation *op) {
  if (isa<attn::ReduceOp>(op))
    return evaluateReduce(op);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    Perturbed element = elementOf(extract, extract.getTensor());
    if (llvm::any_of(extract.getIndices(), [&](Value index) { return operand(index).error > 0; }))
      element.error = undecidedError;
    return element;
  }
  if (isa<linalg::IndexOp, tensor::DimOp, affine::AffineApplyOp>(op))
    return Perturbed::index(positionOf(op->getResult(0)));
  auto operands = llvm::map_to_vector(op->getOperands(), [&](Value each) { return operand(each); });
  Perturbed result = propagate(op, operands, format);
  bool isTruth = op->getResult(0).getType().isInteger(1);
  hasStep |= (isTruth && !result.isDecided() && result.error > 0) || (result.isIntegral && result.error > 0);
  if (isTruth)
    result = decided(result);
  noteCancellation(op, result);
  if (areAlike && isDifference(op))
    result.value = Enclosure::point(0);
  return result;
}

void Formula::evaluate(Block &body) {
  for (Operation &op : body.without_terminator())
    if (op.getNumResults() == 1 && !isKept(op.getResult(0)) && !matchPattern(&op, m_Constant()))
      values[op.getResult(0)] = evaluate(&op);
}

std::vector<ElementFacts> Formula::results() {
  isRange = true;
  areAlike = hasValues = false;
  values.clear();
  evaluate(block);
  std::vector<ElementFacts> facts;
  for (Value yielded : block.getTerminator()->getOperands()) {
    Perturbed result = operand(yielded);
    facts.push_back({result.value, result.isExact, result.isIntegral});
  }
  isRange = false;
  return facts;
}

//===-------------------------------------------- pieces ---------------------------------------------------------===//

/// Splits `range` at powers of two; an unbounded range is replaced by that of data.
static std::vector<Enclosure> piecesOf(const Enclosure &range) {
  int greatest =
      range.isFinite() ? std::max(leastExponent, std::ilogb(std::max(range.magnitude(), 1e-30)) + 1) : greatestExponent;
  std::vector<Enclosure> pieces;
  auto add = [&](double a, double b) {
    for (Enclosure piece : {Enclosure{a, b}, Enclosure{-b, -a}}) {
      Enclosure part{std::max(piece.least, range.least), std::min(piece.greatest, range.greatest)};
      if (part.least < part.greatest || (part.isPoint() && range.isPoint()))
        pieces.push_back(part);
    }
  };
  add(0, std::ldexp(1.0, leastExponent));
  for (int exponent = leastExponent; exponent < greatest; ++exponent)
    for (int part = 0; part < piecesPerBinade; ++part)
      add(std::ldexp(1.0 + double(part) / piecesPerBinade, exponent),
          std::ldexp(1.0 + double(part + 1) / piecesPerBinade, exponent));
  return pieces;
}

static Perturbed finished(Perturbed result, Formula::Finish finish) {
  if (finish == Formula::Finish::Exponential) {
    double most = std::exp(result.value.greatest);
    result.error = result.error == 0 ? 0 : result.error * most;
    result.value = {std::exp(result.value.least), most};
  }
  if (finish == Formula::Finish::Choice && result.error > 0)
    result.error = undecidedError;
  return result;
}

Formula::Sample Formula::sampled(const Perturbed &value) {
  double magnitude = value.value.magnitude();
  bool isAnything = std::isinf(value.value.least) && std::isinf(value.value.greatest);
  bool isUndecided = Condition{value.error, false, ""}.isUndecided() && std::isfinite(value.error);
  if (isUndecided && (isAnything || magnitude <= largestF32))
    return {1, undecidedError, true};
  return {magnitude, value.error, magnitude <= largestF32 && std::isfinite(value.error)};
}

Formula::Sample Formula::sampleValue(Value value, Finish finish) {
  Sample sample = sampled(finished(operand(value), finish));
  bool isDecision = !isa<FloatType>(value.getType()) && sample.error > 0;
  return isDecision ? Sample{1, undecidedError, true} : sample;
}

/// Adds the values of `body` that the perturbed element changes to `dependent`; returns true if there are any.
bool Formula::findDependent(Block &body) {
  auto isElement = [&](Value value) {
    return llvm::any_of(elements, [&](const Load &load) {
      return load.number == value && (value == perturbed.number || load.tensor == perturbed.tensor);
    });
  };
  auto isDependent = [&](Value value) { return dependent.contains(value); };
  bool hasAny = false;
  for (Operation &op : body) {
    bool inside = false;
    for (Region &region : op.getRegions())
      inside |= findDependent(region.front());
    bool depends = inside || llvm::any_of(op.getOperands(), isDependent) || llvm::any_of(op.getResults(), isElement);
    hasAny |= depends;
    if (depends)
      dependent.insert(op.getResults().begin(), op.getResults().end());
  }
  return hasAny;
}

Formula::Piece Formula::samplePiece(const Load &load, Finish finish) {
  if (!hasValues)
    values.clear();
  for (const auto &[argument, tensor] : tensors)
    if (hasValues && dependent.contains(argument))
      values.erase(argument);
  hasStep = false;
  bool isExact = factsOf(load.tensor).isExact;
  values[load.number] = {part, format.errorOf(part), isExact, false};
  evaluate(block);
  hasValues = true;
  Piece piece;
  piece.range = part;
  if (recordSamples)
    for (const auto &[value, number] : values)
      if (number.error > 0)
        piece.samples[value] = sampled(number);
  for (Value yielded : block.getTerminator()->getOperands())
    piece.finished.push_back(sampleValue(yielded, finish));
  if (load.isSummed())
    piece.finished.push_back(sampleValue(load.term, Finish::None));
  return piece;
}

SmallVector<Formula::Piece, 0> Formula::samplePieces(const Load &load, Finish finish) {
  isRange = false;
  perturbed = load;
  ElementFacts facts = factsOf(load.tensor);
  range = facts.range;
  cancellation = {0, nullptr};
  dependent.clear();
  typical.clear();
  hasValues = usesChoice = false;
  for (const auto &[argument, tensor] : tensors)
    if (argument == load.number || tensor == load.tensor)
      dependent.insert(argument);
  findDependent(block);
  std::vector<Enclosure> open = piecesOf(range);
  SmallVector<Piece, 0> pieces;
  while (!open.empty()) {
    part = open.back();
    open.pop_back();
    Piece piece = samplePiece(load, finish);
    bool isWide = part.width() > 2 * format.roundoff * part.magnitude() && !part.contains(0);
    if (hasStep && isWide && pieces.size() + open.size() < maxPieces) {
      double middle = (part.least + part.greatest) / 2;
      open.push_back({part.least, middle});
      open.push_back({middle, part.greatest});
      continue;
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

//===-------------------------------------------- conditions -----------------------------------------------------===//

double Formula::scaleOf(llvm::ArrayRef<Piece> pieces, llvm::function_ref<const Sample *(const Piece &)> sample) const {
  double scale = 0;
  for (const Piece &piece : pieces)
    if (range.isFinite() || piece.range.mignitude() < 1)
      if (const Sample *found = sample(piece); found && found->isFinite)
        scale = std::max(scale, found->magnitude);
  return scale;
}

/// "`sin`", "a comparison"
static std::string nameOf(Operation *op) {
  if (isa<arith::CmpFOp, arith::CmpIOp, arith::SelectOp>(op))
    return "a comparison";
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return "a conversion to an integer";
  if (isa<tensor::ExtractOp>(op))
    return "a subscript";
  if (isa<arith::SubFOp, arith::AddFOp>(op))
    return "a difference";
  return ("`" + op->getName().stripDialect() + "`").str();
}

/// The first operation whose result is amplified nearly as much as the formula's.
std::string Formula::causeOf(llvm::ArrayRef<Piece> pieces, double factor, Finish finish) {
  std::string cause;
  block.walk([&](Operation *op) {
    if (op->getNumResults() != 1 || !cause.empty())
      return;
    Value value = op->getResult(0);
    auto sampleOf = [&](const Piece &piece) {
      auto found = piece.samples.find(value);
      return found == piece.samples.end() ? nullptr : &found->second;
    };
    double scale = scaleOf(pieces, sampleOf);
    for (const Piece &piece : pieces) {
      const Sample *sample = sampleOf(piece);
      if (!sample || value == perturbed.number)
        continue;
      bool isDecision = !isa<FloatType>(value.getType());
      double own = sample->isFinite ? sample->error / std::max(sample->magnitude, scale) : 0;
      if (isDecision || own >= factor / 2) {
        cause = nameOf(op);
        return;
      }
    }
  });
  if (cause.empty())
    cause = finish == Finish::Exponential ? "softmax" : finish == Finish::Choice ? "a choice" : "a formula";
  return cause;
}

Condition Formula::conditionOf(llvm::ArrayRef<Piece> pieces, unsigned result) {
  auto sampleOf = [&](const Piece &piece) { return &piece.finished[result]; };
  double scale = scaleOf(pieces, sampleOf), atEnd = 0;
  Condition condition;
  bool depends = false, isSampled = false;
  for (const Piece &piece : pieces) {
    const Sample &sample = piece.finished[result];
    depends |= sample.error > 0;
    if (!sample.isFinite || sample.error == 0)
      continue;
    isSampled = true;
    double factor = sample.error / std::max(sample.magnitude, scale);
    condition.factor = std::max(condition.factor, factor);
    if (!range.isFinite() && piece.range.magnitude() >= std::ldexp(1.0, greatestExponent))
      atEnd = std::max(atEnd, factor);
  }
  if (depends && !isSampled) // nothing is known: assume the usual for data
    condition.factor = factsOf(perturbed.tensor).isExact ? undecidedError : 1;
  bool grows = !condition.isUndecided() && atEnd > 1 / format.roundoff && atEnd > condition.factor / 2;
  condition.isUnbounded = grows || (depends && !isSampled && condition.isUndecided());
  if (depends && cancellation.first > condition.factor) {
    condition.factor = cancellation.first;
    condition.cause = nameOf(cancellation.second);
  }
  return condition;
}

Formula::Conditions Formula::conditions(const Load &load, Finish finish) {
  unsigned results = block.getTerminator()->getNumOperands();
  std::vector<Condition> conditions(results + (load.isSummed() ? 1 : 0));
  perturbed = load;
  bool hasDifference =
      block.walk([&](Operation *op) { return WalkResult(isDifference(op) ? failure() : success()); }).wasInterrupted();
  for (unsigned scenario = 0; scenario < (hasDifference ? 4 : 2); ++scenario) {
    chosen = scenario % 2 == 1;
    areAlike = scenario >= 2;
    if (chosen && !usesChoice) // as the scenario before
      continue;
    SmallVector<Piece, 0> pieces = samplePieces(load, finish), recorded;
    for (auto [result, condition] : llvm::enumerate(conditions))
      condition.raise(conditionOf(pieces, unsigned(result)));
    for (Condition &condition : conditions)
      if (condition.cause.empty() && condition.factor > 1) {
        if (recorded.empty()) {
          recordSamples = true;
          recorded = samplePieces(load, finish);
          recordSamples = false;
        }
        condition.cause = causeOf(recorded, condition.factor, finish);
      }
  }
  Condition term = load.isSummed() ? conditions.back() : Condition();
  conditions.resize(results);
  return {std::move(conditions), std::move(term)};
}

} // namespace attnc
