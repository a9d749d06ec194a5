#include "collectors/format/new_recording.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace collectors {

namespace {

    namespace fs = std::filesystem;

    std::string stemOf(const FileHeader &header)
    {
        std::string name = header.hostName[0] != '\0' ? header.hostName : "host";
        std::replace(name.begin(), name.end(), '/', '_');
        if ((header.flags & FileHasRank) != 0)
            name += '-' + std::to_string(header.rank);
        return name + '-' + std::to_string(header.processId);
    }

    fs::path absoluteFolder(const std::string &folder)
    {
        std::error_code error; // a working folder that was removed: the file says what is wrong
        const fs::path absolute = fs::absolute(folder, error);
        return error ? fs::path(folder) : absolute.lexically_normal();
    }

} // namespace

NewRecording createRecording(const std::string &folder, CollectorKind collector,
                             std::string_view ending)
{
    constexpr int MostFilesOfName = 1000;
    const FileHeader header = describeProcess(collector);
    const fs::path absolute = absoluteFolder(folder);
    std::error_code ignored; // creating the file says what is wrong
    fs::create_directories(absolute, ignored);
    const std::string start = (absolute / stemOf(header)).string();
    NewRecording made;
    for (int number = 1; number <= MostFilesOfName; ++number) {
        made.path = start + (number > 1 ? '-' + std::to_string(number) : "") + '.';
        made.path.append(ending).append(".lp");
        made.file = std::make_unique<RecordFile>(made.path, header);
        if (!made.file->wasThere())
            break;
    }
    made.error = made.file->error();
    if (!made.file->isOpen())
        made.file.reset();
    return made;
}

} // namespace collectors
