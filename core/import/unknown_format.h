#pragma once

#include <string>
#include <string_view>

namespace core {

/// What a file that no importer recognises is.
struct UnknownFile
{
    std::string message; ///< what it seems to be, and what to do
    bool isTrace = false; ///< a trace that cannot be read, as opposed to no trace at all
    bool isEmpty = false; ///< has no byte, or is a trace without events
    bool belongsToTraces = false; ///< nothing is lost without it: the traces beside it are enough
};

/// A sentence on what a file that no importer recognises seems to be, and what to do: for example
/// "is a Perfetto trace, which cannot be read yet. Convert it with: ...".
/// `head` is the beginning of the (inflated) contents, Importer::HeadSize bytes if there are as
/// many.
UnknownFile describeUnknown(std::string_view entryName, std::string_view head);

} // namespace core
