#include "compiler/Emit/ObjectTable.h"
#include "compiler/Codegen/Target/Abi.h"
#include "compiler/ElementTypes/ElementType.h"
#include "compiler/Emit/Checksum.h"
#include "compiler/Emit/ObjectImage.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <algorithm>
#include <cstddef>
#include <cstring>

namespace attnc {

namespace {

/// Walks a table and records its first fault with respect to attn/model.h; nothing that depends on a fault is read.
/// Pointers may share records and texts: each read is counted, so that the time of this walk, and of later walks, is
/// proportional to the file's size.
class TableCheck {
public:
  explicit TableCheck(const ObjectImage &image) : image(image), left(ObjectImage::maxReads * image.fileSize()) {}
  llvm::Error run(const attn_model *model);

private:
  /// Position of the walk: "entry point 2", "tensor 1".
  class Within {
  public:
    Within(TableCheck &check, llvm::StringRef what, int64_t number) : check(check) {
      check.position.emplace_back(what, number);
    }
    ~Within() { check.position.pop_back(); }

  private:
    TableCheck &check;
  };

  bool require(bool condition, const llvm::Twine &problem) {
    if (condition || !fault.empty())
      return fault.empty();
    for (const auto &[what, number] : position)
      fault += (what + " " + llvm::Twine(number) + ": ").str();
    fault += problem.str();
    return false;
  }
  /// Counts bytes that are read, possibly again.
  bool read(uint64_t bytes) {
    bool isWithin = bytes <= left;
    left -= isWithin ? bytes : left;
    return require(isWithin, "too many pointers have the same target");
  }
  /// Whether `count` records at an address, which may be null if there are none, are inside of the file.
  template <typename Record> bool liesInside(const Record *records, int64_t count, llvm::StringRef what) {
    if (count == 0)
      return fault.empty();
    bool isAligned = reinterpret_cast<uintptr_t>(records) % alignof(Record) == 0;
    return require(count > 0 && isAligned && uint64_t(count) <= image.bytesFrom(records) / sizeof(Record),
                   what + " (" + llvm::Twine(count) + ") do not lie inside the object");
  }
  /// The same for records that are read.
  template <typename Record> bool checkRead(const Record *records, int64_t count, llvm::StringRef what) {
    return liesInside(records, count, what) && read(uint64_t(count) * sizeof(Record));
  }
  template <typename Record, typename Function>
  void each(const Record *records, int64_t count, llvm::StringRef what, llvm::StringRef one, Function check) {
    if (!checkRead(records, count, what))
      return;
    for (int64_t number = 0; number < count && fault.empty(); ++number) {
      Within within(*this, one, number);
      check(records[number]);
    }
  }
  /// Searches the end of a text within the bytes that may still be read.
  bool text(const char *begin, llvm::StringRef what) {
    uint64_t inside = begin ? image.bytesFrom(begin) : 0, searched = std::min(inside, left);
    const void *end = searched > 0 ? std::memchr(begin, 0, searched) : nullptr;
    if (!end)
      return searched < inside ? read(inside) : require(false, "its " + what + " is not a string inside the object");
    return read(static_cast<const char *>(end) - begin + 1);
  }
  template <typename Function> void code(Function *function, llvm::StringRef what) {
    require(image.bytesFrom(reinterpret_cast<const void *>(function)) > 0,
            "its " + what + " is not code of the object");
  }
  void count(int64_t value, int64_t limit, llvm::StringRef what) {
    require(value >= 0 && value <= limit,
            what + " (" + llvm::Twine(value) + ") are not within 0.." + llvm::Twine(limit));
  }
  void element(int32_t dtype) {
    require(llvm::is_contained(elementTypes(), dtype), "its element type is " + llvm::Twine(dtype));
  }
  void entry(const attn_entry_info &entry);
  void tensor(const attn_tensor_info &tensor, llvm::ArrayRef<attn_dimension_info> dimensions);
  void size(const attn_size_info &size, llvm::ArrayRef<attn_dimension_info> dimensions, unsigned nesting = 0);
  void parameter(const attn_parameter_info &parameter, int64_t loaded);
  void kernel(const attn_kernel_info &kernel);
  void device(const attn_device_code &device);
  void parts(const attn_model &model);

