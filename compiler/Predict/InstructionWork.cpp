#include "compiler/Predict/InstructionWork.h"
#include "compiler/Analysis/OpCost.h"
#include "compiler/Predict/DataWork.h"
#include "compiler/Predict/LlvmWork.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>

using namespace mlir;

namespace attnc {

Work &Work::operator+=(const Work &other) {
  for (double Work::*each : {&Work::products, &Work::arithmetic, &Work::narrow, &Work::narrowProducts, &Work::divisions,
                             &Work::roots, &Work::shuffles, &Work::loads, &Work::broadcasts, &Work::stores,
                             &Work::splitLoads, &Work::splitStores, &Work::gathered, &Work::scattered, &Work::scalars,
                             &Work::scalarDivisions, &Work::loadedBytes, &Work::storedBytes})
    this->*each += other.*each;
  return *this;
}

/// The type that determines the width of an op.
static Type widthOf(Operation *op) {
  if (op->getNumResults() == 1)
    return op->getResult(0).getType();
  for (Value operand : op->getOperands())
    if (isa<VectorType>(operand.getType()))
      return operand.getType();
  return op->getNumOperands() ? op->getOperand(0).getType() : Type();
}

/// Vector registers of a value of the type.
static double registersOf(Type type, int64_t lanes) {
  auto vector = dyn_cast_if_present<VectorType>(type);
  if (!vector || !vector.hasStaticShape())
    return 1;
  int64_t bits = vector.getElementType().isIntOrFloat() ? vector.getElementTypeBitWidth() : 64;
  return std::max<double>(
      1, std::ceil(double(vector.getNumElements() * std::max<int64_t>(bits, 32)) / double(32 * lanes)));
}

/// Work of the divider in vectors: less for partial vectors, more for double.
static double dividerWork(Type type, int64_t lanes) {
  constexpr double least = 0.3; // of a full vector, for a scalar
  constexpr double ofDouble = 1.6;
  auto vector = dyn_cast_if_present<VectorType>(type);
  double elements = vector && vector.hasStaticShape() ? double(vector.getNumElements()) : 1;
  bool isDouble = type && getElementTypeOrSelf(type).isF64();
  double vectors = (isDouble ? 2 : 1) * elements / double(lanes);
  return (isDouble ? ofDouble : 1) * (vectors < 1 ? std::max(least, vectors) : std::ceil(vectors));
}

/// Bytes of a value of the type in memory.
static double bytesOf(Type type) {
  auto vector = dyn_cast_if_present<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  double count = vector && vector.hasStaticShape() ? double(vector.getNumElements()) : 1;
  return count * (element && element.isIntOrFloat() ? std::max(1.0, double(element.getIntOrFloatBitWidth()) / 8) : 8);
}

/// Whether the product fuses with the sum that reads it.
static bool isFusedProduct(Operation *op) {
  auto product = dyn_cast_if_present<arith::MulFOp>(op);
  return product && product->hasOneUse() && isa<arith::AddFOp, arith::SubFOp>(*product->user_begin());
}

static bool isFusedSum(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp>(op) &&
         llvm::any_of(op->getOperands(), [](Value each) { return isFusedProduct(each.getDefiningOp()); });
}

/// Whether comparison and selection fuse to one maximum or minimum instruction.
static bool isPartOfExtremum(Operation *op) {
  auto compares = dyn_cast<arith::CmpFOp>(op);
  auto selects = compares && compares->hasOneUse() ? dyn_cast<arith::SelectOp>(*compares->user_begin()) : nullptr;
  return selects && llvm::is_contained(compares->getOperands(), selects.getTrueValue()) &&
         llvm::is_contained(compares->getOperands(), selects.getFalseValue());
}

static bool isLoad(Operation *op) {
  return isa<vector::LoadOp, vector::MaskedLoadOp, memref::LoadOp, memref::PrefetchOp, LLVM::LoadOp, LLVM::Prefetch>(
      op);
}

/// Whether the shuffle concatenates a loaded vector, which needs a load and no shuffle port.
static bool isInsertionOfLoaded(vector::ShuffleOp shuffle) {
  auto isLoadedHere = [](Value value) {
    return value.hasOneUse() && isa_and_present<vector::LoadOp>(value.getDefiningOp());
  };
  ArrayRef<int64_t> mask = shuffle.getMask();
  return isLoadedHere(shuffle.getV2()) && llvm::equal(mask, llvm::seq<int64_t>(0, int64_t(mask.size()))) &&
         int64_t(mask.size()) ==
             shuffle.getV1VectorType().getNumElements() + shuffle.getV2VectorType().getNumElements();
}

static bool isStore(Operation *op) {
  return isa<vector::StoreOp, vector::MaskedStoreOp, memref::StoreOp, LLVM::StoreOp>(op);
}

/// The share of vector accesses that cross a cache line, for rows with any alignment.
static double splitLineShare(Operation *op, double bytesOfVector) {
  constexpr int64_t line = 64;
  Value accessed;
  llvm::TypeSwitch<Operation *>(op).Case<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp, vector::MaskedStoreOp>(
      [&](auto access) { accessed = access.getBase(); });
  auto type = accessed ? cast<MemRefType>(accessed.getType()) : MemRefType();
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!type || !type.getElementType().isIntOrFloat() || failed(type.getStridesAndOffset(strides, offset)))
    return 0;
  int64_t common = line;
  for (int64_t stride : ArrayRef(strides).drop_back(strides.empty() ? 0 : 1))
    if (!ShapedType::isDynamic(stride))
      common = std::gcd(common, stride * type.getElementTypeBitWidth() / 8);
  return std::max(0.0, std::min(bytesOfVector, double(line)) - double(common)) / double(line);
}

