#include "compiler/Derive/Residues.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <numeric>

using namespace mlir;

namespace attnc {
namespace {

/// Largest number of classes, each of which is a kernel.
constexpr size_t maxClasses = 16;
/// Fewest iterations for each element: the interleaving of classes costs as much as a few iterations.
constexpr int64_t minIterations = 64;

/// The numerator of a solution with a divisor: elementFactor * element + loopFactor * loop + constant.
struct SteppedRead {
  unsigned solved = 0, dim = 0;
  int64_t divisor = 1, elements = 0;
  int64_t elementFactor = 0, loopFactor = 0, constant = 0;
  std::optional<unsigned> loop;
  int64_t iterations = 1;
};

bool visitsFew(const InverseRead &inverse, llvm::function_ref<int64_t(unsigned)> sizeOf) {
  int64_t iterations = 1;
  for (unsigned loop : inverse.remaining) {
    int64_t size = sizeOf(loop);
    if (ShapedType::isDynamic(size))
      return false;
    iterations *= size;
  }
  return iterations < minIterations;
}

/// Coefficients of subscripts and loops, then the constant; null if the expression contains a size.
std::optional<SmallVector<int64_t>> linearFactors(const InverseRead &inverse, AffineExpr expr) {
  SmallVector<int64_t> row;
  unsigned dims = inverse.rank + inverse.solutions.size(), symbols = inverse.symbols.size();
  if (failed(getFlattenedAffineExpr(expr, dims, symbols, &row)) || row.size() != dims + symbols + 1 ||
      llvm::any_of(ArrayRef(row).slice(dims, symbols), [](int64_t factor) { return factor != 0; }))
    return std::nullopt;
  row.erase(row.begin() + dims, row.begin() + dims + symbols);
  return row;
}

std::optional<SteppedRead> steppedRead(const InverseRead &inverse, unsigned solved, RankedTensorType elements,
                                       llvm::function_ref<int64_t(unsigned)> sizeOf) {
  const InverseRead::Solution &solution = *inverse.solutions[solved];
  auto factors = linearFactors(inverse, solution.numerator);
  SteppedRead read;
  read.solved = solved;
  read.dim = solution.dim;
  read.divisor = solution.divisor;
  read.elements = elements.getDimSize(solution.dim);
  if (!factors || ShapedType::isDynamic(read.elements) || read.elements < read.divisor)
    return std::nullopt;
  read.constant = factors->pop_back_val();
  for (auto [dim, factor] : llvm::enumerate(*factors)) {
    if (factor == 0)
      continue;
    if (dim == read.dim) {
      read.elementFactor = factor;
      continue;
    }
    if (dim < inverse.rank || read.loop)
      return std::nullopt;
    read.loop = dim - inverse.rank;
    read.loopFactor = factor;
    read.iterations = sizeOf(*read.loop);
  }
  if (ShapedType::isDynamic(read.iterations) || read.elementFactor == 0)
    return std::nullopt;
  return read;
}

/// Whether another solution depends on the same subscript or loop.
bool isShared(const InverseRead &inverse, const SteppedRead &read) {
  for (auto [loop, solution] : llvm::enumerate(inverse.solutions))
    if (solution && loop != read.solved &&
        (solution->numerator.isFunctionOfDim(read.dim) ||
         (read.loop && solution->numerator.isFunctionOfDim(inverse.rank + *read.loop))))
      return true;
  return false;
}

/// The residue of the iterations that may read elements of residue `elementResidue`; null if there are none.
std::optional<Residue> residueOf(const SteppedRead &read, int64_t elementResidue) {
  int64_t stride = read.divisor;
  Residue residue{read.dim, stride, elementResidue, (read.elements - elementResidue + stride - 1) / stride, read.loop};
  for (residue.loopResidue = 0; residue.loopResidue < (read.loop ? std::min(stride, read.iterations) : 1);
       ++residue.loopResidue)
    if ((read.elementFactor * elementResidue + read.loopFactor * residue.loopResidue + read.constant) % stride == 0) {
      if (read.loop)
        residue.iterations = (read.iterations - residue.loopResidue + stride - 1) / stride;
      return residue;
    }
  return std::nullopt;
}

/// Rewrites the solution in terms of the numbers of elements and iterations within the residue class.
void substitute(InverseRead &inverse, const SteppedRead &read, const Residue &residue) {
  InverseRead::Solution &solution = *inverse.solutions[read.solved];
  MLIRContext *context = solution.numerator.getContext();
  auto dim = [&](unsigned number) { return getAffineDimExpr(number, context); };
  int64_t constant =
      read.elementFactor * residue.elementResidue + read.loopFactor * residue.loopResidue + read.constant;
  solution.numerator = dim(read.dim) * read.elementFactor + constant / residue.stride;
  if (read.loop)
    solution.numerator = solution.numerator + dim(inverse.rank + *read.loop) * read.loopFactor;
  solution.divisor = 1;
}

} // namespace

std::vector<ResidueClass> residueClasses(const InverseRead &inverse, RankedTensorType elements,
                                         llvm::function_ref<int64_t(unsigned)> sizeOf) {
  if (visitsFew(inverse, sizeOf))
    return {};
  std::vector<ResidueClass> classes = {{{}, true, inverse, {}}};
  for (auto [loop, solution] : llvm::enumerate(inverse.solutions)) {
    if (!solution || solution->divisor == 1)
      continue;
    auto read = steppedRead(inverse, loop, elements, sizeOf);
    // If the loop's coefficient is not coprime to the divisor, several residues of the loop may read one class.
    if (!read || isShared(inverse, *read) || (read->loop && std::gcd(read->loopFactor, read->divisor) != 1) ||
        classes.size() * read->divisor > maxClasses)
      return {};
    std::vector<ResidueClass> finer;
    for (const ResidueClass &each : classes)
      for (int64_t elementResidue = 0; elementResidue < read->divisor; ++elementResidue) {
        finer.push_back(each);
        auto residue = residueOf(*read, elementResidue);
        finer.back().isRead &= residue.has_value();
        finer.back().residues.push_back(
            residue.value_or(Residue{read->dim, read->divisor, elementResidue, 0, std::nullopt}));
        if (residue)
          substitute(finer.back().inverse, *read, *residue);
      }
    classes = std::move(finer);
  }
  return classes.size() == 1 ? std::vector<ResidueClass>() : classes;
}

/// The element of a class at `indices` if these have its residues, else an arbitrary element of it.
static Value classElement(OpBuilder &inner, Location at, const ResidueClass &from, ArrayRef<Value> indices) {
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(inner, at, value).getResult(); };
  SmallVector<Value> subscripts(indices);
  for (const Residue &each : from.residues) {
    Value number = arith::FloorDivSIOp::create(inner, at, indices[each.dim], constant(each.stride));
    subscripts[each.dim] = arith::MinSIOp::create(inner, at, number, constant(each.elements - 1));
  }
  return tensor::ExtractOp::create(inner, at, from.gradient, subscripts);
}

