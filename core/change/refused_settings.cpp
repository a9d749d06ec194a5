#include "core/change/refused_settings.h"

#include "core/base/error.h"

#include <algorithm>
#include <vector>

namespace core {

namespace {

    std::string setKeysText(const ScenarioSettings &settings,
                            std::initializer_list<std::string_view> keys)
    {
        std::vector<std::string> set;
        for (const auto &[key, value] : settings.list())
            if (std::find(keys.begin(), keys.end(), key.substr(0, key.find(':'))) != keys.end())
                set.push_back(key);
        std::string text;
        for (std::size_t i = 0; i < set.size(); ++i)
            text += (i == 0 ? "" : i + 1 < set.size() ? ", " : " and ") + set[i];
        return text;
    }

} // namespace

void refuseFor(const std::optional<std::string> &obstacle, const ScenarioSettings &settings,
               std::initializer_list<std::string_view> keys)
{
    if (obstacle)
        throw Error(setKeysText(settings, keys) + " cannot be changed on this trace: " + *obstacle);
}

} // namespace core