/// Ops that generate no instruction.
static bool isFree(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions() > 0 ||
         isa<UnrealizedConversionCastOp, memref::DimOp, memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp,
             memref::ReinterpretCastOp, memref::ExtractAlignedPointerAsIndexOp, LLVM::InsertValueOp,
             LLVM::ExtractValueOp, LLVM::GEPOp, LLVM::PoisonOp, LLVM::ExpectOp, arith::IndexCastOp, arith::BitcastOp,
             vector::BitCastOp, LLVM::BitcastOp, vector::ShapeCastOp>(op);
}

/// Instructions of a division by a constant: a product and shifts.
static double divisionByConstant(Operation *op, const llvm::APInt &divisor, bool isBeside) {
  constexpr double product = 4, remainder = 2;
  bool isRemainder = isa<arith::RemUIOp, arith::RemSIOp>(op);
  return divisor.isPowerOf2() ? 1 : (isBeside ? 0 : product) + (isRemainder ? remainder : 0);
}

static Work workOfInteger(Operation *op) {
  Work work;
  if (std::optional<double> instructions = instructionsOnData(op)) {
    work.scalars = *instructions;
    return work;
  }
  bool divides = isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op);
  bool isRemainder = isa<arith::RemUIOp, arith::RemSIOp>(op);
  llvm::APInt constant;
  bool byConstant = op->getNumOperands() == 2 && matchPattern(op->getOperand(1), m_ConstantInt(&constant));
  if (divides || isRemainder) {
    // The quotient and the remainder of the same two numbers are one division.
    bool isBeside = isRemainder && llvm::any_of(op->getOperand(0).getUsers(), [&](Operation *other) {
                      return isa<arith::DivUIOp, arith::DivSIOp>(other) && other->getOperands() == op->getOperands();
                    });
    if (byConstant)
      work.scalars = divisionByConstant(op, constant, isBeside);
    else
      work.scalarDivisions = !isBeside;
  } else if (isa<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, arith::CmpIOp, arith::SelectOp>(op)) {
    work.scalars = 0.5; // the back end folds about half of them by the bounds of loops
  } else if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
    work.scalars = 1; // sums and products become induction variables of addresses
  }
  return work;
}

/// Whether the index is affine in induction variables, so that it is incremented rather than recomputed.
static bool isLinear(Value index) {
  Operation *op = index.getDefiningOp();
  return !op || op->hasTrait<OpTrait::ConstantLike>() ||
         (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::IndexCastOp>(op) &&
          llvm::all_of(op->getOperands(), isLinear));
}

