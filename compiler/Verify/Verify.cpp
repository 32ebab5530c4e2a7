#include "compiler/Verify/Verify.h"
#include "compiler/Verify/MemoryTrace.h"
#include "compiler/Verify/Shapes.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace attnc::verify {

std::vector<std::vector<int64_t>> sampleSizes(ArrayAttr dimensions) {
  static constexpr int64_t primes[] = {3, 7, 13, 29, 5, 11, 17, 23}, workers[] = {1, 2, 64};
  size_t count = dimensions ? dimensions.size() : 0;
  std::vector<std::vector<int64_t>> samples;
  auto add = [&](llvm::function_ref<int64_t(size_t)> sizeAt) {
    std::vector<int64_t> sizes;
    for (size_t number = 0; number < count; ++number) {
      auto dimension = cast<model::DimensionAttr>(dimensions[number]);
      int64_t most = dimension.getMax() < 0 ? std::numeric_limits<int64_t>::max() : dimension.getMax();
      sizes.push_back(std::clamp(sizeAt(number), std::max<int64_t>(dimension.getMin(), 0), most));
    }
    sizes.push_back(workers[samples.size() % std::size(workers)]);
    if (!llvm::is_contained(samples, sizes))
      samples.push_back(std::move(sizes));
  };
  for (int64_t size : {0, 1, 2, 64, 4096})
    add([&](size_t) { return size; });
  for (int64_t factor : {1, 31})
    add([&](size_t number) { return factor * primes[number % std::size(primes)]; });
  for (size_t large = 0; large < count; ++large)
    for (int64_t size : {63, 100'000})
      add([&](size_t number) { return number == large ? size : 1; });
  return samples;
}

namespace {

class EntryVerifier {
public:
  EntryVerifier(func::FuncOp entry, const EntryCertificate &certificate)
      : entry(entry), certificate(certificate), steps(entry), shapes(entry, certificate.symbols),
        samples(sampleSizes(entry->getAttrOfType<ArrayAttr>(model::dimensionsAttrName))) {}

  EntryFindings run();

private:
  func::FuncOp entry;
  const EntryCertificate &certificate;
  Steps steps;
  Shapes shapes;
  std::vector<std::vector<int64_t>> samples;
  std::vector<SizeExpr> offsets;
  /// All contents of a slot, and whether the slot provably covers each.
  struct RequiredRoom {
    SizeExpr bytes;
    bool isCovered = true;
  };
  std::map<int64_t, RequiredRoom> requiredRoom;
  EntryFindings found;

  void fault(const Twine &text) { found.faults.push_back(text.str()); }
  std::string at(ArrayRef<int64_t> sizes) const;
  bool checkSymbols();
  bool provablyCovers(const SizeExpr &room, const SizeExpr &bytes) const;
  void requireRoom(std::optional<int64_t> slot, const SizeExpr &bytes, const Twine &what);
  void proveSlots();
  void checkSlots();
  void checkValues();
  void checkScratch();
  void checkAllPairs(Operation *op, const SizeExpr &bytes);
  std::vector<llvm::BitVector> overlaps() const;
};

std::string EntryVerifier::at(ArrayRef<int64_t> sizes) const {
  std::string text;
  for (auto [name, size] : llvm::zip_equal(certificate.symbols, sizes))
    text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(size);
  return text;
}

bool EntryVerifier::checkSymbols() {
  std::vector<std::string> expected;
  if (auto dimensions = entry->getAttrOfType<ArrayAttr>(model::dimensionsAttrName))
    for (Attribute dimension : dimensions)
      expected.push_back(cast<model::DimensionAttr>(dimension).getName().str());
  expected.push_back("workers");
  if (certificate.symbols == expected)
    return true;
  fault("the certificate has the dimensions " + llvm::join(certificate.symbols, ", ") + ", expected " +
        llvm::join(expected, ", "));
  return false;
}

/// Whether `room` covers `bytes`, rounded up to the alignment, for all sizes. The normal form of a maximum contains
/// rounded operands, of which one may exceed `bytes`: substituting a symbol for them keeps them together.
bool EntryVerifier::provablyCovers(const SizeExpr &room, const SizeExpr &bytes) const {
  SizeExpr units = room.ceilDiv(certificate.alignment), required = bytes.ceilDiv(certificate.alignment);
  SizeExpr unknown = SizeExpr::symbol(unsigned(certificate.symbols.size()));
  return room.isAtLeast(bytes) ||
         (units * SizeExpr(certificate.alignment) == room &&
          (SizeExpr::max(units, required) == units || SizeExpr::max(units, required - unknown) == units));
}

/// `slot` is null for the arena.
void EntryVerifier::requireRoom(std::optional<int64_t> slot, const SizeExpr &bytes, const Twine &what) {
  const SizeExpr &room = slot ? certificate.slots[*slot].bytes : certificate.arenaBytes;
  for (const std::vector<int64_t> &sizes : samples) {
    int64_t available = room.evaluate(sizes), needed = bytes.evaluate(sizes);
    if (available < needed)
      return fault(what + " takes " + Twine(needed) + " bytes at " + at(sizes) + ", but " +
                   (slot ? "slot " + std::to_string(*slot) : std::string("the arena")) + " has " + Twine(available));
  }
  if (!slot) {
    found.isProved &= provablyCovers(room, bytes);
    return;
  }
  RequiredRoom &required = requiredRoom[*slot];
  required.isCovered &= provablyCovers(room, bytes);
  required.bytes = SizeExpr::max(required.bytes, bytes);
}

/// A cover that is not provable for each content of a slot may be provable for all together, as slots are built that
/// way.
void EntryVerifier::proveSlots() {
  for (const auto &[slot, required] : requiredRoom) {
    const SizeExpr &room = certificate.slots[slot].bytes;
    found.isProved &= required.isCovered || required.bytes.alignTo(certificate.alignment) == room ||
                      provablyCovers(room, required.bytes);
  }
}

/// Offsets of slots: parts stay inside of their slot, in order.
void EntryVerifier::checkSlots() {
  SizeExpr end;
  std::vector<SizeExpr> ends;
  for (auto [number, slot] : llvm::enumerate(certificate.slots)) {
    offsets.push_back(slot.behind ? ends[*slot.behind] : slot.within ? offsets[*slot.within] : SizeExpr());
    ends.push_back(offsets.back() + slot.bytes);
    for (const std::vector<int64_t> &sizes : samples)
      if (slot.bytes.evaluate(sizes) % certificate.alignment != 0) {
        fault("slot " + Twine(number) + " has " + Twine(slot.bytes.evaluate(sizes)) + " bytes at " + at(sizes) +
              ", expected a multiple of " + Twine(certificate.alignment));
        break;
      }
    SizeExpr before = slot.within ? offsets[*slot.within] : SizeExpr();
    requireRoom(slot.within, ends.back() - before, "slot " + Twine(number) + ", up to its end,");
  }
}

void EntryVerifier::checkValues() {
  for (const auto &[name, location] : certificate.values) {
    Value value = steps.value(name);
    if (!value || !isa<RankedTensorType>(value.getType())) {
      fault("the certificate has a location for result " + Twine(name.number) + " of step " + Twine(name.step) +
            ", which does not exist");
      continue;
    }
    Operation *op = value.getDefiningOp();
    std::optional<SizeExpr> bytes = shapes.bytes(value);
    if (!bytes) {
      fault(steps.text(op) + ": the size of its result is not a function of the dimensions");
      continue;
    }
    if (location.kind == ValueLocation::Kind::Slot) {
      ++found.values;
      requireRoom(location.number, *bytes, "the result of " + steps.text(op));
      checkAllPairs(op, *bytes);
    } else if (location.kind == ValueLocation::Kind::Element) {
      checkAllPairs(op, *bytes);
    }
  }
  for (const PlannedCopy &copy : certificate.copies) {
    Value value = steps.value(copy.value);
    std::optional<SizeExpr> bytes;
    if (value && isa<RankedTensorType>(value.getType()))
      bytes = shapes.bytes(value);
    if (!bytes)
      fault("the certificate has a copy before step " + Twine(copy.before) + " of a value that is not a tensor");
    else if (copy.to.kind == ValueLocation::Kind::Slot)
      requireRoom(copy.to.number, *bytes, "a copy before step " + Twine(copy.before));
  }
}

void EntryVerifier::checkScratch() {
  for (const PlannedScratch &scratch : certificate.scratch) {
    auto call = dyn_cast_or_null<func::CallOp>(steps.at(scratch.step));
    if (!call) {
      fault("the certificate has scratch for step " + Twine(scratch.step) + ", which calls no kernel");
      continue;
    }
    requireRoom(scratch.slot, scratch.bytes, "the scratch of " + steps.text(call));
    checkAllPairs(call, scratch.bytes);
  }
}

/// Storage that grows as queries times keys must be stated.
void EntryVerifier::checkAllPairs(Operation *op, const SizeExpr &bytes) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call || !shapes.growsAsAllPairs(bytes))
    return;
  std::string kernel = call.getCallee().str();
  auto isThisKernel = [&](const AllPairsStorage &storage) { return storage.kernel == kernel; };
  if (llvm::none_of(certificate.allPairs, isThisKernel))
    fault(steps.text(call) + ": materialises " + bytes.text(certificate.symbols) + " bytes, of the order of " +
          shapes.pairsText() + ", which the certificate does not state");
}

/// Overlaps, from the nesting of slots and their bytes at each of the sample sizes.
std::vector<llvm::BitVector> EntryVerifier::overlaps() const {
  size_t count = certificate.slots.size();
  std::vector<llvm::BitVector> result(count, llvm::BitVector(count));
  auto meet = [&](size_t a, size_t b) {
    result[a].set(b);
    result[b].set(a);
  };
  for (size_t part = 0; part < count; ++part)
    for (std::optional<int64_t> whole = part; whole; whole = certificate.slots[*whole].within)
      meet(part, *whole);
  for (const std::vector<int64_t> &sizes : samples) {
    std::vector<std::pair<int64_t, int64_t>> spans;
    for (auto [offset, slot] : llvm::zip_equal(offsets, certificate.slots))
      spans.emplace_back(offset.evaluate(sizes), offset.evaluate(sizes) + slot.bytes.evaluate(sizes));
    for (size_t a = 0; a < count; ++a)
      for (size_t b = 0; b < a; ++b)
        if (spans[a].first < spans[b].second && spans[b].first < spans[a].second)
          meet(a, b);
  }
  return result;
}

EntryFindings EntryVerifier::run() {
  found.name = certificate.name;
  if (!checkSymbols())
    return std::move(found);
  found.slots = certificate.slots.size();
  found.sizesTried = samples.size();
  found.pairs = shapes.pairsText();
  found.allPairs = certificate.allPairs;
  checkSlots();
  checkValues();
  checkScratch();
  proveSlots();
  std::vector<llvm::BitVector> overlapping = overlaps();
  auto overlap = [&](int64_t a, int64_t b) { return overlapping[a][b]; }; // must outlive the trace, which refers to it
  MemoryTrace trace(steps, certificate, overlap);
  llvm::append_range(found.faults, trace.run(entry));
  return std::move(found);
}

} // namespace

std::vector<EntryFindings> verifyMemory(ModuleOp module, const Certificate &certificate) {
  std::vector<EntryFindings> all;
  std::vector<std::string> stated;
  for (const EntryCertificate &entry : certificate.entries) {
    stated.push_back(entry.name);
    auto function = module.lookupSymbol<func::FuncOp>(entry.name);
    if (function && function->hasAttr(model::entryAttrName))
      all.push_back(EntryVerifier(function, entry).run());
    else
      all.push_back({entry.name, {"the certificate has an entry point that the module lacks"}});
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(model::entryAttrName) && !llvm::is_contained(stated, function.getName()))
      all.push_back({function.getName().str(), {"the certificate lacks this entry point"}});
  return all;
}

} // namespace attnc::verify
