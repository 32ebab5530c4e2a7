//===- ExplainPage.h - an explained model as an HTML page ---------------------------------------------------------===//
//
// One self-contained page (tools/attnc/Page). For each entry point, the page has the graph of launches, the costs of
// kernels as a table and on a roofline (S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 2009), the live ranges
// in the arena, and the share of unmasked query–key pairs by blocks of each mask. There is a roofline only if the model
// has a machine and a kernel has flops; it has no point for a kernel without a prediction, or whose mask depends on
// data. Entry points without numbers are listed with the reason. Then come all decisions with their reasons.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/ExplainedModel/ExplainedModel.h"
#include "tools/attnc/Page/HtmlPage.h"

namespace attnc {

/// The page of an explained model, for writePage().
HtmlPage pageOf(const ExplainedModel &model);

} // namespace attnc
