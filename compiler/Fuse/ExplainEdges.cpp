//===- ExplainEdges.cpp - attn-explain-edges ----------------------------------------------------------------------===//
//
// Records, for every tensor between two kernels, the reason against their fusion and the bytes of the tensor. Every
// edge has a reason.
//
// Precondition: outlined kernels. Postcondition: the same program, with `attn.decisions` complete (Decisions.h).
//
//   %0 = call @logits_rows_0(%x)                 {made = false, reason = "contraction-operand", what = "logits_rows_0",
//   %1 = call @logits_gemm_0(%0, %w)      →       into = "logits_gemm_0", bytes = "1536*batch*seq", entry = "logits"}
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/RefusedFusions.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Analysis/SymbolicShapes.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Fuse/Groups.h"
#include "compiler/Fuse/Legality.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_EXPLAINEDGESPASS
#include "compiler/Fuse/Passes.h.inc"
namespace {

KernelBody bodyOf(func::FuncOp kernel) { return kernelTraits(*kernelKindOf(kernel)).body; }

/// A tensor between two kernels: one computes it, the other reads it.
struct Edge {
  func::CallOp producerCall, consumerCall;
  func::FuncOp producer, consumer;
  unsigned result, argument;
  bool throughLoop;

  KernelBody producerBody() { return bodyOf(producer); }
  KernelBody consumerBody() { return bodyOf(consumer); }
  /// The op in the producer that computes the tensor.
  Operation *maker() { return producer.front().getTerminator()->getOperand(result).getDefiningOp(); }
  Value tensor() { return producerCall.getResult(result); }
};

class EdgeExplainer {
public:
  EdgeExplainer(ModuleOp module, func::FuncOp function)
      : module(module), function(function), shapes(function, SymbolicShapes::Lifetime::Stays), symbols(module) {}
  void run();

private:
  func::FuncOp kernelOf(func::CallOp call);
  void collectEdges(func::CallOp call);
  void findScores();
  Reason reasonFor(Edge &edge);
  Reason intoAttention(Edge &edge);
  Reason intoContraction(Edge &edge);
  Reason intoRows(Edge &edge);
  Reason intoLoops(Edge &edge);
  bool hasSeveralReaders(Edge &edge) { return usesThroughFreeViews(edge.tensor()).size() > 1; }

  ModuleOp module;
  func::FuncOp function;
  SymbolicShapes shapes;
  SymbolTable symbols;
  std::vector<Edge> edges;
  llvm::DenseSet<Value> scores; ///< results of calls with an element for each pair, later normalised
};

} // namespace

func::FuncOp EdgeExplainer::kernelOf(func::CallOp call) {
  auto callee = call ? symbols.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
  bool isFused = callee && isKernel(callee) && bodyOf(callee) != KernelBody::Copy;
  return isFused ? callee : func::FuncOp();
}

/// The origin of a tensor: through free views, and through a loop to the value that its last iteration yields.
static std::pair<Value, bool> originOf(Value value) {
  bool throughLoop = false;
  while (true) {
    value = skipFreeViews(value);
    scf::ForOp loop;
    Value yielded;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      yielded = loop && argument != loop.getInductionVar() ? loop.getTiedLoopYieldedValue(argument)->get() : Value();
    } else if ((loop = value.getDefiningOp<scf::ForOp>())) {
      yielded = loop.getYieldedValues()[cast<OpResult>(value).getResultNumber()];
    }
    if (!yielded || yielded == value)
      return {value, throughLoop};
    value = yielded;
    throughLoop = true;
    if (isa<BlockArgument>(skipFreeViews(value)))
      return {value, throughLoop}; // the loop passes the value on unchanged
  }
}

void EdgeExplainer::collectEdges(func::CallOp call) {
  func::FuncOp consumer = kernelOf(call);
  if (!consumer)
    return;
  for (OpOperand &operand : call->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    auto add = [&](Value origin, bool throughLoop) {
      auto producerCall = origin.getDefiningOp<func::CallOp>();
      if (func::FuncOp producer = kernelOf(producerCall))
        edges.push_back({producerCall, call, producer, consumer, cast<OpResult>(origin).getResultNumber(),
                         operand.getOperandNumber(), throughLoop});
    };
    auto [origin, throughLoop] = originOf(operand.get());
    add(origin, throughLoop);
    if (throughLoop && storageOf(operand.get()) != origin)
      add(storageOf(operand.get()), true);
  }
}

//===-------------------------------------------- scores ------------------------------------------------------===//

static linalg::GenericOp reductionIn(func::FuncOp kernel) {
  for (auto op : kernel.getOps<linalg::GenericOp>())
    if (op.getNumReductionLoops() != 0)
      return op;
  return {};
}

