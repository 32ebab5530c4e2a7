//===- DecodeEntry.h - entry point of a decoding loop, and its calls of the incremental functions -----------------===//
//
// The arguments of the entry point are `prompt` (i32[batch, seq]), `prompt_length` (i32[batch]), those arguments of
// next_begin, next_prefill and the sampler that the loop does not compute, and last `seed` (i32), if the sampler draws
// random numbers. An argument of the same name in next_begin and next_prefill is one argument. A call of one of these
// functions is a copy of its body (Decode.h). Decode.cpp and BeamSearch.h write the decoding loop with this class.
//
// ResumedNames.h has the arguments of the entry point of a resumed loop.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/ResumedNames.h"
#include "compiler/Derive/Incremental/TensorWriter.h"
#include "llvm/ADT/StringMap.h"

namespace attnc {

class DecodeEntry : public TensorWriter {
public:
  /// The key of model.decode that marks the sampler of a resumed loop.
  static constexpr llvm::StringLiteral resumedKey = "resumed";
  /// The key of model.decode that, besides resumedKey, marks the sampler of an entry point that verifies drafted
  /// tokens. Its value is the name of the entry point `next` that has the same states.
  static constexpr llvm::StringLiteral verifiedKey = "verified";
  /// `choose` is the sampler, which has model.decode. `builder` and `names` must outlive this object.
  DecodeEntry(mlir::OpBuilder &builder, mlir::func::FuncOp choose, const IncrementalNames &names);

  /// Creates the function under the sampler's name, renames the sampler, and leaves the builder in the function's body.
  /// Fails with an error if an argument of the sampler has the name of another argument, if an argument of next_begin
  /// or next_prefill that the loop does not compute is named `prompt`, `prompt_length` or `seed`, or if the size of a
  /// state is not a sum of products of dimensions. The functions from callBegin() to argument() require create().
  llvm::LogicalResult create();
  /// Calls next_begin, if there is one; argument() then returns its results. Must precede callPrefill() and callStep().
  void callBegin();
  /// Calls next_prefill on the prompt with empty caches, and returns the caches after it. Their `capacity` is seq +
  /// maxTokens - 1. Positions 0 to first[b] - 1 of row b are valid; `first` is i32[batch].
  Values callPrefill(Value first);
  struct StepResults {
    Value logits; ///< f32[rows, vocab]; of callVerified() f32[rows, positions, vocab]
    Values caches;
  };
  /// Calls next_prefill on the tokens of an entry point that verifies them.
  StepResults callVerified();
  /// Calls next on `tokens`, i32[rows, 1], at the positions `position`, i32[rows]. There are batch rows, in a beam
  /// search batch * beams.
  StepResults callStep(Value tokens, Value position, ValueRange caches);
  /// Calls the sampler and returns its results. `operands` are its first arguments, which the loop computes: the
  /// logits; in a beam search the scores, the ended beams and the logits. `stepNumber` (i32 of rank 0) is part of the
  /// key of random draws.
  Values callSampler(Values operands, Value stepNumber);
  /// The token that each row reads first, i32[batch, 1]: the last one of the prompt, or of a resumed loop the argument.
  Value firstTokens();
  /// Whether a token (i32) ends a row; null if no token does.
  Value isEnd(Value token);
  /// Emits the test that ends the loop after this decoding step if all elements of `ended` (i32) are 1, or if the
  /// decoding steps of a resumed loop are done, or a row has no room for another. `stepsDone` is the number of steps
  /// with this one, i32 of rank 0, and `position` that of the next token of each row. Emits nothing if the sampler has
  /// no `stop` and the loop is not resumed, or if there is one decoding step at most.
  void endIfAll(Value ended, Value stepsDone, Value position);

  /// The value of the argument `name` of next: one that setArgument() has set, a result of next_begin, or an argument
  /// of the entry point.
  Value argument(llvm::StringRef name);
  void setArgument(llvm::StringRef name, Value value) { given[name] = value; }
  static llvm::StringRef nameOf(mlir::func::FuncOp function, unsigned argument) {
    return function.getArgAttrOfType<mlir::StringAttr>(argument, mlir::model::nameAttrName).getValue();
  }
  /// The attributes of this argument of next or next_prefill in the entry points of a resumed loop.
  mlir::DictionaryAttr resumedAttributes(mlir::func::FuncOp function, unsigned argument);
  static bool isState(mlir::func::FuncOp function, unsigned argument) {
    return function.getArgAttr(argument, mlir::model::stateAttrName) != nullptr;
  }
  /// True if the decoding loop computes this argument of next or next_prefill: tokens, lengths, counts and states.
  bool isOfLoop(mlir::func::FuncOp function, unsigned argument);
  /// True if this argument of next or next_prefill is the tokens of the call: of rank 2, with positions last.
  bool isTokens(mlir::func::FuncOp function, unsigned argument);

  mlir::func::FuncOp choose, step, prefill, begin; ///< the sampler, next, next_prefill, and next_begin or null
  const IncrementalNames &names;
  int64_t maxTokens = 0;        ///< decoding steps at most, and tokens of a row
  std::optional<int64_t> stop;  ///< the token that ends a row; null if none does
  std::optional<int64_t> beams; ///< of a beam search: beams for each row; else null
  bool isResumed = false;       ///< the states are arguments and results
  bool isVerified = false;      ///< of a resumed loop: the entry point verifies drafted tokens
  Values oldStates;             ///< of a resumed loop: the arguments; valid after create()
  Value rows, positions;        ///< the extents of the prompt or of verified tokens, `index`; valid after create()
  Value prompt, promptLength;   ///< i32[batch, seq] and i32[batch]; valid after create()

private:
  void addArgument(mlir::Type type, llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> shape);
  void addPort(mlir::Type type, llvm::StringRef name, mlir::DictionaryAttr attributes);
  llvm::LogicalResult addOtherArguments(mlir::func::FuncOp function);
  llvm::LogicalResult addSamplerArguments();
  llvm::StringRef resumedName(mlir::func::FuncOp function, unsigned argument);
  llvm::LogicalResult addArgumentsOfResumed();
  llvm::LogicalResult addArguments();
  /// The function whose arguments the entry point of a resumed loop has.
  mlir::func::FuncOp called() { return isVerified ? prefill : step; }
  llvm::LogicalResult checkSharedArguments();
  std::vector<mlir::Attribute> dimensions();
  std::vector<std::string> prefillDimensions();
  llvm::LogicalResult checkStates();
  Values dimensionsOfPrefill(llvm::ArrayRef<std::string> names, Value capacity);
  void createFunction();
  Value capacity();
  Value isResumedDone(Value ended, Value stepsDone, Value position);
  Values makeOperands(mlir::func::FuncOp function, Value tokens, Value length, Value count, ValueRange caches);
  /// Number of the sampler's arguments that the loop provides. The last two are the key of random draws, if it has one.
  unsigned numLoopOperands() const { return beams ? 3 : 1; }
  bool usesRandom() { return choose.getArgAttr(choose.getNumArguments() - 1, mlir::model::keyAttrName) != nullptr; }

  mlir::func::FuncOp entry;
  unsigned firstState = 0; ///< of a resumed loop: the number of the first state, after which all arguments are states
  llvm::SmallVector<mlir::Type> argumentTypes;
  llvm::SmallVector<mlir::Attribute> arguments; ///< their attributes
  llvm::StringMap<unsigned> numbers;            ///< argument numbers by name
  llvm::StringMap<Value> given;                 ///< results of next_begin, and arguments repeated for beams, by name
};

} // namespace attnc
