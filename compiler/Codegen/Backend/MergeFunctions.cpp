// Function merging: functions that differ only in integer constants are merged, and each differing constant becomes a
// parameter. Code of unrolled layers that differ in the size of a window is compiled once.
//
// Precondition: each constant has one purpose, as emitters created it; common subexpression elimination would merge a
// window of 64 with a tile of 64. Postcondition: no two such functions remain among the functions that only func.call
// refers to.
//
//   func @a.body(%i: index) {                      func @a.body(%i: index, %n: index) {
//     %c = arith.constant 528 : index                %x = arith.subi %i, %n : index
//     %x = arith.subi %i, %c : index                 ...
//     ...                                    ->    }
//   }                                              ... call @a.body(%j, %c528)
//   func @b.body(%i: index) {                      ... call @a.body(%j, %c544)
//     %c = arith.constant 544 : index
//     ...
//
// A constant becomes a parameter only if code with a register is as fast as code with the constant: in sums and
// comparisons. Constants in addresses are part of loads and stores, products and quotients become shifts, and trip
// counts determine loops; functions that differ in these are not merged.
#include "compiler/Codegen/Backend/Backend.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace attnc {

namespace {

/// Limit of ops visited to find the uses of a sum.
constexpr size_t maxVisited = 64;

bool isComparison(Operation *op) {
  return isa<arith::CmpIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(op);
}

bool isSum(Operation *op) { return isa<arith::AddIOp, arith::SubIOp>(op); }

/// True if `op` may use its operand as an address or pass it on.
bool mayAddress(Operation *op) {
  return op->getNumRegions() == 0 &&
         (!isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>() ||
          isa<affine::AffineDialect, LLVM::LLVMDialect, memref::MemRefDialect>(op->getDialect()));
}

/// True if `value`, or a multiple or sum of it, is part of the address of a load or store, where constants are free.
bool isInAddress(Value value) {
  SmallVector<Operation *> worklist(value.getUsers());
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!worklist.empty()) {
    Operation *user = worklist.pop_back_val();
    if (!seen.insert(user).second)
      continue;
    if (mayAddress(user) || seen.size() > maxVisited)
      return true;
    if (isSum(user) || isa<arith::MulIOp, arith::IndexCastOp, arith::IndexCastUIOp>(user))
      worklist.append(user->user_begin(), user->user_end());
  }
  return false;
}

/// True if a register instead of the constant does not make the code slower.
bool canBeParameter(arith::ConstantOp constant) {
  return isa<IndexType, IntegerType>(constant.getType()) && !constant.getType().isInteger(1) &&
         llvm::all_of(constant->getUsers(), [](Operation *user) {
           return isComparison(user) || (isSum(user) && !isInAddress(user->getResult(0)));
         });
}

/// A function with its parameterisable constants replaced by zeros.
struct Candidate {
  func::FuncOp function;
  SmallVector<arith::ConstantOp> constants;
  SmallVector<TypedAttr> values; ///< values of the constants
};

using Candidates = SmallVector<Candidate>;

Candidate candidateOf(func::FuncOp function) {
  Candidate candidate{function, {}, {}};
  function.walk([&](arith::ConstantOp constant) {
    if (!canBeParameter(constant))
      return;
    candidate.constants.push_back(constant);
    candidate.values.push_back(constant.getValue());
  });
  for (arith::ConstantOp constant : candidate.constants)
    constant.setValueAttr(IntegerAttr::get(constant.getType(), 0));
  return candidate;
}

/// Hash of the ops and types, in which different functions usually differ.
llvm::hash_code hashOf(func::FuncOp function) {
  llvm::hash_code hash = hash_value(Type(function.getFunctionType()));
  function.getBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(hash, op->getName(), op->getNumOperands(), op->getNumResults());
    for (Type type : op->getResultTypes())
      hash = llvm::hash_combine(hash, type);
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      hash = llvm::hash_combine(hash, constant.getValue());
  });
  return hash;
}