/// Finds products of two computed tensors that are normalised by exponentials along their rows: attention in plain ops.
void EdgeExplainer::findScores() {
  llvm::DenseMap<Value, Value> rootOf;
  llvm::DenseSet<Value> normalised;
  function.walk([&](func::CallOp call) {
    func::FuncOp kernel = kernelOf(call);
    if (!kernel)
      return;
    KernelBody body = bodyOf(kernel);
    if (linalg::GenericOp op = body == KernelBody::Contraction ? reductionIn(kernel) : linalg::GenericOp()) {
      bool computed = llvm::all_of(op.getInputs(), [&](Value input) {
        auto argument = dyn_cast<BlockArgument>(input);
        return argument && argument.getOwner() == &kernel.front() &&
               !isParameter(call.getOperand(argument.getArgNumber()));
      });
      if (computed)
        for (Value result : call.getResults())
          rootOf[result] = result;
      return;
    }
    if (body == KernelBody::Attention)
      return;
    bool hasExp = kernel.walk([](math::ExpOp) { return WalkResult::interrupt(); }).wasInterrupted();
    for (Value operand : call.getOperands()) {
      Value root = rootOf.lookup(skipFreeViews(operand));
      if (!root)
        continue;
      if (hasExp && body == KernelBody::Rows)
        normalised.insert(root);
      for (Value result : call.getResults())
        if (shapes.elements(result) == shapes.elements(operand))
          rootOf[result] = root;
    }
  });
  for (auto [value, root] : rootOf)
    if (normalised.contains(root))
      scores.insert(value);
}

//===-------------------------------------------- reasons -----------------------------------------------------===//

Reason EdgeExplainer::intoAttention(Edge &edge) {
  auto maker = dyn_cast_if_present<linalg::GenericOp>(edge.maker());
  if (edge.producerBody() == KernelBody::Loops && maker && isPointwise(maker))
    return hasSeveralReaders(edge) && readsByData(maker) ? Reason::SeveralUses : Reason::RecomputedPerKey;
  return Reason::AttendOperand;
}

Reason EdgeExplainer::intoContraction(Edge &edge) {
  BlockArgument argument = edge.consumer.getArgument(edge.argument);
  bool isContracted = llvm::any_of(argument.getUsers(), [](Operation *user) {
    auto generic = dyn_cast<linalg::GenericOp>(user);
    return (generic && generic.getNumReductionLoops() != 0) || user->getParentOfType<attn::ScatterAddOp>();
  });
  auto maker = dyn_cast_if_present<linalg::GenericOp>(edge.maker());
  if (isContracted) {
    if (edge.producerBody() == KernelBody::Attention)
      return Reason::AttendResultContracted;
    if (edge.producerBody() == KernelBody::Contraction)
      return Reason::ContractionChain;
    if ((maker && onlyMoves(maker)) || isa_and_present<linalg::TransposeOp>(edge.maker()))
      return Reason::OperandLayout;
    return isa<tensor::ExtractSliceOp>(edge.maker()) ? Reason::SliceOperand : Reason::ContractionOperand;
  }
  if (edge.producerBody() == KernelBody::Contraction)
    return Reason::SecondContraction;
  if (edge.producerBody() == KernelBody::Attention)
    return Reason::AttendNoEpilogue;
  if (maker && maker.getNumReductionLoops() != 0)
    return Reason::ReducedFirst;
  if (hasSeveralReaders(edge))
    return Reason::SeveralUses;
  return edge.producerBody() == KernelBody::Rows                   ? Reason::DifferentRows
         : maker && isPointwise(maker) && isElementFunction(maker) ? Reason::EpilogueLayout
                                                                   : Reason::EpilogueSubscript;
}

/// Whether the consumer reads each row as the producer writes it, so that only the scratch for rows prevents the
/// fusion.
static bool readsRowForRow(Edge &edge) {
  BlockArgument argument = edge.consumer.getArgument(edge.argument);
  auto maker = dyn_cast_if_present<linalg::GenericOp>(edge.maker());
  auto producerRows = reductionIn(edge.producer);
  if (!maker || !producerRows)
    return false;
  unsigned rows = producerRows.getNumLoops() - 1;
  return llvm::all_of(argument.getUsers(), [&](Operation *user) {
    auto reader = dyn_cast<linalg::GenericOp>(user);
    if (isa<tensor::DimOp>(user))
      return true;
    return reader && rowRole(reader, rows) && !whyNotRowLocal(reader, argument, rows);
  });
}

