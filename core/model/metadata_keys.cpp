#include "core/model/metadata_keys.h"

namespace core {

std::string acceleratorWord(std::span<const JobMetadata> metadata, const Worker &worker)
{
    for (const std::string &file : worker.files) {
        const std::string name = file + '#' + std::string(AcceleratorKey);
        for (const JobMetadata &one : metadata)
            if (one.name == name)
                return one.text;
    }
    return "GPU";
}

} // namespace core
