//===- ObjectTable.h - safe reader of an object's model table -----------------------------------------------------===//
//
// Reads the table `const attn_model <prefix>_model` of a compiled model from its object file, without executing any
// code of the file. The sections are loaded into non-executable memory, and the pointers between them are resolved as a
// linker would do (ObjectImage.h), so the table is read through the records of attn/model.h.
//
// The file may be malformed. Each pointer, count, text and number of the table is checked before other code reads it.
// The error is a phrase about the file: "is not an object file", "has a malformed model table: entry point 2: ...". A
// table whose pointers share data more often than in any compiled object is malformed too, so time and memory are
// proportional to the file's size. Function pointers of the table point to data: a call of one faults.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace attnc {

class ObjectImage;

/// The checked table of an object, and the memory that it is in.
class ObjectTable {
public:
  /// Reads and checks the table. `file` has the bytes of the object file, which must outlive the table.
  static llvm::Expected<ObjectTable> read(llvm::StringRef file);
  /// The same; also fails if the file's checksum (Checksum.h) is wrong, before the table is read.
  static llvm::Expected<ObjectTable> readWithChecksum(llvm::StringRef file);

  ObjectTable(ObjectTable &&);
  ~ObjectTable();

  /// The table, valid during the lifetime of this object.
  const attn_model &model() const { return *table; }

private:
  /// `checkFile` is called on an object that defines a model.
  static llvm::Expected<ObjectTable> read(llvm::StringRef file,
                                          llvm::function_ref<llvm::Error(llvm::StringRef)> checkFile);
  ObjectTable(std::unique_ptr<ObjectImage> image, const attn_model *table);

  std::unique_ptr<ObjectImage> image;
  const attn_model *table;
};

} // namespace attnc