bool areAlike(func::FuncOp a, func::FuncOp b) {
  return a.getFunctionType() == b.getFunctionType() && a.getArgAttrsAttr() == b.getArgAttrsAttr() &&
         a.getResAttrsAttr() == b.getResAttrsAttr() &&
         a->getDiscardableAttrDictionary() == b->getDiscardableAttrDictionary() &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

class FunctionSharer {
public:
  explicit FunctionSharer(ModuleOp code) : code(code) {}

  void run() {
    findCalls();
    for (auto function : code.getOps<func::FuncOp>())
      if (calls.contains(function.getNameAttr()) && isInternal(function))
        group(candidateOf(function));
    for (auto &[hash, alike] : groups)
      for (Candidates &each : alike)
        share(each);
    // Duplicates contain calls, so they are erased after all calls are replaced.
    for (func::FuncOp function : unused)
      function.erase();
  }

private:
  static bool isInternal(func::FuncOp function) {
    auto linkage = function->getAttrOfType<LLVM::LinkageAttr>("llvm.linkage");
    return linkage && linkage.getLinkage() == LLVM::Linkage::Internal && !function.isExternal();
  }

  /// Finds the calls of each function that has no other uses.
  void findCalls() {
    llvm::SmallPtrSet<Attribute, 16> taken;
    code.walk([&](SymbolUserOpInterface user) {
      if (auto call = dyn_cast<func::CallOp>(*user)) {
        calls[call.getCalleeAttr().getAttr()].push_back(call);
      } else if (auto uses = SymbolTable::getSymbolUses(user)) {
        for (SymbolTable::SymbolUse use : *uses)
          taken.insert(use.getSymbolRef().getRootReference());
      }
    });
    for (Attribute symbol : taken)
      calls.erase(cast<StringAttr>(symbol));
  }

  void group(Candidate candidate) {
    SmallVector<Candidates> &alike = groups[hashOf(candidate.function)];
    auto *found = llvm::find_if(
        alike, [&](const Candidates &each) { return areAlike(each.front().function, candidate.function); });
    if (found == alike.end())
      found = &alike.emplace_back();
    found->push_back(std::move(candidate));
  }

  /// Replaces all functions by the first one, to which the differing constants are appended as parameters.
  void share(Candidates &alike) {
    Candidate &representative = alike.front();
    llvm::MapVector<ArrayAttr, BlockArgument> parameters;
    for (auto [number, constant] : llvm::enumerate(representative.constants)) {
      SmallVector<Attribute> values;
      for (const Candidate &each : alike)
        values.push_back(each.values[number]);
      constant.setValueAttr(representative.values[number]);
      if (llvm::all_equal(values))
        continue;
      BlockArgument &parameter = parameters[ArrayAttr::get(code.getContext(), values)];
      if (!parameter)
        parameter = append(representative.function, constant);
      constant.replaceAllUsesWith(Value(parameter));
      constant.erase();
    }
    if (alike.size() == 1)
      return;
    for (auto [number, each] : llvm::enumerate(alike)) {
      for (func::CallOp call : calls[each.function.getNameAttr()])
        replace(call, representative.function, number, parameters);
      if (number > 0)
        unused.push_back(each.function);
    }
  }

  static BlockArgument append(func::FuncOp function, arith::ConstantOp constant) {
    unsigned number = function.getNumArguments();
    (void)function.insertArgument(number, constant.getType(), {}, constant.getLoc());
    return function.getArgument(number);
  }

  static void replace(func::CallOp call, func::FuncOp representative, size_t number,
                      const llvm::MapVector<ArrayAttr, BlockArgument> &parameters) {
    OpBuilder builder(call);
    SmallVector<Value> operands(call.getOperands());
    for (const auto &[values, parameter] : parameters)
      operands.push_back(arith::ConstantOp::create(builder, call.getLoc(), cast<TypedAttr>(values[number])));
    call.replaceAllUsesWith(func::CallOp::create(builder, call.getLoc(), representative, operands));
    call.erase();
  }

  ModuleOp code;
  llvm::DenseMap<StringAttr, SmallVector<func::CallOp>> calls;
  llvm::MapVector<llvm::hash_code, SmallVector<Candidates>> groups;
  SmallVector<func::FuncOp> unused;
};

} // namespace

void mergeFunctions(ModuleOp code) { FunctionSharer(code).run(); }

} // namespace attnc