static Work workOfFloat(Operation *op, double registers, double divided) {
  Work work;
  if (isa<vector::FMAOp, math::FmaOp>(op) || (isa<arith::MulFOp>(op) && !isFusedProduct(op)) || isFusedSum(op))
    work.products = registers;
  else if (isa<arith::DivFOp>(op))
    work.divisions = divided;
  else if (isa<math::SqrtOp>(op))
    work.roots = divided;
  else if (isa<math::RsqrtOp>(op))
    work.divisions = work.roots = divided;
  else if (!isFusedProduct(op) && !isPartOfExtremum(op))
    work.arithmetic = registers;
  // Vectors of different widths are concatenated or split.
  if (isa<arith::ExtFOp, arith::TruncFOp>(op) && isa<VectorType>(op->getResult(0).getType()))
    work.shuffles = registers;
  return work;
}

Work WorkTime::vectorWork(Operation *op) const {
  Work work;
  double registers = registersOf(widthOf(op), machine.lanes);
  bool isVector = isa_and_present<VectorType>(widthOf(op));
  double divided = dividerWork(widthOf(op), machine.lanes);
  if (std::optional<Work> known = workOfLlvm(op, registers, divided))
    return *known;
  if (isFree(op))
    return work;
  if (isLoad(op)) {
    (isVector || op->getNumResults() == 0 ? work.loads : work.broadcasts) = registers;
    work.loadedBytes = op->getNumResults() ? bytesOf(op->getResult(0).getType()) : 0;
    work.splitLoads = work.loads * splitLineShare(op, work.loadedBytes);
  } else if (isStore(op)) {
    work.stores = registers;
    Type stored = widthOf(op);
    for (Value operand : op->getOperands().take_front(isa<vector::MaskedStoreOp>(op) ? 0 : 1))
      stored = operand.getType();
    work.storedBytes = bytesOf(stored);
    work.splitStores = work.stores * splitLineShare(op, work.storedBytes);
  } else if (isa<vector::GatherOp>(op)) {
    work.gathered = double(cast<VectorType>(op->getResult(0).getType()).getNumElements());
    work.loadedBytes = bytesOf(op->getResult(0).getType());
  } else if (auto scatter = dyn_cast<vector::ScatterOp>(op)) {
    work.scattered = double(scatter.getVectorType().getNumElements());
    work.storedBytes = bytesOf(scatter.getVectorType());
  } else if (auto reduction = dyn_cast<vector::ReductionOp>(op)) {
    double steps = std::log2(double(reduction.getSourceVectorType().getNumElements()));
    // Extrema that propagate NaN take more than one instruction.
    bool keepsNan = reduction.getKind() == vector::CombiningKind::MAXIMUMF ||
                    reduction.getKind() == vector::CombiningKind::MINIMUMF;
    work.shuffles = steps;
    work.arithmetic = (keepsNan ? 5 : 1) * steps;
  } else if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    Operation *source = broadcast.getSource().getDefiningOp();
    work.shuffles = source && (isLoad(source) || source->hasTrait<OpTrait::ConstantLike>()) ? 0 : registers;
  } else if (auto shuffle = dyn_cast<vector::ShuffleOp>(op); shuffle && isInsertionOfLoaded(shuffle)) {
    work.arithmetic = registers;
  } else if (isa<vector::ShuffleOp, vector::ExtractOp, vector::InsertOp, vector::TransposeOp,
                 vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp>(op)) {
    work.shuffles = registers;
  } else if (isa<vector::CreateMaskOp>(op)) {
    work.arithmetic = 2;
  } else if (isa<attn::UniformOp>(op)) {
    work.arithmetic = double(costOf(op).instructions) * registers;
  } else if (!isVector && op->getNumResults() == 1 && op->getResult(0).getType().isIntOrIndex()) {
    work = workOfInteger(op);
  } else {
    work = workOfFloat(op, registers, divided);
  }
  return work;
}

