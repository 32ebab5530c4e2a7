#include "compiler/Codegen/Host/ArenaSlots.h"

using namespace mlir;

namespace attnc {

ArenaSlots::ArenaSlots(HostFunction &host, const EntryPlan &plan, const std::string &symbol, Value arena,
                       ArrayRef<Value> symbols)
    : host(host), arena(arena) {
  for (unsigned slot = 0; slot < plan.slots.size(); ++slot) {
    offsets.push_back(plan.offset(slot));
    elements.push_back(offsets.back().isConstant() ? std::nullopt : std::optional(count++));
  }
  if (count == 0)
    return;
  emitFunction(plan, symbol);
  addresses = host.stackArray(count);
  SmallVector<Value> operands{arena};
  llvm::append_range(operands, symbols);
  operands.push_back(addresses);
  func::CallOp::create(host.builder, host.location, symbol, TypeRange(), operands);
}

void ArenaSlots::emitFunction(const EntryPlan &plan, const std::string &symbol) {
  SmallVector<Type> arguments{host.pointer};
  arguments.append(plan.symbols.size(), host.builder.getIndexType());
  arguments.push_back(host.pointer);
  auto code = host.function->getParentOfType<ModuleOp>();
  HostFunction slots(code, host.location, symbol, arguments, /*result=*/{});
  slots.function.setPrivate();
  slots.function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(code.getContext(), LLVM::Linkage::Internal));
  slots.function->setAttr("passthrough", slots.builder.getStrArrayAttr({"noinline"}));
  ValueRange given = slots.function.getArguments();
  SmallVector<Value> symbols(given.drop_front().drop_back()), starts;
  for (const Slot &slot : plan.slots) {
    auto end = [&](unsigned before) {
      Value bytes = plan.slots[before].bytes.materialise(slots.builder, slots.location, symbols);
      return slots.advance(starts[before], bytes);
    };
    starts.push_back(slot.behind ? end(*slot.behind) : slot.within ? starts[*slot.within] : Value(given.front()));
    if (std::optional<unsigned> element = elements[starts.size() - 1])
      slots.store(starts.back(), given.back(), *element);
  }
  slots.returnNothing();
}

Value ArenaSlots::address(unsigned slot) {
  if (elements[slot])
    return host.loadPointer(addresses, *elements[slot]);
  return offsets[slot] == SizeExpr(0) ? arena : host.advance(arena, host.number(offsets[slot].constant()));
}

} // namespace attnc
