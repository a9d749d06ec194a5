#pragma once

#include "core/model/category.h"
#include "core/model/trace.h"

#include <string_view>

namespace core {

/// What slices of one of Kineto's categories are, and on what kind of row they lie.
struct KinetoCategory
{
    std::string_view name;
    Category category = Category::Other;
    TrackKind track = TrackKind::HostThread;
    bool isKnown = true; ///< one of Kineto's
};

/// Old and new names of all accelerators; a category that is not known gives Other on a row of its
/// own kind.
KinetoCategory kinetoCategory(std::string_view name);

/// True if the text holds an event's category that only Kineto writes.
bool mentionsKinetoCategory(std::string_view json);

} // namespace core
