//===- Certificate.h - parser of the memory certificate of an object ----------------------------------------------===//
//
// The certificate states, for each entry point, where each tensor value is in memory. compiler/Emit/Certificate.h
// describes its JSON text. Parsing checks that mentioned slots exist, that a slot is listed after the slots `within`
// and `behind`, that it has the same `within` as the slot `behind`, that sizes are over the entry point's symbols, that
// numbers are not negative, and that alignments are positive. Verify.cpp checks that the named values, and the kernels
// with scratch, exist. A step is the number of an op of the entry point in pre-order.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"
#include "llvm/Support/Error.h"

namespace attnc::verify {

/// Where the bytes of a value are: in a slot of the arena, in the caller's buffer for a result, in a state (an
/// argument), in a parameter that the call updates, or in an element of a per-iteration list. The kinds are the keys of
/// the text.
struct ValueLocation {
  enum class Kind { Slot, Caller, State, Updated, Element } kind = Kind::Slot;
  int64_t number = 0; ///< of the slot, result or argument; or of the step that sets the parameter or writes the element
  bool operator==(const ValueLocation &) const = default;
  auto operator<=>(const ValueLocation &) const = default;
};

/// Text for messages: "slot 3", "the caller's result 0".
std::string textOf(const ValueLocation &location);

/// A value: result `number` of the op of a step; loop-carried value `number`, inside of the loop, if that op is a loop;
/// or argument `number` of the entry point (then `step` is 0).
struct ValueName {
  enum class Kind { Result, Carried, Argument } kind = Kind::Result;
  int64_t step = 0, number = 0;
  auto operator<=>(const ValueName &) const = default;
};

/// A range of the arena. Sizes in the certificate are over EntryCertificate::symbols.
struct PlannedSlot {
  SizeExpr bytes;
  std::optional<int64_t> within; ///< the enclosing slot; null: the arena
  std::optional<int64_t> behind; ///< the slot at whose end it starts; null: at the start of the enclosing one
};

/// A copy that the entry point makes before the op of step `before`.
struct PlannedCopy {
  int64_t before;
  ValueName value;
  std::optional<ValueLocation> from; ///< null: the location of `value`
  ValueLocation to;
};

/// Scratch of the kernel that a step calls: `bytes` bytes in a slot.
struct PlannedScratch {
  int64_t step, slot;
  SizeExpr bytes;
};

/// Storage of a kernel (a result or scratch) that grows as queries times keys; `bytes` is text.
struct AllPairsStorage {
  std::string kernel, bytes;
};

/// The certificate of one entry point.
struct EntryCertificate {
  std::string name;
  std::vector<std::string> symbols; ///< the dimensions, then "workers"
  SizeExpr arenaBytes;
  int64_t alignment = 0; ///< in bytes; the size of each slot must be a multiple of it
  std::vector<PlannedSlot> slots;
  std::vector<std::pair<ValueName, ValueLocation>> values;
  std::vector<PlannedCopy> copies;
  std::vector<PlannedScratch> scratch;
  std::vector<AllPairsStorage> allPairs;
};

/// The certificate of an object.
struct Certificate {
  std::string compiler; ///< version of the compiler that wrote it
  std::string module;   ///< fingerprint of the recorded module that it belongs to (compiler/Emit/Record.h)
  std::vector<EntryCertificate> entries;

  /// Parses the JSON text. The error is a phrase that completes "the certificate ...".
  static llvm::Expected<Certificate> parse(llvm::StringRef text);
};

} // namespace attnc::verify
