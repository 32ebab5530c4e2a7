#include "compiler/Narrow/Narrow.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Narrow/Conditioning.h"
#include "compiler/Narrow/NarrowKernel.h"
#include "compiler/Narrow/StorageGroups.h"
#include "compiler/Narrow/StoredBytes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;

namespace attnc {

namespace {

class Narrowing {
public:
  Narrowing(ModuleOp module, FloatType element, llvm::function_ref<Verdict(func::FuncOp)> supports)
      : module(module), element(element), supports(supports) {}

  std::vector<StorageChoice> run(bool usesConditioning) {
    std::vector<StorageChoice> choices;
    for (func::FuncOp function : hostFunctions(module)) {
      if (trains(function))
        choices.push_back({function.getName().str(), "all tensors", StorageChoice::Kind::Entry, false,
                           "it trains, or returns gradients of attention"});
      else
        entries.try_emplace(function, function);
    }
    keepPorts();
    if (usesConditioning)
      keepIllConditioned();
    while (refuseKernels() || agreeOnStates())
      ;
    for (auto &[entry, groups] : entries)
      llvm::append_range(choices, groups.choices());
    apply();
    return choices;
  }

private:
  /// A required variant of a kernel: which arguments and results are narrow.
  struct Signature {
    std::string kernel;
    SmallVector<bool> ports;
    bool operator<(const Signature &other) const {
      return std::tie(kernel, ports) < std::tie(other.kernel, other.ports);
    }
  };

  bool trains(func::FuncOp function) {
    bool found = false;
    function.walk([&](Operation *op) {
      auto call = dyn_cast<func::CallOp>(op);
      auto kind = call ? kernelKindOf(kernelOf(call)) : std::nullopt;
      found = found || isa<model::SetOp>(op) || (kind && kernelTraits(*kind).isGradient);
    });
    return found;
  }

  func::FuncOp kernelOf(func::CallOp call) { return module.lookupSymbol<func::FuncOp>(call.getCallee()); }

  static SmallVector<Value> portsOf(func::CallOp call) {
    SmallVector<Value> ports(call.getOperands());
    llvm::append_range(ports, call.getResults());
    return ports;
  }

  void eachCall(llvm::function_ref<void(func::CallOp, StorageGroups &)> visit) {
    for (auto &[entry, groups] : entries)
      func::FuncOp(entry).walk([&, &groups = groups](func::CallOp call) { visit(call, groups); });
  }

  /// First: requirements of kernels on their arguments and results.
  void keepPorts() {
    eachCall([&](func::CallOp call, StorageGroups &groups) {
      for (auto [port, value] : llvm::enumerate(portsOf(call)))
        if (groups.contains(value))
          if (std::string reason = portReason(kernelOf(call), port); !reason.empty())
            groups.keep(value, reason);
    });
  }

  /// Second: conditioning analysis.
  void keepIllConditioned() {
    for (auto &[entry, groups] : entries) {
      Conditioning conditioning(entry, element);
      for (Value value : groups.values())
        if (std::string reason = conditioning.reasonOf(value); !reason.empty())
          groups.keep(value, reason);
    }
  }

  Signature signatureOf(func::CallOp call, const StorageGroups &groups) {
    return {call.getCallee().str(),
            llvm::map_to_vector(portsOf(call), [&](Value value) { return groups.isNarrow(value); })};
  }

  static bool isWide(const Signature &signature) { return !llvm::is_contained(signature.ports, true); }

  OwningOpRef<func::FuncOp> make(func::CallOp call, const Signature &signature) {
    llvm::SmallBitVector ports(signature.ports.size());
    for (auto [port, narrow] : llvm::enumerate(signature.ports))
      ports[port] = narrow;
    return narrowKernel(kernelOf(call), ports, element);
  }

  /// Keeps operands and results f32 for which no emitter has code; returns whether there were any.
  bool refuseKernels() {
    bool refused = false;
    eachCall([&](func::CallOp call, StorageGroups &groups) {
      Signature signature = signatureOf(call, groups);
      if (isWide(signature))
        return;
      auto [known, isNew] = kernels.try_emplace(signature);
      if (isNew) {
        known->second.function = make(call, signature);
        known->second.verdict = supports(*known->second.function);
      }
      if (known->second.verdict)
        return;
      refused = true;
      for (Value value : portsOf(call))
        groups.keep(value, "kernel " + signature.kernel + " has no code for it: " + known->second.verdict.reason);
    });
    return refused;
  }

