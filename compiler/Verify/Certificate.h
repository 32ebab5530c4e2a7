//===- Certificate.h - the memory certificate of an object, as the verifier parses it -----------------------------===//
//
// compiler/Emit/Certificate.h describes the text. Parsing checks that the slots, steps and results that a certificate
// mentions exist, and that sizes are over the entry point's symbols.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"
#include "llvm/Support/Error.h"

namespace attnc::verify {

struct ValueLocation {
  enum class Kind { Slot, Caller, State, Updated, Element } kind = Kind::Slot;
  int64_t number = 0;
  bool operator==(const ValueLocation &) const = default;
  auto operator<=>(const ValueLocation &) const = default;
};

/// "slot 3", "the caller's result 0".
std::string textOf(const ValueLocation &location);

/// A value, identified by the op that defines it.
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

struct PlannedCopy {
  int64_t before;
  ValueName value;
  std::optional<ValueLocation> from;
  ValueLocation to;
};

struct PlannedScratch {
  int64_t step, slot;
  SizeExpr bytes;
};

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

  /// The error is a phrase that completes "the certificate ...".
  static llvm::Expected<Certificate> parse(llvm::StringRef text);
};

} // namespace attnc::verify
