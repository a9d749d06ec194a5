#pragma once

#include <string>
#include <string_view>

namespace core {

/// A sentence on what a file that no importer recognises seems to be, and what to do: for example
/// "is a PyTorch execution trace (ExecutionTraceObserver), which cannot be read yet; ...".
/// `head` is the beginning of the (inflated) contents, Importer::HeadSize bytes if there are as
/// many.
std::string describeUnknown(std::string_view entryName, std::string_view head);

} // namespace core
