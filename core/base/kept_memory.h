#pragma once

#include <vector>

namespace core {

/// Gives a vector's memory back while the vector lives on, empty. An assignment of {} would keep
/// it: that of an empty list leaves the capacity.
template <class T>
void releaseMemory(std::vector<T> &values)
{
    std::vector<T>().swap(values);
}

/// For a program's beginning: memory that a step of work frees stays with the process for the next
/// one, instead of going back to the system, which hands it out again page by page, each cleared.
/// A toggled setting replays hundreds of thousands of ops in arrays of some megabytes each: a third
/// of its time went into such pages. At most 256 MB are kept for the main thread and for each group
/// of others that share an arena of the allocator; arrays above 32 MB go back at once. Has an
/// effect with glibc only.
void keepFreedMemory();

} // namespace core
