#pragma once

#include <QString>

#include <cstdint>

namespace ui {

/// A point in time counted from an origin, with just the digits that tell points `stepNs` apart
/// ("1.204 s" for a step of a millisecond). The unit follows the larger of the two.
QString formatInstant(std::int64_t ns, std::int64_t stepNs);

} // namespace ui
