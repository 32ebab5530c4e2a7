//===- DecodeEntry.h - entry point of a decoding loop, and its calls of the incremental functions -----------------===//
//
// The arguments of the entry point are the prompt, and those arguments of next_begin, next_prefill and the sampler that
// the loop does not provide. Calls are inlined (Decode.h).
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/TensorWriter.h"
#include "llvm/ADT/StringMap.h"

namespace attnc {

class DecodeEntry : public TensorWriter {
public:
  /// `choose` is the sampler, which has model.decode.
  DecodeEntry(mlir::OpBuilder &builder, mlir::func::FuncOp choose, const IncrementalNames &names);

  /// Creates the function, and leaves the builder in its body.
  llvm::LogicalResult create();
  void callBegin(); ///< if there is a next_begin
  /// The caches after prefill; of row b, the first first[b] positions are valid. `first` is i32[batch].
  Values callPrefill(Value first);
  struct StepResults {
    Value logits; ///< f32[batch, vocab]
    Values caches;
  };
  /// Calls next on `tokens`, i32[rows, 1], at the positions `position`, i32[rows].
  StepResults callStep(Value tokens, Value position, ValueRange caches);
  /// Calls the sampler. `operands` are its first arguments, which the loop provides; `stepNumber` is part of the key of
  /// random draws.
  Values callSampler(Values operands, Value stepNumber);
  /// The last token of each prompt, i32[batch, 1].
  Value lastTokens();
  /// Ends the loop after this decoding step if all of these numbers are 1.
  void endIfAll(Value ended);

  /// The value of an argument of next: a result of next_begin, or an argument of the entry point.
  Value argument(llvm::StringRef name);
  void setArgument(llvm::StringRef name, Value value) { given[name] = value; }
  static llvm::StringRef nameOf(mlir::func::FuncOp function, unsigned argument) {
    return function.getArgAttrOfType<mlir::StringAttr>(argument, mlir::model::nameAttrName).getValue();
  }
  static bool isState(mlir::func::FuncOp function, unsigned argument) {
    return function.getArgAttr(argument, mlir::model::stateAttrName) != nullptr;
  }
  /// Whether the decoding loop computes the argument of next or next_prefill: tokens, lengths, counts and states.
  bool isOfLoop(mlir::func::FuncOp function, unsigned argument);
  /// Whether the argument is the tokens of the call: the argument with positions.
  bool isTokens(mlir::func::FuncOp function, unsigned argument);

  mlir::func::FuncOp choose, step, prefill, begin;
  const IncrementalNames &names;
  int64_t maxTokens = 0;
  std::optional<int64_t> stop;
  std::optional<int64_t> beams; ///< of a beam search: beams for each row
  Value rows, positions;        ///< index
  Value prompt, promptLength;

private:
  void addArgument(mlir::Type type, llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> shape);
  void addOtherArguments(mlir::func::FuncOp function);
  llvm::LogicalResult addSamplerArguments();
  llvm::LogicalResult addArguments();
  std::vector<mlir::Attribute> dimensions();
  std::vector<std::string> prefillDimensions();
  llvm::LogicalResult checkStates();
  Values dimensionsOfPrefill(llvm::ArrayRef<std::string> names, Value capacity);
  void createFunction();
  Values makeOperands(mlir::func::FuncOp function, Value tokens, Value length, Value count, ValueRange caches);
  /// Number of the sampler's arguments that the loop provides. The last two are the key of random draws, if it has one.
  unsigned numLoopOperands() const { return beams ? 3 : 1; }
  bool usesRandom() { return choose.getArgAttr(choose.getNumArguments() - 1, mlir::model::keyAttrName) != nullptr; }

  mlir::func::FuncOp entry;
  llvm::SmallVector<mlir::Type> argumentTypes;
  llvm::SmallVector<mlir::Attribute> arguments; ///< their attributes
  llvm::StringMap<unsigned> numbers;            ///< argument numbers by name
  llvm::StringMap<Value> given;                 ///< results of next_begin, and arguments repeated for beams, by name
};

} // namespace attnc