  /// States are passed between entry points, from next_prefill to next: one that is f32 in one of them is f32 in all.
  /// Returns whether there were any.
  bool agreeOnStates() {
    std::map<StringRef, std::string> wide; // reasons by name of the state
    auto eachState = [&](llvm::function_ref<void(StringRef, BlockArgument, func::FuncOp, StorageGroups &)> visit) {
      for (auto &[entry, groups] : entries)
        for (BlockArgument argument : func::FuncOp(entry).getArguments()) {
          func::FuncOp function = entry;
          auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), model::nameAttrName);
          if (name && function.getArgAttr(argument.getArgNumber(), model::stateAttrName) && groups.contains(argument))
            visit(name.getValue(), argument, function, groups);
        }
    };
    eachState([&](StringRef name, BlockArgument state, func::FuncOp function, StorageGroups &groups) {
      if (!groups.isNarrow(state))
        wide.try_emplace(name, "it is f32 in entry point " + function.getName().str() + ", which shares it");
    });
    bool disagreed = false;
    eachState([&](StringRef name, BlockArgument state, func::FuncOp, StorageGroups &groups) {
      auto found = wide.find(name);
      if (found == wide.end() || !groups.isNarrow(state))
        return;
      groups.keep(state, found->second);
      disagreed = true;
    });
    return disagreed;
  }

  void apply() {
    llvm::MapVector<func::CallOp, Signature> signatures;
    eachCall([&](func::CallOp call, StorageGroups &groups) { signatures[call] = signatureOf(call, groups); });
    StoredBytes bytes(element);
    for (auto &[entry, groups] : entries)
      bytes.count(entry, groups);
    for (auto &[entry, groups] : entries)
      narrowValues(entry, groups);
    llvm::StringSet<> plain; // kernels that some call needs unchanged
    module.walk([&](func::CallOp call) {
      auto found = signatures.find(call); // not found if the entry point trains
      if (found == signatures.end() || isWide(found->second))
        plain.insert(call.getCallee());
    });
    bytes.record(module, [&](StringRef kernel) { return !plain.contains(kernel); });
    for (auto &[call, signature] : signatures)
      if (!isWide(signature))
        func::CallOp(call).setCallee(insert(signature, !plain.contains(signature.kernel)));
    eraseUnusedKernels(module);
  }

  void narrowValues(func::FuncOp entry, const StorageGroups &groups) {
    for (Value value : groups.values())
      if (groups.isNarrow(value))
        value.setType(cast<RankedTensorType>(value.getType()).clone(element));
    entry.setFunctionType(FunctionType::get(entry.getContext(), entry.front().getArgumentTypes(),
                                            entry.front().getTerminator()->getOperandTypes()));
  }

  /// Inserts the variant; returns its symbol. The first one takes the name of the original if that `isUnused`.
  StringRef insert(const Signature &signature, bool isUnused) {
    Variant &variant = kernels[signature];
    if (!variant.function)
      return variant.name;
    func::FuncOp function = variant.function.release();
    variant.name = signature.kernel;
    auto original = module.lookupSymbol<func::FuncOp>(signature.kernel);
    module.insert(std::next(Block::iterator(original)), function);
    if (isUnused && replaced.insert(signature.kernel).second) {
      original.erase();
      return variant.name;
    }
    for (unsigned number = 1; module.lookupSymbol(variant.name) != function; ++number) {
      variant.name = signature.kernel + "_" + typeName() + (number > 1 ? "_" + std::to_string(number) : "");
      if (!module.lookupSymbol(variant.name))
        function.setName(variant.name);
    }
    return variant.name;
  }

  std::string typeName() {
    std::string name;
    llvm::raw_string_ostream(name) << element;
    return name;
  }

  struct Variant {
    OwningOpRef<func::FuncOp> function; ///< null once it is in the module
    Verdict verdict;
    std::string name;
  };

  ModuleOp module;
  FloatType element;
  llvm::function_ref<Verdict(func::FuncOp)> supports;
  llvm::MapVector<func::FuncOp, StorageGroups> entries;
  std::map<Signature, Variant> kernels;
  llvm::StringSet<> replaced; ///< kernels whose name a narrow variant has taken
};

} // namespace

std::vector<StorageChoice> narrowStorage(ModuleOp module, FloatType element,
                                         llvm::function_ref<Verdict(func::FuncOp)> supports, bool usesConditioning) {
  return Narrowing(module, element, supports).run(usesConditioning);
}

void allowTf32(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (auto kind = kernelKindOf(function); kind && kernelTraits(*kind).allowsTf32)
      function->setAttr(tf32AttrName, UnitAttr::get(module.getContext()));
  }
}

} // namespace attnc
