#pragma once

#include "core/fit/links/link_model.h"

#include <QString>

#include <vector>

namespace ui {

/// Of one or more links that which carries most: of it the panel tells, and its rate is where the
/// bandwidth begins. One within a host is not what the bandwidth sets.
const core::LinkModel &mainLink(const std::vector<core::LinkModel> &links);

/// What was fitted of mainLink(), in sentences.
QString linkParagraph(const std::vector<core::LinkModel> &links);

} // namespace ui