bool WorkTime::isWide(Operation *op) const {
  auto vector = dyn_cast_if_present<VectorType>(widthOf(op));
  if (!vector || !vector.hasStaticShape())
    return false;
  int64_t bits = vector.getElementType().isIntOrFloat() ? vector.getElementTypeBitWidth() : 64;
  return vector.getNumElements() * std::max<int64_t>(bits, 32) > 16 * machine.lanes;
}

Work WorkTime::workOf(Operation *op) const {
  Work work = vectorWork(op);
  Type type = widthOf(op), element = type ? getElementTypeOrSelf(type) : Type();
  // Integer products take more than one instruction, on fewer ports; they are not narrow work.
  bool isFloat = element && (element.isF32() || (isa<VectorType>(type) && element.isInteger(1)));
  if (isFloat && !isWide(op)) {
    work.narrow = work.products + work.arithmetic;
    work.narrowProducts = work.products;
  }
  return work;
}

Work WorkTime::fillWork(double bytes) const {
  Work work;
  work.stores = std::ceil(bytes / double(4 * machine.lanes));
  work.storedBytes = bytes;
  return work;
}

double WorkTime::seconds(const Work &work) const {
  // Full-width vectors occupy two half-width ports each; narrow products next to them have half of the ports.
  double wide = work.products + work.arithmetic - work.narrow;
  double products = work.products + (wide > 0 ? work.narrowProducts : 0);
  double narrow = work.narrow / (wide > 0 ? machine.arithmetic : machine.narrow);
  return std::max({products / machine.fma, wide / machine.arithmetic + narrow,
                   work.divisions / machine.divide + work.roots / machine.root, work.shuffles / machine.shuffle,
                   (work.loads + work.splitLoads) / machine.load + work.broadcasts / machine.broadcast,
                   (work.stores + work.splitStores) / machine.store,
                   work.gathered / machine.gather + work.scattered / machine.store, work.scalars / machine.scalar,
                   work.instructions() / machine.issue, work.scalarDivisions / machine.scalarDivide});
}

double WorkTime::addressInstructions(Operation *op) {
  if (!isLoad(op) && !isStore(op))
    return 0;
  ValueRange subscripts;
  llvm::TypeSwitch<Operation *>(op)
      .Case<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp, vector::MaskedStoreOp, memref::LoadOp,
            memref::StoreOp, memref::PrefetchOp>([&](auto access) { subscripts = access.getIndices(); });
  return subscripts.empty() ? 0 : 2 * double(llvm::count_if(subscripts.drop_back(), std::not_fn(isLinear)));
}

/// Latency of an op, in terms of the latencies of additions and multiply-adds.
double WorkTime::latencyOf(Operation *op) const {
  constexpr double division = 4, load = 2, integer = 0.33, scalarDivision = 4;
  Work work = workOf(op);
  double times = 0;
  if (isa<vector::ReductionOp>(op))
    times = work.shuffles + work.arithmetic;
  else if (work.divisions + work.roots > 0)
    times = division * (work.divisions > 0 && work.roots > 0 ? 2 : 1);
  else if (work.scalarDivisions > 0)
    times = scalarDivision;
  else if (work.loads + work.broadcasts + work.gathered > 0)
    times = load;
  else if (work.products + work.arithmetic + work.shuffles > 0)
    return isFusedSum(op) || work.products > 0 ? machine.latency : machine.sumLatency;
  else if (!isFree(op) && op->getNumResults() == 1 && op->getResult(0).getType().isIntOrIndex())
    times = integer;
  return times * machine.latency;
}

double WorkTime::longestPath(Block &block, ArrayRef<BlockArgument> from) const {
  llvm::DenseMap<Value, double> ready;
  for (BlockArgument argument : from)
    ready[argument] = 0;
  double longest = 0;
  for (Operation &op : block) {
    double latest = -1;
    for (Value operand : op.getOperands())
      if (auto found = ready.find(operand); found != ready.end())
        latest = std::max(latest, found->second);
    if (latest < 0)
      continue;
    latest += latencyOf(&op);
    if (op.hasTrait<OpTrait::IsTerminator>())
      longest = std::max(longest, latest);
    for (Value result : op.getResults())
      ready[result] = latest;
  }
  return longest;
}

