#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace core {

/// A duration for people, in as many significant digits and with a unit: "823 ns", "49.00 us",
/// "662.4 ms", "2.500 s", from a minute on in two units: "2 min 5 s", "3 h 0 min", "1 day 7 h",
/// "3 years 356 days". The sign is kept. The command line and the
/// window write every duration so.
std::string durationText(std::int64_t ns, int digits = 4);

/// A difference of clocks, with a sign, whose digits go down to the second one of what it may be
/// off by, in seconds from one on: "+3600.123456 s" with 12 us, where durationText() would leave
/// "1 h 0 min". At least 4 significant digits; all that are not 0, to the nanosecond, with
/// uncertaintyNs 0: what a user set. "0 ns" without a sign.
std::string offsetText(std::int64_t ns, std::int64_t uncertaintyNs);

/// 0.166 -> "17 %"; below ten percent with one decimal.
std::string percentText(double fraction);

/// "1 collective", "3 collectives".
std::string countText(std::size_t count, const std::string &noun);

/// A rate of data that was measured or fitted, in bytes a second and 3 digits: "47.1 MB/s",
/// "197 GB/s". The argument is in Mbit/s. The rule of all texts and of the window: bytes a second,
/// but Mbit/s (nominalRateText()) for the nominal rate of a network, which a job states so, for
/// `bandwidth_mbit`, which counts it, and for what is set against one in the same sentence.
std::string rateText(double mbitPerSec);

/// A nominal rate of a network: "500 Mbit/s", "2.50 Mbit/s", "100000 Mbit/s".
std::string nominalRateText(double mbitPerSec);

/// "25 MiB", "2.49 MiB", "512 bytes".
std::string bytesText(std::uint64_t bytes);

} // namespace core
