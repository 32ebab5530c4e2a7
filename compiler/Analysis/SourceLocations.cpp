#include "compiler/Analysis/SourceLocations.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace attnc {

static void collectPlaces(Location location, SmallVectorImpl<std::string> &places) {
  if (auto file = dyn_cast<FileLineColRange>(location)) {
    std::string place = file.getFilename().str() + ":" + std::to_string(file.getStartLine()) + ":" +
                        std::to_string(file.getStartColumn());
    if (!llvm::is_contained(places, place))
      places.push_back(place);
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location each : fused.getLocations())
      collectPlaces(each, places);
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    collectPlaces(name.getChildLoc(), places);
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collectPlaces(call.getCallee(), places);
  }
}

SmallVector<std::string> placesOf(Location location) {
  SmallVector<std::string> places;
  collectPlaces(location, places);
  return places;
}

std::string placeOf(Operation *op) {
  SmallVector<std::string> places = placesOf(op->getLoc());
  return places.empty() ? op->getName().getStringRef().str() : places.front();
}

} // namespace attnc
