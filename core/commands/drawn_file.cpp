#include "core/commands/drawn_file.h"

#include "core/base/ascii_text.h"
#include "core/base/error.h"
#include "core/commands/output_file.h"
#include "core/commands/profile/job_process.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <list>
#include <string_view>

namespace core {

namespace {

    std::filesystem::path drawingProgram(const std::string &suffix)
    {
        std::error_code error;
        const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
        std::filesystem::path program = own.parent_path() / "longpole-ui";
        if (error || !std::filesystem::exists(program, error))
            throw Error(
                "a " + suffix + " is drawn by longpole-ui, which is not beside longpole. Write "
                + (suffix == ".pdf" ? ".html" : ".svg") + " instead, or install the window, too.");
        return program;
    }

    /// A new file of a name that nobody else has; removed at its end.
    class TemporaryFile
    {
    public:
        TemporaryFile()
        {
            constexpr std::string_view Suffix = ".svg";
            m_path = (std::filesystem::temp_directory_path() / "longpole-picture-XXXXXX").string()
                + std::string(Suffix);
            const int file = mkstemps(m_path.data(), Suffix.size());
            if (file < 0)
                throw Error("cannot write " + m_path + ": " + std::strerror(errno));
            close(file);
        }
        ~TemporaryFile()
        {
            std::error_code ignored;
            std::filesystem::remove(m_path, ignored);
        }
        TemporaryFile(const TemporaryFile &) = delete;
        TemporaryFile &operator=(const TemporaryFile &) = delete;
        const std::string &path() const { return m_path; }

    private:
        std::string m_path;
    };

} // namespace

void writeDrawn(const std::filesystem::path &file, const std::vector<std::string> &pictures)
{
    const std::filesystem::path program = drawingProgram(lowered(file.extension().string()));
    std::list<TemporaryFile> drawn;
    std::vector<std::string> words { program.string() };
    for (const std::string &picture : pictures) {
        writeFile(drawn.emplace_back().path(), picture);
        words.insert(words.end(), { "--render", drawn.back().path() + "=" + file.string() });
    }
    Environment environment = ownEnvironment();
    environment["QT_QPA_PLATFORM"] = "offscreen";
    environment["QT_LOGGING_RULES"] = "*.warning=false"; // of a session that there is none of
    if (runJob(words, environment) != 0)
        throw Error("longpole-ui could not draw " + file.string() + " (see above)");
}

} // namespace core
