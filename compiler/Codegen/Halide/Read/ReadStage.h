//===- ReadStage.h - tensor ops as Halide stages ------------------------------------------------------------------===//
//
// A stage computes one result of a linalg.generic or attn.scatter_add, including the pointwise ops among its operands
// that are computed where they are read. Their formulas are read at its iterations.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Read/ReadFormula.h"
#include "compiler/Codegen/Halide/Schedule/Staging.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc::halide {

/// The other ops of the kernel, as the reader of one stage uses them.
class OtherStages {
public:
  virtual ~OtherStages() = default;
  /// True if readers with `loops` loops compute an element of the pointwise op themselves.
  virtual bool isComputedWhereRead(mlir::OpResult value, unsigned loops) = 0;
  /// The operand of `op` that is a fold read by `op` alone, element by element, so that one stage computes both;
  /// otherwise null.
  virtual mlir::OpOperand *foldToFinish(mlir::linalg::GenericOp op) = 0;
  /// The number of the stage that computes a tensor, which is read first if necessary. `own` has the arguments and
  /// operations shared by the stages of the kernel. Null if declined, with the reason in `reason`.
  virtual std::optional<unsigned> stageOf(mlir::OpResult value, KernelStage &own, std::string &reason) = 0;
  virtual const Stage &stage(unsigned number) const = 0;
};

/// Reads one stage: read() or copy(), then take().
class StageReader : public FormulaReader {
public:
  /// `shared` has the arguments and operations so far; take() returns them to it.
  StageReader(mlir::func::FuncOp kernel, OtherStages &others, KernelStage &shared);

  /// Reads the op that computes `value`, with `element` as the type of the result in memory; false if declined, with
  /// the reason in `reason`.
  bool read(mlir::OpResult value, attn_dtype element, std::string &reason);
  /// The stage stores the elements of an earlier stage, `number`, as `element`.
  void copy(unsigned number, attn_dtype element);
  /// Returns the stage, which is moved out of the reader; its result is null.
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

/// True if the op fills a tensor, or copies elements unchanged.
bool isMove(mlir::Operation *op);

/// The loop of each dimension of a result, which the op writes at plain loop indices.
llvm::SmallVector<unsigned> loopsOfResult(mlir::linalg::GenericOp op, unsigned result);

} // namespace attnc::halide
