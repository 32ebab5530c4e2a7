//===- Importer.h - the importer's inside -------------------------------------------------------------------------===//
//
// Walks a typed program (Check/Typed.h) and builds the module that docs/architecture.md shows under "After import". The
// checker has refused whatever is wrong, so nothing here reports.
//
// Methods are grouped by file. Each expression is computed once at the place that first needs it and remembered by its
// node for that place and all nested in it (`Scope`). A tensor expression becomes a value of its type's shape, with `?`
// where a size is no constant; a number (a size, a constant, arithmetic on them) is computed where it is used. Bodies
// of index notation are built by Formula: tensors that they read are computed before the op that owns the body.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Import/Formula.h"
#include "frontends/attn/Import/Import.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"

#include <map>

namespace attnc {

class Importer {
public:
  Importer(const typed::Program &program, const SourceManager &sources, mlir::MLIRContext &context)
      : program(program), sources(sources), builder(&context) {}

  mlir::OwningOpRef<mlir::ModuleOp> run(llvm::StringRef name);

private:
  /// What has been computed at a place of the program, and holds in all places nested in it.
  struct Scope {
    llvm::DenseMap<typed::ExprRef, mlir::Value> values;
    std::map<Dim, mlir::Value> sizes;
    llvm::DenseMap<const typed::LoopCounter *, mlir::Value> counters;
  };

  // ImportProgram.cpp
  void parameter(const typed::Parameter &parameter);
  void entry(const typed::Entry &entry);
  mlir::func::FuncOp signature(const typed::Entry &entry);
  mlir::Attribute minimize(const typed::Entry &entry);
  void optimizerStep(const typed::OptimizerStep &step, llvm::StringRef name);
  void bindDimensions(const typed::Entry &entry, mlir::func::FuncOp function);
  void statements(const typed::Block &block);
  void let(const typed::Let &let);
  void loop(const typed::Loop &loop);
  // ImportScan.cpp
  void scan(const typed::Scan &scan);
  mlir::Value step(typed::ExprRef base, unsigned dimension, typed::ExprRef place);
  mlir::Value moved(mlir::Value source, unsigned from, unsigned to, mlir::Location at);
  // ImportStates.cpp
  llvm::SmallVector<const typed::StateUpdate *> updatesIn(const typed::LoopCounter *counter) const;
  mlir::Value stateList(const typed::StateUpdate &update, size_t depth, mlir::Location at);
  mlir::Value stateOfRound(const typed::StateUpdate &update, size_t depth);
  void setStates();

  // ImportSizes.cpp
  mlir::Location location(SourceRange range) const;
  mlir::Type elementType(typed::Element element);
  mlir::RankedTensorType tensorType(const typed::Type &type);
  mlir::RankedTensorType tensorType(typed::Element element, const Shape &shape);
  mlir::Value size(const Dim &dim, mlir::Location at);
  mlir::OpFoldResult mixedSize(const Dim &dim, mlir::Location at);
  llvm::SmallVector<mlir::OpFoldResult> mixedSizes(const Shape &shape, mlir::Location at);
  mlir::Value empty(typed::Element element, const Shape &shape, mlir::Location at);
  mlir::Value filled(mlir::Value scalar, typed::Element element, const Shape &shape, mlir::Location at);

  // ImportTensors.cpp
  mlir::Value tensor(typed::ExprRef expr);
  mlir::Value compute(typed::ExprRef expr);
  /// A number known without tensors: constants, sizes, and arithmetic on them. It is computed where it is used.
  bool isNumber(typed::ExprRef expr) const;
  void computeSizes(typed::ExprRef expr);
  mlir::Value number(typed::ExprRef expr);
  mlir::Value counter(const typed::LoopCounter *loop) const;
  mlir::Value parameterValue(const typed::Expr &expr);
  mlir::Value pointwise(const typed::Expr &expr);
  mlir::Value permute(const typed::Expr &expr);
  mlir::Value slice(const typed::Expr &expr);
  mlir::Value concat(const typed::Expr &expr);
  mlir::Value fill(const typed::Expr &expr);
  /// An operand of a generic whose loops begin with the dimensions of `shape`, to which it is broadcast.
  struct Operand {
    mlir::Value value;
    mlir::AffineMap map;
  };
  Operand broadcast(typed::ExprRef expr, const Shape &shape, unsigned loops);

  // ImportReshape.cpp
  mlir::Value reshape(const typed::Expr &expr);
  mlir::Value collapse(mlir::Value value, llvm::ArrayRef<mlir::ReassociationIndices> groups, typed::Element element,
                       const Shape &shape, mlir::Location at);
  mlir::Value withoutDimensions(mlir::Value value, typed::Element element, const Shape &shape,
                                const llvm::SmallBitVector &dropped, mlir::Location at);

  // ImportContractions.cpp
  mlir::Value axisReduction(const typed::Expr &expr);
  mlir::Value matMul(const typed::Expr &expr);
  Operand factor(typed::ExprRef expr, llvm::ArrayRef<mlir::AffineExpr> own, const Shape &batch, unsigned loops);
  /// The identity of a combiner, as a tensor that a reduction starts from; ArgMax and ArgMin have two.
  llvm::SmallVector<mlir::Value> reductionStart(typed::Combiner combiner, typed::Element element, const Shape &shape,
                                                mlir::Location at);

  /// Ends the body of a reduction: `soFar` with `term`, whose index is that of `loop`.
  void yieldReduced(typed::Combiner combiner, typed::Element element, mlir::Value term, mlir::ValueRange soFar,
                    unsigned loop, mlir::Location at);

  // ImportIndexing.cpp
  mlir::Value comprehension(const typed::Expr &expr);
  void attend(const typed::Expr &expr, llvm::ArrayRef<const typed::Local *> locals);
  using Indices = std::vector<const typed::Index *>;
  Formula::Surroundings surroundings();
  void coverLoops(llvm::ArrayRef<const typed::Index *> loops, unsigned parallel,
                  llvm::SmallVectorImpl<mlir::Value> &inputs, llvm::SmallVectorImpl<mlir::AffineMap> &maps,
                  mlir::Location at);
  static void dropUnused(mlir::Block &block);
  void attendRegion(mlir::Region &region, typed::ExprRef body, llvm::ArrayRef<const Indices *> indices,
                    const typed::Local *weight, const Formula::Surroundings &around);

  mlir::Value find(typed::ExprRef expr) const;

  const typed::Program &program;
  const SourceManager &sources;
  mlir::OpBuilder builder;
  std::vector<Scope> scopes;
  llvm::SmallVector<const typed::StateUpdate *> updates; ///< of the entry that is being imported
  llvm::DenseMap<const typed::StateUpdate *, mlir::Value> stateLists;
  mlir::Operation *bodyOwner = nullptr; ///< the op whose body is being built; what it needs is computed before it
  llvm::DenseMap<const typed::Local *, mlir::Value> locals;
  llvm::DenseMap<const typed::Local *, typed::ExprRef> numbers; ///< locals that are numbers
};

} // namespace attnc
