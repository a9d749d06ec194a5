#pragma once

#include "core/import/importer.h"

#include <cstdint>
#include <string_view>

namespace core {

/// Gets the contents of a JSON file whose outermost object has one long list of objects.
class JsonListConsumer
{
public:
    virtual ~JsonListConsumer() = default;
    /// One object of the list as it stands in the file (balanced, but its members may make no
    /// sense). False: it is none of the list's, which is damage.
    virtual bool addObject(std::string_view text, std::uint64_t offset) = 0;
    /// A member of the outermost object other than the list; `value` as it stands in the file.
    virtual void addMember(std::string_view, std::string_view, std::uint64_t) { }
};

/// Reads `{..., "listKey": [{...}, ...], ...}` in one pass with bounded memory. Damage costs the
/// damaged place: reading goes on at the next whole object that the consumer takes, and one
/// diagnostic counts what was lost. Throws Error if there is no such list, and Cancelled.
void readJsonObjectList(BundleEntry &entry, std::string_view listKey, Diagnostics &diagnostics,
                        JsonListConsumer &consumer, const JobControl &control);

} // namespace core
