//===- DecodeWriter.h - writer of the decoding loop ---------------------------------------------------------------===//
//
// Decode.cpp writes the arguments, the calls before the loop, and the loop that samples one token for each row.
// Search.cpp writes the loop of a beam search.
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

  mlir::func::FuncOp choose, step, prefill, begin, result;
  const IncrementalNames &names;
  mlir::OpBuilder builder;
  mlir::Location at;
  int64_t maxTokens = 0;
  std::optional<int64_t> stop;
  std::optional<int64_t> beams; ///< of a beam search: beams for each row
  llvm::SmallVector<mlir::Type> argumentTypes;
  llvm::SmallVector<mlir::Attribute> arguments; ///< their attributes
  llvm::StringMap<unsigned> numbers;            ///< argument numbers by name
  llvm::StringMap<mlir::Value> given;           ///< results of next_begin, and arguments repeated for beams, by name
  mlir::Value rows, positions;                  ///< index
  mlir::Value prompt, promptLength;

  void addArgument(mlir::Type type, llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> shape);
  void addOtherArguments(mlir::func::FuncOp function);
  std::vector<mlir::Attribute> dimensions();
  /// Number of the sampler's arguments that the loop provides. The last two are the key of random draws, if it has one.
  unsigned numLoopOperands() const { return beams ? 3 : 1; }
  bool usesRandom() { return choose.getArgAttr(choose.getNumArguments() - 1, mlir::model::keyAttrName) != nullptr; }
  llvm::LogicalResult addChoiceArguments();
  void appendChoiceOperands(llvm::SmallVector<mlir::Value> &operands, mlir::Value stepNumber);
  llvm::LogicalResult writeEntry();
  void writeBegin();
  llvm::SmallVector<mlir::Value> writePrefill(mlir::Value first);
  void writeLoop(llvm::SmallVector<mlir::Value> caches, mlir::Value first);
  mlir::Value lastTokens();
  void endIfAll(mlir::Value ended);

  /// Loop-carried values of a beam search, for each row and beam.
  struct Search {
    mlir::Value token, position, ended, tokens, length, score, stepNumber;
    llvm::SmallVector<mlir::Value> caches;
    llvm::SmallVector<mlir::Value> all() const;
    static Search unpack(mlir::ValueRange values);
  };
  /// Result of the sampler of a beam search.
  struct Selection {
    mlir::Value score, parent, token;
  };
  llvm::LogicalResult repeatOtherArguments();
  void writeSearch(llvm::SmallVector<mlir::Value> caches, mlir::Value first);
  Search searchStart(llvm::ArrayRef<mlir::Value> caches, mlir::Value first);
  Search searchStep(const Search &before);
  Selection searchChoice(const Search &before, mlir::Value logits);
  void returnBest(const Search &end);
  std::optional<unsigned> rowDimension(mlir::ArrayAttr shape);
  mlir::Value beamCount() { return mlir::arith::ConstantIndexOp::create(builder, at, *beams); }
  llvm::SmallVector<mlir::Value> sizesOf(mlir::Value tensor);
  mlir::Value splitBeams(mlir::Value tensor, unsigned dimension);
  mlir::Value mergeBeams(mlir::Value tensor, unsigned dimension);
  mlir::Value repeatForBeams(mlir::Value tensor, unsigned dimension);
  mlir::Value gatherParents(mlir::Value tensor, unsigned dimension, mlir::Value parent);
  mlir::Value toIndex(mlir::Value number);
  mlir::Value reduce(mlir::Value init, mlir::ValueRange inputs,
                     llvm::function_ref<mlir::Value(mlir::ValueRange elements)> combine);

  static llvm::StringRef nameOf(mlir::func::FuncOp function, unsigned argument) {
    return function.getArgAttrOfType<mlir::StringAttr>(argument, mlir::model::nameAttrName).getValue();
  }
  static bool isState(mlir::func::FuncOp function, unsigned argument) {
    return function.getArgAttr(argument, mlir::model::stateAttrName) != nullptr;
  }
  bool isTokens(mlir::func::FuncOp function, unsigned argument);
  llvm::SmallVector<mlir::Value> inlineCall(mlir::func::FuncOp function, mlir::ValueRange operands);
  llvm::SmallVector<mlir::Value> makeOperands(mlir::func::FuncOp function, mlir::Value tokens, mlir::Value length,
                                              mlir::Value count, mlir::ValueRange caches);
  mlir::Value lastLogits(mlir::Value result);

  mlir::Value generate(llvm::ArrayRef<mlir::Value> sizes, mlir::Type element, Body body);
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
