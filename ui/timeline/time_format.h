#pragma once

#include <QString>

#include <cstdint>

namespace ui {

/// A point in time counted from an origin, with just the digits that tell points `stepNs` apart
/// ("1.204 s" for a step of a millisecond). The unit follows the largest of the three; `scaleNs` is
/// the largest instant shown beside it, so that a ruler has one unit.
QString formatInstant(std::int64_t ns, std::int64_t stepNs, std::int64_t scaleNs = 0);

} // namespace ui
