//===- Certificate.h - the memory certificate of an object, as the verifier parses it -----------------------------===//
//
// compiler/Emit/Certificate.h describes the text. Parsing checks that mentioned slots exist, that a slot is listed
// after the slots `within` and `behind`, and that sizes are over the entry point's symbols. Verify.cpp checks that
// steps and results exist.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"
#include "llvm/Support/Error.h"

namespace attnc::verify {

/// Where the bytes of a value are. The kinds are the keys of the text.
struct ValueLocation {
  enum class Kind { Slot, Caller, State, Updated, Element } kind = Kind::Slot;
  int64_t number = 0; ///< of the slot, result or argument; or of the step that sets the parameter or writes the element
  bool operator==(const ValueLocation &) const = default;
  auto operator<=>(const ValueLocation &) const = default;
};

/// "slot 3", "the caller's result 0".
std::string textOf(const ValueLocation &location);

/// A value: result `number` of the op of a step; loop-carried value `number`, inside of the loop, if that op is a loop;
/// or argument `number` of the entry point (then `step` is 0).
struct ValueName {
  enum class Kind { Result, Carried, Argument } kind = Kind::Result;
  int64_t step = 0, number = 0;
  auto operator<=>(const ValueName &) const = default;
};

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

struct EntryCertificate {
  std::string name;
  std::vector<std::string> symbols; ///< the dimensions, then "workers"
  SizeExpr arenaBytes;
  int64_t alignment = 0;
  std::vector<PlannedSlot> slots;
  std::vector<std::pair<ValueName, ValueLocation>> values;
  std::vector<PlannedCopy> copies;
  std::vector<PlannedScratch> scratch;
  std::vector<AllPairsStorage> allPairs;
};

struct Certificate {
  std::string compiler; ///< version of the compiler
  std::string module;   ///< fingerprint of the module that it certifies
  std::vector<EntryCertificate> entries;

  /// Parses the JSON text. The error is a phrase that completes "the certificate ...".
  static llvm::Expected<Certificate> parse(llvm::StringRef text);
};

} // namespace attnc::verify