double WorkTime::criticalPath(Block &block) const {
  constexpr size_t most = 100; // scheduler entries of recent cores
  llvm::DenseMap<Value, double> ready;
  std::priority_queue<double, std::vector<double>, std::greater<>>
      starts; // latest start times of the scheduled instructions
  double longest = 0;
  for (Operation &op : block) {
    double start = starts.size() == most ? starts.top() : 0;
    for (Value operand : op.getOperands())
      if (auto found = ready.find(operand); found != ready.end())
        start = std::max(start, found->second);
    Work work = workOf(&op);
    // Loads have a queue of their own.
    for (double each = work.loads + work.broadcasts + work.stores; each < work.instructions(); ++each) {
      starts.push(start);
      if (starts.size() > most)
        starts.pop();
    }
    double end = start + latencyOf(&op);
    longest = std::max(longest, end);
    for (Value result : op.getResults())
      ready[result] = end;
  }
  return longest;
}

double WorkTime::iterationLatency(Block &body) const {
  if (body.getNumArguments() < 2)
    return 0; // the first argument is the induction variable
  return longestPath(body, body.getArguments().drop_front());
}

double WorkTime::carriedLatency(Block &body, ArrayRef<BlockArgument> carried) const {
  return carried.empty() ? 0 : longestPath(body, carried);
}

/// The buffer argument of a kernel that is accessed, if it may alias another one (a result in place of an operand).
static BlockArgument sharedBuffer(Value accessed) {
  while (Operation *op = accessed.getDefiningOp()) {
    if (auto insert = dyn_cast<LLVM::InsertValueOp>(op))
      accessed = isa<LLVM::LLVMPointerType>(insert.getValue().getType()) ? insert.getValue() : insert.getContainer();
    else if (isa<memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp, UnrealizedConversionCastOp>(op))
      accessed = op->getOperand(0);
    else
      return {};
  }
  auto argument = cast<BlockArgument>(accessed);
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return function && !function.getArgAttr(argument.getArgNumber(), LLVM::LLVMDialect::getNoAliasAttrName())
             ? argument
             : BlockArgument();
}

bool WorkTime::failsForwarding(Block &block) {
  auto any = [&](auto holds) { return llvm::any_of(block, holds); };
  return any([](Operation &op) {
           auto load = dyn_cast<vector::MaskedLoadOp>(op);
           return load && sharedBuffer(load.getBase());
         }) &&
         any([](Operation &op) {
           auto store = dyn_cast<vector::MaskedStoreOp>(op);
           return store && sharedBuffer(store.getBase());
         });
}

double WorkTime::serialLatency(Block &block, double path) const {
  auto any = [&](auto holds) { return llvm::any_of(block, holds); };
  // The scalar choice uses a mask register loaded from a general register, in which the exponential leaves its
  // exponent.
  bool chooses = any([](Operation &op) {
    auto select = dyn_cast<arith::SelectOp>(op);
    return select && select.getType().isF32() && select.getCondition().getDefiningOp<arith::CmpFOp>();
  });
  bool shifts = any([](Operation &op) { return isa<arith::ShLIOp>(op) && op.getResult(0).getType().isInteger(32); });
  constexpr int64_t withMasks = 16; // lanes of processors with mask registers
  return chooses && shifts && machine.lanes >= withMasks ? path : 0;
}

double WorkTime::codeBytes(const Work &work) {
  constexpr double ofVectors = 7, ofScalars = 4; // bytes of an instruction
  return ofVectors * (work.instructions() + work.gathered + work.scattered - work.scalars) + ofScalars * work.scalars;
}

double WorkTime::windowShare(double instructions, double scheduled) {
  // Recent cores: a hundred instructions wait for operands, and as many of a dependence chain have started.
  constexpr double window = 400, most = 200;
  return std::min(1.0, std::max(instructions / window, scheduled / most));
}

} // namespace attnc
