//===- ReadStage.h - an operation of a kernel as a stage ----------------------------------------------------------===//
//
// A stage is what one linalg.generic or attn.scatter_add computes of one of its results, with the pointwise operations
// that it reads, where those are computed at the place: their formulas are read for its iterations.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Read/ReadFormula.h"
#include "compiler/Codegen/Halide/Schedule/Staging.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc::halide {

/// The other operations of the kernel.
class OtherStages {
public:
  virtual ~OtherStages() = default;
  /// Whether those who run over `loops` loops compute an element of a pointwise operation themselves.
  virtual bool isComputedWhereRead(mlir::OpResult value, unsigned loops) = 0;
  /// A fold whose elements a pointwise operation alone reads, each at its own place: one stage computes both. Null
  /// where there is none.
  virtual mlir::OpOperand *foldToFinish(mlir::linalg::GenericOp op) = 0;
  /// The number of the stage that makes a tensor, which is read first where nobody has. `own` has arguments and
  /// operations that the kernel's stages share. Nothing where it is declined, with the reason.
  virtual std::optional<unsigned> stageOf(mlir::OpResult value, KernelStage &own, std::string &reason) = 0;
  virtual const Stage &stage(unsigned number) const = 0;
};

class StageReader : public FormulaReader {
public:
  /// `shared` has the arguments and operations so far, and gets them back by take().
  StageReader(mlir::func::FuncOp kernel, OtherStages &others, KernelStage &shared);

  /// Reads what makes `value`; false where that is declined, and `reason` says why.
  bool read(mlir::OpResult value, Element element, std::string &reason);
  /// Reads the elements of an earlier stage.
  void copy(unsigned number, Element element);
  PlannedStage take(KernelStage &shared);

private:
  /// A region that is read for one iteration.
  struct Scope {
    explicit Scope(mlir::Block &body, unsigned loops = 0) : body(&body), iterations(loops) {}
    mlir::Block *body;
    llvm::SmallVector<unsigned> iterations; ///< of each loop, a node
    llvm::DenseMap<mlir::Value, unsigned> known;
  };

  bool isInside(mlir::Value value) override;
  MaybeNode ownNode(mlir::Value value) override;
  MaybeNode loadMade(mlir::Value tensor, llvm::ArrayRef<unsigned> subscripts) override;
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

/// Whether an operation fills a tensor, or has elements of others as they are.
bool isMove(mlir::Operation *op);

/// The loop of each dimension of a result.
llvm::SmallVector<unsigned> loopsOfResult(mlir::linalg::GenericOp op, unsigned result);

} // namespace attnc::halide
