#include "compiler/Emit/Certificate.h"
#include "compiler/Emit/Record.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace attnc {

namespace {

class CertificateWriter {
public:
  CertificateWriter(const Program &program, EntryPlan plan, const EntryCertificate &certificate,
                    llvm::json::OStream &json)
      : program(program), plan(std::move(plan)), certificate(certificate), json(json) {
    for (auto [number, op] : llvm::enumerate(this->plan.steps))
      steps[op] = number;
  }

  void write();

private:
  const Program &program;
  EntryPlan plan;
  const EntryCertificate &certificate;
  llvm::json::OStream &json;
  DenseMap<Operation *, unsigned> steps;

  std::string text(const SizeExpr &size) { return size.text(plan.symbols); }
  const KernelCode &codeOf(func::CallOp call);
  void writeLocation(const ValueLocation &location);
  void writeName(Value value);
  void writeSlots();
  void writeValues();
  void writeCopies();
  void writeScratch();
};

void CertificateWriter::writeLocation(const ValueLocation &location) {
  switch (location.kind) {
  case ValueLocation::Kind::Input:
    return json.attribute("state", location.number);
  case ValueLocation::Kind::Result:
    return json.attribute("caller", location.number);
  case ValueLocation::Kind::Updated:
    return json.attribute("updated", steps.lookup(model::SetOp(plan.updates[location.number])));
  case ValueLocation::Kind::Element:
    return json.attribute("element", steps.lookup(model::WithElementOp(plan.elements[location.number])));
  case ValueLocation::Kind::Slot:
    return json.attribute("slot", location.number);
  case ValueLocation::Kind::Parameter:
    return; // the location of its model.get
  }
}

void CertificateWriter::writeSlots() {
  for (const Slot &slot : plan.slots)
    json.object([&] {
      json.attribute("bytes", text(slot.bytes));
      if (slot.within)
        json.attribute("within", *slot.within);
      if (slot.behind)
        json.attribute("behind", *slot.behind);
    });
}

/// Identifies a value by its defining op (Certificate.h).
void CertificateWriter::writeName(Value value) {
  if (auto result = dyn_cast<OpResult>(value)) {
    json.attribute("step", steps.lookup(result.getOwner()));
    return json.attribute("result", result.getResultNumber());
  }
  auto argument = cast<BlockArgument>(value);
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop)
    return json.attribute("argument", argument.getArgNumber());
  json.attribute("step", steps.lookup(loop));
  json.attribute("carried", loop.getTiedLoopResult(argument).getResultNumber());
}

void CertificateWriter::writeValues() {
  for (Operation *op : plan.steps)
    for (OpResult result : op->getResults())
      if (auto found = plan.locations.find(result);
          found != plan.locations.end() && found->second.kind != ValueLocation::Kind::Parameter)
        json.object([&] {
          writeName(result);
          writeLocation(found->second);
        });
}

void CertificateWriter::writeCopies() {
  for (auto [step, op] : llvm::enumerate(plan.steps))
    for (const Copy &copy : plan.copies.lookup(op))
      json.object([&] {
        json.attribute("before", int64_t(step));
        writeName(copy.value);
        if (copy.source)
          json.attributeObject("from", [&] { writeLocation(*copy.source); });
        json.attributeObject("to", [&] { writeLocation(copy.target); });
      });
}

/// Scratch of each launch: shared by all workers, and per worker.
void CertificateWriter::writeScratch() {
  for (const auto &[op, launch] : plan.launches) {
    auto call = cast<func::CallOp>(op);
    auto writeSlot = [&](std::optional<unsigned> slot, const SizeExpr &bytes) {
      if (slot)
        json.object([&] {
          json.attribute("step", steps.lookup(call));
          json.attribute("slot", *slot);
          json.attribute("bytes", text(bytes));
        });
    };
    writeSlot(launch.shared, *substituteKnown(codeOf(call).sharedBytes, plan.sizes.kernelSymbols(call)));
    writeSlot(launch.workers, launch.stride * SizeExpr::symbol(plan.symbols.size() - 1));
  }
}

const KernelCode &CertificateWriter::codeOf(func::CallOp call) {
  return llvm::find_if(
             program.kernels,
             [&](const CompiledKernel &each) { return func::FuncOp(each.function).getName() == call.getCallee(); })
      ->code;
}

void CertificateWriter::write() {
  json.object([&] {
    json.attribute("name", func::FuncOp(plan.entry).getName());
    json.attributeArray("symbols", [&] {
      for (const std::string &name : plan.symbols)
        json.value(name);
    });
    json.attribute("arena_bytes", text(plan.arenaBytes));
    json.attribute("alignment", arenaAlignment);
    json.attributeArray("slots", [&] { writeSlots(); });
    json.attributeArray("values", [&] { writeValues(); });
    json.attributeArray("copies", [&] { writeCopies(); });
    json.attributeArray("scratch", [&] { writeScratch(); });
    json.attributeArray("all_pairs", [&] {
      for (const EntryCertificate::AllPairsStorage &storage : certificate.allPairs)
        json.object([&] {
          json.attribute("kernel", storage.kernel);
          json.attribute("bytes", text(storage.bytes));
        });
    });
  });
}

} // namespace

std::string certificateText(const Program &program, llvm::StringRef module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  json.object([&] {
    json.attribute("compiler", compilerVersion());
    json.attribute("module", module);
    json.attributeArray("entries", [&] {
      for (auto [plan, certificate] : llvm::zip_equal(program.entries, program.certificates))
        CertificateWriter(program, plan, certificate, json).write();
    });
  });
  return text;
}

} // namespace attnc
