// Certificates: the cost of each launch of each kernel, and the memory of an entry point, over its dimensions.
//
// Query–key pairs are found in the ops that compute scores: an `attn.attend`, or a contraction of two tensors, which
// combines each position of one (a query) with each position of the other (a key). Sizes that grow with the product of
// the two dimensions are of the order of all pairs.
#include "compiler/Codegen/Host/Program.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace attnc {

/// The number of iterations of the loops around `call`.
static SizeExpr timesRun(func::CallOp call, SizeAnalysis &sizes) {
  SizeExpr times = 1;
  for (auto loop = call->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>()) {
    std::optional<SizeExpr> begin = sizes.index(loop.getLowerBound()), end = sizes.index(loop.getUpperBound());
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (begin && end && step && *step > 0)
      times *= (SizeExpr::max(*begin, *end) - *begin).ceilDiv(*step);
  }
  return times;
}

namespace {

/// A dimension of queries and a dimension of keys; equal in self-attention.
using PairOfDimensions = std::pair<unsigned, unsigned>;

/// Finds the dimensions of queries and keys in the kernels of an entry point.
class PairFinder {
public:
  explicit PairFinder(EntryPlan &entry) : dimensionCount(unsigned(entry.symbols.size() - 1)) {}

  void addLaunch(func::FuncOp kernel, ArrayRef<std::optional<SizeExpr>> symbols) {
    SizeAnalysis inside = SizeAnalysis::ofKernel(kernel);
    auto outside = [&](std::optional<SizeExpr> size) { return size ? substituteKnown(*size, symbols) : std::nullopt; };
    kernel.walk([&](attn::AttendOp attend) {
      if (attend.getOuterSizes().empty())
        return;
      for (Value key : attend.getKeySizes())
        add(outside(inside.index(attend.getOuterSizes().back())), outside(inside.index(key)));
    });
    kernel.walk([&](linalg::GenericOp op) {
      for (auto [query, key] : positionsOf(op))
        add(outside(extent(op, query, inside)), outside(extent(op, key, inside)));
    });
  }

  /// True if `bytes` is of the order of queries × keys.
  bool growsAsAllPairs(const SizeExpr &bytes) const {
    return llvm::any_of(pairs, [&](PairOfDimensions pair) { return bytes.hasProductOf(pair.first, pair.second); });
  }

private:
  unsigned dimensionCount;
  std::vector<PairOfDimensions> pairs;

  void add(const std::optional<SizeExpr> &queries, const std::optional<SizeExpr> &keys) {
    for (unsigned a = 0; queries && keys && a < dimensionCount; ++a)
      for (unsigned b = 0; b < dimensionCount; ++b)
        if (queries->mentions(a) && keys->mentions(b))
          pairs.emplace_back(a, b);
  }

  /// The extent of a loop of `op`, from an operand with the loop as a dimension.
  static std::optional<SizeExpr> extent(linalg::GenericOp op, unsigned loop, SizeAnalysis &inside) {
    for (OpOperand &operand : op->getOpOperands())
      for (auto [dimension, index] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (auto plain = dyn_cast<AffineDimExpr>(index); plain && plain.getPosition() == loop)
          return inside.size(operand.get(), dimension);
    return std::nullopt;
  }

  /// For a reduction over features of two operands: the pairs of a loop of one operand alone with a loop of the other
  /// alone.
  static SmallVector<PairOfDimensions> positionsOf(linalg::GenericOp op) {
    SmallVector<PairOfDimensions> result;
    SmallVector<unsigned> parallel, reduced;
    op.getParallelDims(parallel);
    op.getReductionDims(reduced);
    auto has = [&](OpOperand *operand, unsigned loop) {
      return op.getMatchingIndexingMap(operand).isFunctionOfDim(loop);
    };
    for (OpOperand *a : op.getDpsInputOperands())
      for (OpOperand *b : op.getDpsInputOperands())
        if (llvm::any_of(reduced, [&](unsigned k) { return has(a, k) && has(b, k); }))
          for (unsigned i : parallel)
            for (unsigned j : parallel)
              if (has(a, i) && !has(b, i) && has(b, j) && !has(a, j))
                result.emplace_back(i, j);
    return result;
  }
};

} // namespace

static KernelLaunch certifyLaunch(EntryPlan &entry, func::CallOp call, const CompiledKernel &kernel,
                                  ArrayRef<std::optional<SizeExpr>> symbols) {
  auto here = [&](const SizeExpr &size) { return substituteKnown(size, symbols).value_or(SizeExpr()); };
  KernelLaunch launch;
  launch.entry = entry.entry.getName().str();
  launch.symbols = entry.symbols;
  launch.kernel = kernel.function;
  launch.call = call;
  launch.times = timesRun(call, entry.sizes);
  launch.flops = here(kernel.code.cost.flops);
  launch.bytesRead = here(kernel.code.cost.bytesRead);
  launch.bytesWritten = here(kernel.code.cost.bytesWritten);
  SizeExpr workers = SizeExpr::symbol(entry.symbols.size() - 1);
  launch.largestIntermediate =
      SizeExpr::max(here(kernel.code.sharedBytes), here(kernel.code.workerBytes).alignTo(arenaAlignment) * workers);
  return launch;
}

/// Adds the results of the launch that remain in the arena for later launches.
static void certifyStorage(EntryPlan &entry, func::CallOp call, const PairFinder &pairs, KernelLaunch &launch,
                           EntryCertificate &certificate) {
  std::string kernel = call.getCallee().str();
  auto record = [&](const SizeExpr &bytes) {
    certificate.largestIntermediate = SizeExpr::max(certificate.largestIntermediate, bytes);
    if (!pairs.growsAsAllPairs(bytes))
      return;
    launch.holdsAllPairs = true;
    certificate.allPairs.push_back({kernel, bytes});
  };
  record(launch.largestIntermediate);
  for (Value result : call.getResults())
    if (ValueLocation::Kind kind = entry.location(result).kind;
        kind == ValueLocation::Kind::Slot || kind == ValueLocation::Kind::Element)
      record(entry.sizes.bytes(result).value_or(SizeExpr()));
}

static EntryCertificate certifyEntry(EntryPlan &entry, std::vector<CompiledKernel> &kernels) {
  auto kernelOf = [&](func::CallOp call) {
    return llvm::find_if(kernels,
                         [&](CompiledKernel &kernel) { return kernel.function.getName() == call.getCallee(); });
  };
  PairFinder pairs(entry);
  for (auto &[op, scratch] : entry.launches)
    if (auto call = cast<func::CallOp>(op); kernelOf(call) != kernels.end())
      pairs.addLaunch(kernelOf(call)->function, entry.sizes.kernelSymbols(call));
  EntryCertificate certificate;
  for (auto &[op, scratch] : entry.launches) {
    auto call = cast<func::CallOp>(op);
    auto kernel = kernelOf(call);
    if (kernel == kernels.end())
      continue;
    kernel->launches.push_back(certifyLaunch(entry, call, *kernel, entry.sizes.kernelSymbols(call)));
    const KernelLaunch &launch = kernel->launches.back();
    certificate.flops += launch.flops * launch.times;
    certifyStorage(entry, call, pairs, kernel->launches.back(), certificate);
  }
  return certificate;
}

void certify(Program &program) {
  for (EntryPlan &entry : program.entries)
    program.certificates.push_back(certifyEntry(entry, program.kernels));
}

} // namespace attnc