static Value hasResidues(OpBuilder &inner, Location at, ArrayRef<Residue> residues, ArrayRef<Value> indices) {
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(inner, at, value).getResult(); };
  Value all;
  for (const Residue &each : residues) {
    Value residue = arith::RemSIOp::create(inner, at, indices[each.dim], constant(each.stride));
    Value is = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::eq, residue, constant(each.elementResidue));
    all = all ? arith::AndIOp::create(inner, at, all, is).getResult() : is;
  }
  return all;
}

Value interleave(OpBuilder &builder, Location at, Value elements, ArrayRef<ResidueClass> classes) {
  unsigned rank = cast<RankedTensorType>(elements.getType()).getRank();
  Value empty =
      tensor::EmptyOp::create(builder, at, tensor::getMixedSizes(builder, at, elements), builder.getF32Type());
  AffineMap map = builder.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto body = [&](OpBuilder &inner, Location, ValueRange) {
    SmallVector<Value> indices;
    for (unsigned dim = 0; dim < rank; ++dim)
      indices.push_back(linalg::IndexOp::create(inner, at, dim));
    Value chosen = arith::ConstantOp::create(inner, at, inner.getF32FloatAttr(0));
    for (const ResidueClass &each : classes)
      if (each.gradient)
        chosen = arith::SelectOp::create(inner, at, hasResidues(inner, at, each.residues, indices),
                                         classElement(inner, at, each, indices), chosen);
    linalg::YieldOp::create(inner, at, chosen);
  };
  return linalg::GenericOp::create(builder, at, empty.getType(), ValueRange{}, empty, map, loops, body).getResult(0);
}

} // namespace attnc
