//===- DecodeWriter.h - writes the loop that writes tokens --------------------------------------------------------===//
//
// Decode.cpp has the arguments, the stages and the loop that chooses one token for each row; Search.cpp the loop over
// several beams.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/Incremental.h"
#include "llvm/ADT/StringMap.h"

namespace attnc {

class DecodeWriter {
public:
  DecodeWriter(mlir::func::FuncOp choose, const IncrementalNames &names);
  llvm::LogicalResult write();

private:
  using Body = llvm::function_ref<mlir::Value(mlir::ValueRange indices)>;

  mlir::func::FuncOp choose, step, prefill, begin, made;
  const IncrementalNames &names;
  mlir::OpBuilder builder;
  mlir::Location at;
  int64_t atMost = 0;
  std::optional<int64_t> stop;
  std::optional<int64_t> beams; ///< of a search, so many for each row
  llvm::SmallVector<mlir::Type> argumentTypes;
  llvm::SmallVector<mlir::Attribute> arguments; ///< attributes of each
  llvm::StringMap<unsigned> numbers;            ///< of arguments, by name
  llvm::StringMap<mlir::Value> given;           ///< what begin computed, and what is repeated for beams
  mlir::Value rows, positions;                  ///< index
  mlir::Value prompt, promptLength;

  void addArgument(mlir::Type type, llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> shape);
  void addOthers(mlir::func::FuncOp function);
  std::vector<mlir::Attribute> dimensions();
  /// So many arguments of the choice come from the loop; the key of its draws are the last two, where it draws.
  unsigned chosenBy() const { return beams ? 3 : 1; }
  bool draws() { return choose.getArgAttr(choose.getNumArguments() - 1, mlir::model::keyAttrName) != nullptr; }
  llvm::LogicalResult addChoiceArguments();
  void appendChoiceOperands(llvm::SmallVector<mlir::Value> &operands, mlir::Value turn);
  llvm::LogicalResult writeEntry();
  void writeBegin();
  llvm::SmallVector<mlir::Value> writePrefill(mlir::Value first);
  void writeLoop(llvm::SmallVector<mlir::Value> caches, mlir::Value first);
  mlir::Value lastTokens();
  void endIfAll(mlir::Value ended);

  /// What the turns of a search hand on, for each row and beam.
  struct Search {
    mlir::Value token, position, ended, tokens, length, score, turn;
    llvm::SmallVector<mlir::Value> caches;
    llvm::SmallVector<mlir::Value> all() const;
    static Search of(mlir::ValueRange values);
  };
  /// What a search chose.
  struct Chosen {
    mlir::Value score, parent, token;
  };
  llvm::LogicalResult repeatOthers();
  void writeSearch(llvm::SmallVector<mlir::Value> caches, mlir::Value first);
  Search searchStart(llvm::ArrayRef<mlir::Value> caches, mlir::Value first);
  Search searchTurn(const Search &before);
  Chosen searchChoice(const Search &before, mlir::Value logits);
  void returnBest(const Search &end);
  std::optional<unsigned> rowOf(mlir::ArrayAttr shape);
  mlir::Value beamCount() { return mlir::arith::ConstantIndexOp::create(builder, at, *beams); }
  llvm::SmallVector<mlir::Value> sizesOf(mlir::Value tensor);
  mlir::Value split(mlir::Value tensor, unsigned dimension);
  mlir::Value merged(mlir::Value tensor, unsigned dimension);
  mlir::Value repeated(mlir::Value tensor, unsigned dimension);
  mlir::Value followed(mlir::Value tensor, unsigned dimension, mlir::Value parent);
  mlir::Value toIndex(mlir::Value number);
  mlir::Value reduced(mlir::Value init, mlir::ValueRange inputs,
                      llvm::function_ref<mlir::Value(mlir::ValueRange elements)> combine);

  static llvm::StringRef nameOf(mlir::func::FuncOp function, unsigned argument) {
    return function.getArgAttrOfType<mlir::StringAttr>(argument, mlir::model::nameAttrName).getValue();
  }
  static bool isState(mlir::func::FuncOp function, unsigned argument) {
    return function.getArgAttr(argument, mlir::model::stateAttrName) != nullptr;
  }
  bool isTokens(mlir::func::FuncOp function, unsigned argument);
  llvm::SmallVector<mlir::Value> inlined(mlir::func::FuncOp function, mlir::ValueRange operands);
  llvm::SmallVector<mlir::Value> operandsOf(mlir::func::FuncOp function, mlir::Value tokens, mlir::Value length,
                                            mlir::Value count, mlir::ValueRange caches);
  mlir::Value logitsOf(mlir::Value result);

  mlir::Value each(llvm::ArrayRef<mlir::Value> sizes, mlir::Type element, Body body);
  mlir::Value i32(int64_t value) { return mlir::arith::ConstantIntOp::create(builder, at, value, 32); }
  mlir::Value read(mlir::Value tensor, mlir::ValueRange indices) {
    return mlir::tensor::ExtractOp::create(builder, at, tensor, indices);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b) {
    return mlir::arith::CmpIOp::create(builder, at, predicate, a, b);
  }
  mlir::Value choice(mlir::Value condition, mlir::Value yes, mlir::Value no) {
    return mlir::arith::SelectOp::create(builder, at, condition, yes, no);
  }
};

} // namespace attnc
