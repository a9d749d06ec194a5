#pragma once

#include <string_view>

namespace tests {

/// A parameter server (rank 0) and two workers, in us. Rank 2's gradient comes 30 us after rank
/// 1's: rank 1's pull waits for it, and both wait for the update.
///
///     rank 1  backward [0,20)  PUSH [20,40)  PULL [40..90 waits, 100)
///     rank 2  backward [0,50)  PUSH [50,70)  PULL [70..85 waits, 95)
///     rank 0  RECV 1 [0..20 waits, 40)  RECV 2 [0..50 waits, 70)  SEND 1 [90,100)  SEND 2 [85,95)
inline constexpr std::string_view ParameterServerJob = R"(
    rank 0
    iteration 0 0 100
    comm RECV~1
    RECV~w~1 0 40 bytes=4000 tensor=w from=1
    comm RECV~2
    RECV~w~2 0 70 bytes=4000 tensor=w from=2
    comm SEND~1
    SEND~w~1 90 10 bytes=4000 tensor=w to=1
    comm SEND~2
    SEND~w~2 85 10 bytes=4000 tensor=w to=2
    rank 1
    iteration 0 0 100
    thread main
    aten::mm 0 20 phase=backward
    comm PUSH
    PUSH~w 20 20 bytes=4000 tensor=w to=0
    comm PULL
    PULL~w 40 60 bytes=4000 tensor=w from=0
    rank 2
    iteration 0 0 100
    thread main
    aten::mm 0 50 phase=backward
    comm PUSH
    PUSH~w 50 20 bytes=4000 tensor=w to=0
    comm PULL
    PULL~w 70 25 bytes=4000 tensor=w from=0
)";

} // namespace tests
