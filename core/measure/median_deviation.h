#pragma once

namespace core {

/// A normal distribution's standard deviation by the median of its values' absolute ones: of what
/// that median is told from, up to half may be far off (Hampel, JASA 69, 1974).
inline constexpr double DeviationOfMedian = 1.4826;

} // namespace core
