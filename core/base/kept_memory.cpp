#include "core/base/kept_memory.h"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace core {

void keepFreedMemory()
{
#if defined(M_TRIM_THRESHOLD) && defined(M_MMAP_THRESHOLD)
    // glibc's own largest: arrays up to it come from memory that can be kept.
    constexpr int LargestKeptArray = 32 << 20;
    constexpr int MostKept = 256 << 20;
    if (mallopt(M_MMAP_THRESHOLD, LargestKeptArray) == 1)
        mallopt(M_TRIM_THRESHOLD, MostKept);
#endif
}

} // namespace core
