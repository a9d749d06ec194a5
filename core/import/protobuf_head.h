#pragma once

#include "core/bundle/bundle.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core {

/// Takes a varint from the front of the text; absent where there is none, or it is cut.
std::optional<std::uint64_t> takeVarint(std::string_view &text);

/// The first Importer::HeadSize bytes of an entry that was just opened.
std::string readHead(BundleEntry &entry);

/// The entry from its beginning, for formats whose names stand behind what they name. Throws Error
/// if it cannot be opened again.
std::unique_ptr<BundleEntry> openAgain(const BundleEntry &entry);

} // namespace core
