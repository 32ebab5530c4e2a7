//===- ReadStage.h - translation of tensor ops to Halide stages ---------------------------------------------------===//
//
// A stage (Stage.h) computes one result of a linalg.generic, an attn.scatter_add or a move (isMove), or copies the
// tensor of another stage. It also computes the pointwise ops among its operands that have no stage of their own: their
// formulas become part of the stage's formula. PipelineReader (ReadKernel.cpp) creates a StageReader for each stage.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Read/ReadFormula.h"
#include "compiler/Codegen/Halide/Schedule/Staging.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc::halide {

/// The interface by which the reader of one stage uses the other ops of the kernel. The numbers of stages are those of
/// KernelPipeline::stages.
class OtherStages {
public:
  virtual ~OtherStages() = default;
  /// Whether a stage with `loops` loops that reads `value` computes the element itself; false unless `value` is the
  /// result of a pointwise op.
  virtual bool isComputedWhereRead(mlir::OpResult value, unsigned loops) = 0;
  /// The operand of `op` that is a fold (a reduction) which `op` alone reads, element by element: one stage then
  /// computes both. Null if there is none, and if `op` reduces too, or the fold is a result of the kernel or already
  /// has a stage.
  virtual mlir::OpOperand *foldToFinish(mlir::linalg::GenericOp op) = 0;
  /// The number of the stage that computes the tensor `value`; the stage is read now if necessary. `own` has the
  /// arguments and operations that all stages share, which reading may extend. Null if declined, with the reason in
  /// `reason`.
  virtual std::optional<unsigned> stageOf(mlir::OpResult value, KernelStage &own, std::string &reason) = 0;
  /// A stage that has been read.
  virtual const Stage &stage(unsigned number) const = 0;
};

/// Reads one stage: call read() or copy() once, then take().
class StageReader : public FormulaReader {
public:
  /// The arguments and operations of `shared` move to the reader; take() moves them back, extended.
  StageReader(mlir::func::FuncOp kernel, OtherStages &others, KernelStage &shared);

  /// Reads the op that computes `value`, of one of the kinds above; the stage stores elements of type `element`. False
  /// if declined, with the reason in `reason`; take() is then not called.
  bool read(mlir::OpResult value, attn_dtype element, std::string &reason);
  /// Makes a stage that copies the tensor of stage `number`, and stores its elements as `element`.
  void copy(unsigned number, attn_dtype element);
  /// Returns the stage, moved out of the reader; the caller sets PlannedStage::result if it writes a result.
  PlannedStage take(KernelStage &shared);

private:
  /// A region, read at one iteration.
  struct Scope {
    explicit Scope(mlir::Block &body, unsigned loops = 0) : body(&body), iterations(loops) {}
    mlir::Block *body;
    llvm::SmallVector<unsigned> iterations; ///< node of each loop's index
    llvm::DenseMap<mlir::Value, unsigned> known;
  };

  bool isInside(mlir::Value value) override;
  MaybeNode ownNode(mlir::Value value) override;
  MaybeNode loadIntermediate(mlir::Value tensor, llvm::ArrayRef<unsigned> subscripts) override;
  MaybeNode nodeIn(Scope &inner, mlir::Value value);
  MaybeNode operandNode(mlir::OpOperand &operand);
  MaybeNode loadMoved(mlir::Operation *move, llvm::ArrayRef<unsigned> subscripts);
  MaybeNode loadSlice(mlir::tensor::ExtractSliceOp slice, llvm::ArrayRef<unsigned> subscripts);
  MaybeNode loadJoined(mlir::tensor::ConcatOp join, llvm::ArrayRef<unsigned> subscripts);
  bool readMoved(mlir::Value value);
  unsigned loadStage(unsigned number, llvm::ArrayRef<unsigned> subscripts);

  unsigned addLoop(const Size &size);
  void addDimensionOfOne();
  bool addLoops(mlir::linalg::GenericOp op, Scope &own);
  bool readGeneric(mlir::linalg::GenericOp op, unsigned result);
  bool readFold(mlir::linalg::GenericOp op, unsigned result, Scope &own);
  bool readFinished(mlir::linalg::GenericOp op, unsigned result, mlir::OpOperand &fold);
  MaybeNode pointOf(mlir::linalg::GenericOp op, unsigned result, Scope &own);
  bool readScatter(mlir::attn::ScatterAddOp op);
  MaybeNode loopOfTerms(mlir::attn::TermOp term, mlir::Value argument, mlir::Value size);
  unsigned inRange(unsigned place, const Size &size);
  unsigned repeated(unsigned term);

  OtherStages &others;
  Scope *scope = nullptr;
  unsigned operandCount = 0, loops = 0;
};

/// Whether the op is a linalg.fill, or copies elements unchanged: a transpose, a slice or a concatenation.
bool isMove(mlir::Operation *op);

/// The number of the loop that is the subscript of each dimension of result number `result`. The op must write this
/// result at plain loop indices.
llvm::SmallVector<unsigned> loopsOfResult(mlir::linalg::GenericOp op, unsigned result);

} // namespace attnc::halide