  const ObjectImage &image;
  uint64_t left; ///< bytes that may still be read
  llvm::SmallVector<std::pair<llvm::StringRef, int64_t>> position;
  std::string fault;
};

/// Commands that print a size print the name of each factor, up to the limit of messages (Printable.h).
void TableCheck::size(const attn_size_info &size, llvm::ArrayRef<attn_dimension_info> dimensions, unsigned nesting) {
  constexpr unsigned mostNested = 64; // bounds the recursion of all functions on sizes
  if (!require(nesting < mostNested, "its quotients are nested too deeply"))
    return;
  each(size.terms, size.term_count, "its terms", "term", [&](const attn_size_term &term) {
    each(term.factors, term.factor_count, "its factors", "factor", [&](int32_t factor) {
      if (require(factor >= 0 && size_t(factor) < dimensions.size(), "there is no dimension " + llvm::Twine(factor)))
        read(strnlen(dimensions[factor].name, 120));
    });
    each(term.quotients, term.quotient_count, "its quotients", "quotient", [&](const attn_size_quotient &quotient) {
      require(quotient.divisor > 0, "its divisor is " + llvm::Twine(quotient.divisor));
      this->size(quotient.dividend, dimensions, nesting + 1);
    });
  });
}

void TableCheck::tensor(const attn_tensor_info &tensor, llvm::ArrayRef<attn_dimension_info> dimensions) {
  text(tensor.name, "name");
  element(tensor.dtype);
  count(tensor.rank, ATTN_MAX_RANK, "its dimensions");
  each(tensor.shape, tensor.rank, "its sizes", "size", [&](const attn_size_info &each) { size(each, dimensions); });
}

void TableCheck::entry(const attn_entry_info &entry) {
  text(entry.name, "name");
  code(entry.run, "function");
  code(entry.arena_bytes, "arena function");
  code(entry.flops, "count of operations");
  count(entry.dimension_count, ATTN_MAX_DIMENSIONS, "its dimensions");
  count(entry.input_count, ATTN_MAX_TENSORS, "its inputs");
  count(entry.result_count, ATTN_MAX_TENSORS, "its results");
  count(entry.state_count, entry.input_count, "its states");
  each(entry.dimensions, entry.dimension_count, "its dimensions", "dimension",
       [&](const attn_dimension_info &dimension) { text(dimension.name, "name"); });
  each(entry.tensors, int64_t(entry.input_count) + entry.result_count, "its tensors", "tensor",
       [&](const attn_tensor_info &each) { tensor(each, llvm::ArrayRef(entry.dimensions, entry.dimension_count)); });
}

void TableCheck::parameter(const attn_parameter_info &parameter, int64_t loaded) {
  text(parameter.name, "name");
  text(parameter.checkpoint, "checkpoint name");
  element(parameter.dtype);
  require(parameter.init >= ATTN_INIT_CONSTANT && parameter.init <= ATTN_INIT_UNIFORM, "its initialiser is unknown");
  count(parameter.rank, ATTN_MAX_RANK, "its dimensions");
  int64_t entries = 1, bytes = attn_element_bytes(parameter.dtype);
  auto multiply = [&](int64_t &product, int64_t factor) {
    std::optional<int64_t> result = llvm::checkedMul(product, factor);
    if (require(factor >= 0 && result, "its size " + llvm::Twine(factor) + " is out of range"))
      product = *result;
  };
  each(parameter.shape, parameter.rank, "its sizes", "size", [&](int64_t size) { multiply(bytes, size); });
  count(parameter.list_rank, ATTN_MAX_RANK, "its lists");
  each(parameter.counts, parameter.list_rank, "its counts", "count", [&](int64_t size) { multiply(entries, size); });
  require(parameter.first >= 0 && entries <= loaded && parameter.first <= loaded - entries,
          "its entries of the parameter table do not exist");
  if (parameter.embedded)
    multiply(bytes, entries),
        liesInside(static_cast<const char *>(parameter.embedded), bytes, "the bytes of its values");
}

void TableCheck::kernel(const attn_kernel_info &kernel) {
  text(kernel.name, "name");
  text(kernel.kind, "kind");
  text(kernel.places, "places");
  each(kernel.phases, kernel.phase_count, "its phases", "phase", [&](attn_kernel_fn phase) { code(phase, "code"); });
  count(kernel.operand_count, INT32_MAX, "its operands");
  count(kernel.result_count, INT32_MAX, "its results");
  each(kernel.tensors, int64_t(kernel.operand_count) + kernel.result_count, "its tensors", "tensor",
       [&](const attn_kernel_tensor &tensor) {
         if (tensor.dtype != ATTN_PACKED_WEIGHT)
           element(tensor.dtype);
         count(tensor.rank, INT32_MAX, "its dimensions");
         checkRead(tensor.shape, tensor.rank, "its sizes");
       });
}

void TableCheck::device(const attn_device_code &device) {
  require(device.image_count > 0, "it has no device images");
  each(device.images, device.image_count, "its images", "image", [&](const attn_device_image &image) {
    text(image.target, "target");
    text(image.ptx, "code");
  });
  each(device.phases, device.phase_count, "its phases", "phase", [&](const attn_device_phase &phase) {
    code(phase.phase, "function");
    text(phase.name, "name");
  });
}

void TableCheck::parts(const attn_model &model) {
  text(model.name, "name");
  text(model.target, "target");
  text(model.identity, "identity");
  each(model.entries, model.entry_count, "its entry points", "entry point",
       [&](const attn_entry_info &each) { entry(each); });
  require(model.loaded_count >= 0, "its parameter table has " + llvm::Twine(model.loaded_count) + " entries");
  each(model.parameters, model.parameter_count, "its parameters", "parameter",
       [&](const attn_parameter_info &each) { parameter(each, model.loaded_count); });
  each(model.kernels, model.kernel_count, "its kernels", "kernel", [&](const attn_kernel_info &each) { kernel(each); });
  each(model.packed, model.packed_count, "its packed weights", "packed weight", [&](const attn_packed_info &packed) {
    require(packed.bytes >= 0 && packed.bytes % ATTN_ALIGNMENT == 0, "it has " + llvm::Twine(packed.bytes) + " bytes");
    require(packed.source >= 0 && packed.source < model.loaded_count, "the value that it packs does not exist");
    text(packed.layout, "layout");
  });
  if (model.packed_count > 0) {
    code(model.prepare, "function that packs");
    code(model.prepare_arena_bytes, "arena function");
  }
  if (model.device && checkRead(model.device, 1, "the records of its device"))
    device(*model.device);
}

/// The version is read first, as other versions have other layouts; bytewise, as a malformed object may have an
/// unaligned table.
llvm::Error TableCheck::run(const attn_model *model) {
  static_assert(offsetof(attn_model, abi_version) == 0);
  if (image.bytesFrom(model) < sizeof(model->abi_version))
    return llvm::createStringError("has a malformed model table: it has no version");
  uint32_t version;
  std::memcpy(&version, static_cast<const void *>(model), sizeof(version));
  if (version != ATTN_ABI_VERSION)
    return createStringError("has ABI version " + llvm::Twine(version) + ", but this attnc reads " +
                             llvm::Twine(ATTN_ABI_VERSION) + "; compile it again");
  if (checkRead(model, 1, "its records"))
    parts(*model);
  return fault.empty() ? llvm::Error::success() : llvm::createStringError("has a malformed model table: " + fault);
}

} // namespace

ObjectTable::ObjectTable(std::unique_ptr<ObjectImage> image, const attn_model *table)
    : image(std::move(image)), table(table) {}
ObjectTable::ObjectTable(ObjectTable &&) = default;
ObjectTable::~ObjectTable() = default;

llvm::Expected<ObjectTable> ObjectTable::read(llvm::StringRef file) {
  return read(file, [](llvm::StringRef) { return llvm::Error::success(); });
}

llvm::Expected<ObjectTable> ObjectTable::readWithChecksum(llvm::StringRef file) { return read(file, verifyChecksum); }

llvm::Expected<ObjectTable> ObjectTable::read(llvm::StringRef file,
                                              llvm::function_ref<llvm::Error(llvm::StringRef)> checkFile) {
  auto image = ObjectImage::load(file);
  if (!image)
    return image.takeError();
  llvm::Expected<const char *> found = (*image)->find("_model");
  if (!found)
    return found.takeError();
  if (llvm::Error error = checkFile(file))
    return std::move(error);
  auto *table = reinterpret_cast<const attn_model *>(*found);
  if (llvm::Error error = TableCheck(**image).run(table))
    return std::move(error);
  return ObjectTable(std::move(*image), table);
}

} // namespace attnc
