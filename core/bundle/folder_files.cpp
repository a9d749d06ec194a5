#include "core/bundle/folder_files.h"

#include "core/base/error.h"
#include "core/bundle/file_state.h"
#include "core/bundle/shown_name.h"

#include <string>
#include <system_error>

namespace core {

namespace fs = std::filesystem;

namespace {

    /// Why the folder cannot be entered; no error where it can.
    std::error_code entering(const fs::path &folder)
    {
        std::error_code error;
        const fs::directory_iterator entered(folder, error);
        return error;
    }

    bool leadsOut(const fs::path &link, const fs::path &folder)
    {
        std::error_code error;
        const fs::path target = fs::canonical(link, error);
        if (error)
            return true;
        const fs::path relative = target.lexically_relative(fs::canonical(folder, error));
        return error || relative.empty() || *relative.begin() == "..";
    }

    /// Python's virtual environments link to the interpreter that made them, which is no trace.
    bool isInEnvironment(fs::path path, const fs::path &folder)
    {
        std::error_code ignored;
        while (path != folder && path.has_relative_path()) {
            path = path.parent_path();
            if (fs::exists(path / "pyvenv.cfg", ignored))
                return true;
        }
        return false;
    }

    void addUnreadable(const char *code, const fs::path &path, const std::string &message,
                       Diagnostics &diagnostics)
    {
        diagnostics.add({ code, Severity::Error, 1, shownPath(path), {}, message, false });
    }

    void addUnreadableFolder(const fs::path &path, const std::error_code &error,
                             Diagnostics &diagnostics)
    {
        addUnreadable("unreadable-folder", path,
                      "cannot be entered (" + error.message()
                          + "): no file in it was read. Make the folder and its files readable and "
                            "import again, or add them with longpole import --append.",
                      diagnostics);
    }

    void addUnreadableFile(const fs::path &path, const std::error_code &error,
                           Diagnostics &diagnostics)
    {
        const bool isDangling = error == std::errc::no_such_file_or_directory;
        addUnreadable(
            "unreadable-file", path,
            isDangling ? "is a symbolic link to a file that does not exist. Copy the file "
                         "that it stands for beside the others and import again, or add "
                         "it with longpole import --append."
                       : "cannot be read (" + error.message()
                    + "). Make it readable and import again, or add it with longpole import "
                      "--append.",
            diagnostics);
    }

    /// What a folder holds that is not read, by one code; a folder may hold millions of them.
    class LeftOutFiles
    {
    public:
        /// `what` names them behind "Further files are".
        LeftOutFiles(const char *code, const char *message, const char *what,
                     Diagnostics &diagnostics)
            : m_code(code)
            , m_message(message)
            , m_what(what)
            , m_diagnostics(diagnostics)
        {
        }

        void add(const fs::path &path)
        {
            if (m_named < MostLeftOutNamed) {
                ++m_named;
                m_diagnostics.count(m_code, Severity::Warning, { shownPath(path), {} }, m_message);
            } else {
                m_diagnostics.count(m_code, Severity::Warning, {},
                                    std::string("Further files are ") + m_what + ".");
            }
        }

    private:
        const char *m_code, *m_message, *m_what;
        Diagnostics &m_diagnostics;
        std::size_t m_named = 0;
    };

    LeftOutFiles linksOut(Diagnostics &diagnostics)
    {
        return LeftOutFiles(
            "link-left-out",
            "is a symbolic link to what lies outside of the folder, and was not followed. If "
            "it is of the job, name it beside the folder: longpole import FOLDER LINK.",
            "symbolic links to what lies outside of their folder, and were not followed, either",
            diagnostics);
    }

    LeftOutFiles noFiles(Diagnostics &diagnostics)
    {
        return LeftOutFiles(
            "no-file",
            "is a pipe, a socket or a device, from which nothing is read. If a trace comes out "
            "of it, store that as a file and import again, or add it with longpole import "
            "--append.",
            "pipes, sockets or devices, too", diagnostics);
    }

} // namespace

std::vector<fs::path> filesOfFolder(const fs::path &folder, Diagnostics &diagnostics,
                                    const JobControl &control)
{
    if (const std::error_code error = entering(folder))
        throw Error("cannot be entered: " + error.message()
                        + ". Make the folder and its files readable.",
                    { shownPath(folder), std::nullopt });
    LeftOutFiles links = linksOut(diagnostics), others = noFiles(diagnostics);
    std::vector<fs::path> files;
    // What cannot be entered is asked before the iterator would leave it out without a word.
    const auto options = fs::directory_options::skip_permission_denied;
    for (auto it = fs::recursive_directory_iterator(folder, options);
         it != fs::recursive_directory_iterator(); ++it) {
        throwIfCancelled(control);
        const fs::path &path = it->path();
        const bool isLink = it->is_symlink();
        std::error_code error;
        const fs::file_status status = fs::status(path, error);
        if (path.filename().string().starts_with('.')) {
            it.disable_recursion_pending();
        } else if (error == std::errc::no_such_file_or_directory && !isLink) {
            it.disable_recursion_pending();
            diagnostics.add(goneBeforeListed(path));
        } else if (error) {
            it.disable_recursion_pending();
            addUnreadableFile(path, error, diagnostics);
        } else if (isLink && leadsOut(path, folder)) {
            if (!isInEnvironment(path, folder))
                links.add(path);
        } else if (fs::is_directory(status) && !isLink) {
            if (const std::error_code entered = entering(path)) {
                it.disable_recursion_pending();
                addUnreadableFolder(path, entered, diagnostics);
            }
        } else if (fs::is_regular_file(status)) {
            files.push_back(path);
        } else if (!fs::is_directory(status)) {
            others.add(path);
        }
    }
    return files;
}

} // namespace core
