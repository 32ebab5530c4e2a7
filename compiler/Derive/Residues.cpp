#include "compiler/Derive/Residues.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <numeric>

using namespace mlir;

namespace attnc {
namespace {

/// Of which each is a kernel.
constexpr size_t mostClasses = 16;
/// Iterations that are asked for an element; to put the classes together again costs as much as to ask a few.
constexpr int64_t leastIterations = 64;

/// The numerator of a solution with a divisor: ofElement * element + ofLoop * loop + constant.
struct SteppedRead {
  unsigned solved = 0, dim = 0;
  int64_t divisor = 1, elements = 0;
  int64_t ofElement = 0, ofLoop = 0, constant = 0;
  std::optional<unsigned> loop;
  int64_t iterations = 1;
};

bool asksFew(const InverseRead &inverse, llvm::function_ref<int64_t(unsigned)> sizeOf) {
  int64_t iterations = 1;
  for (unsigned loop : inverse.remaining) {
    int64_t size = sizeOf(loop);
    if (ShapedType::isDynamic(size))
      return false;
    iterations *= size;
  }
  return iterations < leastIterations;
}

/// The factors of subscripts and loops, then the constant; nothing where there is a size in it.
std::optional<SmallVector<int64_t>> factorsOf(const InverseRead &inverse, AffineExpr expr) {
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
  auto factors = factorsOf(inverse, solution.numerator);
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
      read.ofElement = factor;
      continue;
    }
    if (dim < inverse.rank || read.loop)
      return std::nullopt;
    read.loop = dim - inverse.rank;
    read.ofLoop = factor;
    read.iterations = sizeOf(*read.loop);
  }
  if (ShapedType::isDynamic(read.iterations) || read.ofElement == 0)
    return std::nullopt;
  return read;
}

/// Whether another solution is of the same subscript or loop.
bool isShared(const InverseRead &inverse, const SteppedRead &read) {
  for (auto [loop, solution] : llvm::enumerate(inverse.solutions))
    if (solution && loop != read.solved &&
        (solution->numerator.isFunctionOfDim(read.dim) ||
         (read.loop && solution->numerator.isFunctionOfDim(inverse.rank + *read.loop))))
      return true;
  return false;
}

/// The residue of the iterations that may read elements of this one; nothing where none does.
std::optional<Residue> residueOf(const SteppedRead &read, int64_t ofElement) {
  int64_t stride = read.divisor;
  Residue residue{read.dim, stride, ofElement, (read.elements - ofElement + stride - 1) / stride, read.loop};
  for (residue.ofLoop = 0; residue.ofLoop < (read.loop ? std::min(stride, read.iterations) : 1); ++residue.ofLoop)
    if ((read.ofElement * ofElement + read.ofLoop * residue.ofLoop + read.constant) % stride == 0) {
      if (read.loop)
        residue.iterations = (read.iterations - residue.ofLoop + stride - 1) / stride;
      return residue;
    }
  return std::nullopt;
}

/// Says the solution in numbers of elements and iterations of the residue.
void restate(InverseRead &inverse, const SteppedRead &read, const Residue &residue) {
  InverseRead::Solution &solution = *inverse.solutions[read.solved];
  MLIRContext *context = solution.numerator.getContext();
  auto dim = [&](unsigned number) { return getAffineDimExpr(number, context); };
  int64_t constant = read.ofElement * residue.ofElement + read.ofLoop * residue.ofLoop + read.constant;
  solution.numerator = dim(read.dim) * read.ofElement + constant / residue.stride;
  if (read.loop)
    solution.numerator = solution.numerator + dim(inverse.rank + *read.loop) * read.ofLoop;
  solution.divisor = 1;
}

} // namespace

std::vector<ResidueClass> residueClasses(const InverseRead &inverse, RankedTensorType elements,
                                         llvm::function_ref<int64_t(unsigned)> sizeOf) {
  if (asksFew(inverse, sizeOf))
    return {};
  std::vector<ResidueClass> classes = {{{}, true, inverse, {}}};
  for (auto [loop, solution] : llvm::enumerate(inverse.solutions)) {
    if (!solution || solution->divisor == 1)
      continue;
    auto read = steppedRead(inverse, loop, elements, sizeOf);
    // Of a loop that a multiple of is read, several residues may be read for one.
    if (!read || isShared(inverse, *read) || (read->loop && std::gcd(read->ofLoop, read->divisor) != 1) ||
        classes.size() * read->divisor > mostClasses)
      return {};
    std::vector<ResidueClass> finer;
    for (const ResidueClass &each : classes)
      for (int64_t ofElement = 0; ofElement < read->divisor; ++ofElement) {
        finer.push_back(each);
        auto residue = residueOf(*read, ofElement);
        finer.back().isRead &= residue.has_value();
        finer.back().residues.push_back(
            residue.value_or(Residue{read->dim, read->divisor, ofElement, 0, std::nullopt}));
        if (residue)
          restate(finer.back().inverse, *read, *residue);
      }
    classes = std::move(finer);
  }
  return classes.size() == 1 ? std::vector<ResidueClass>() : classes;
}

/// The element of a class, where its subscripts have the residues, else any of its elements.
static Value elementOf(OpBuilder &inner, Location at, const ResidueClass &from, ArrayRef<Value> indices) {
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
    Value is = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::eq, residue, constant(each.ofElement));
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
                                         elementOf(inner, at, each, indices), chosen);
    linalg::YieldOp::create(inner, at, chosen);
  };
  return linalg::GenericOp::create(builder, at, empty.getType(), ValueRange{}, empty, map, loops, body).getResult(0);
}

} // namespace attnc