Reason EdgeExplainer::intoRows(Edge &edge) {
  auto maker = dyn_cast_if_present<linalg::GenericOp>(edge.maker());
  switch (edge.producerBody()) {
  case KernelBody::Attention:
    return Reason::AttendNoEpilogue;
  case KernelBody::Contraction:
    return Reason::RowAfterTile;
  case KernelBody::Rows:
    return readsRowForRow(edge) ? Reason::RowScratch : Reason::DifferentRows;
  case KernelBody::Copy:
  case KernelBody::Loops:
    if (!maker || onlyMoves(maker))
      return Reason::SliceOperand;
    if (maker.getNumReductionLoops() != 0)
      return Reason::ReducedFirst;
    if (readsByData(maker))
      return Reason::ReadByData;
    return Reason::DifferentRows;
  }
  llvm_unreachable("not a body of kernels");
}

Reason EdgeExplainer::intoLoops(Edge &edge) {
  BlockArgument argument = edge.consumer.getArgument(edge.argument);
  auto maker = dyn_cast_if_present<linalg::GenericOp>(edge.maker());
  auto reader = argument.use_empty() ? linalg::GenericOp() : dyn_cast<linalg::GenericOp>(*argument.getUsers().begin());
  if (!reader) {
    auto nested = argument.use_empty() ? linalg::GenericOp()
                                       : (*argument.getUsers().begin())->getParentOfType<linalg::GenericOp>();
    if (nested && readsByData(nested))
      return Reason::ReadByData;
    if (!nested)
      return isView(*argument.getUsers().begin()) ? Reason::SliceOperand : Reason::NotPointwise;
    reader = nested;
  }
  if (edge.producerBody() == KernelBody::Attention)
    return Reason::AttendNoEpilogue;
  if (hasSeveralReaders(edge))
    return Reason::SeveralUses;
  if (edge.producerBody() == KernelBody::Contraction) {
    for (OpOperand &use : argument.getUses())
      if (use.getOwner() == reader)
        if (auto reason = whyNotEpilogue(reader, use))
          return *reason;
    return Reason::EpilogueSubscript;
  }
  if (maker && maker.getNumReductionLoops() != 0)
    return edge.producerBody() == KernelBody::Rows ? Reason::DifferentRows : Reason::ReducedFirst;
  if (maker && isPointwise(maker) && isFormulaTooLarge(maker, reader))
    return Reason::FormulaSize;
  return Reason::DifferentRows;
}

/// Whether a strategy refused the fusion of the producer with a user of the tensor.
static bool isFusionPrevented(Edge &edge) {
  Operation *maker = edge.maker();
  return maker && llvm::any_of(edge.consumer.getArgument(edge.argument).getUsers(),
                               [&](Operation *reader) { return isFusionPrevented(maker, reader); });
}

Reason EdgeExplainer::reasonFor(Edge &edge) {
  if (auto attend = dyn_cast_if_present<attn::AttendOp>(edge.maker()))
    if (attend.getStatistics()[cast<OpResult>(edge.producer.front().getTerminator()->getOperand(edge.result))
                                   .getResultNumber()] == attn::Statistic::Weights)
      return Reason::WeightsMaterialised;
  if (scores.contains(edge.tensor()))
    return Reason::ScoresMaterialised;
  if (edge.throughLoop)
    return Reason::LoopCarried;
  if (isFusionPrevented(edge))
    return Reason::FusionRefused;
  switch (edge.consumerBody()) {
  case KernelBody::Attention:
    return intoAttention(edge);
  case KernelBody::Contraction:
    return intoContraction(edge);
  case KernelBody::Rows:
    return intoRows(edge);
  case KernelBody::Copy:
  case KernelBody::Loops:
    return intoLoops(edge);
  }
  llvm_unreachable("not a body of kernels");
}

void EdgeExplainer::run() {
  findScores();
  function.walk([&](func::CallOp call) { collectEdges(call); });
  for (Edge &edge : edges) {
    Reason reason = reasonFor(edge);
    SmallVector<std::string> places = placesOf(edge.maker() ? edge.maker()->getLoc() : edge.producer.getLoc());
    recordDecision(module, {false,
                            reason,
                            edge.producer.getName().str(),
                            edge.consumer.getName().str(),
                            shapes.text(shapes.bytes(edge.tensor())),
                            function.getName().str(),
                            reason == Reason::ScoresMaterialised || reason == Reason::WeightsMaterialised,
                            {places.begin(), places.end()}});
  }
}

namespace {

struct ExplainEdges : impl::ExplainEdgesPassBase<ExplainEdges> {
  void runOnOperation() override {
    for (func::FuncOp function : hostFunctions(getOperation()))
      EdgeExplainer(getOperation(), function).run();
  }
};

} // namespace

} // namespace attnc
