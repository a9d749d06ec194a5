#include "core/bundle/folder_files.h"

#include "core/base/error.h"
#include "core/bundle/file_state.h"
#include "core/bundle/pseudo_folder.h"
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

    /// What a folder holds that is not read, by one code; a folder may hold millions of them.
    class LeftOutFiles
    {
    public:
        /// `what` is said of those that are not named, behind "Further files ".
        LeftOutFiles(const char *code, Severity severity, const char *what,
                     Diagnostics &diagnostics)
            : m_code(code)
            , m_severity(severity)
            , m_what(what)
            , m_diagnostics(diagnostics)
        {
        }

        void add(const fs::path &path, const std::string &message)
        {
            const bool isNamed = m_named < MostLeftOutNamed;
            m_named += isNamed ? 1 : 0;
            m_diagnostics.add({ m_code,
                                m_severity,
                                1,
                                isNamed ? shownPath(path) : std::string(),
                                {},
                                isNamed ? message : std::string("Further files ") + m_what,
                                /*losesRecords=*/false });
        }

    private:
        const char *m_code;
        Severity m_severity;
        const char *m_what;
        Diagnostics &m_diagnostics;
        std::size_t m_named = 0;
    };

    /// All that a folder holds and that is left out.
    class LeftOut
    {
    public:
        explicit LeftOut(Diagnostics &diagnostics)
            : m_links("link-left-out", Severity::Warning,
                      "are symbolic links to what lies outside of their folder, and were not "
                      "followed, either.",
                      diagnostics)
            , m_noFiles("no-file", Severity::Warning, "are pipes, sockets or devices, too.",
                        diagnostics)
            , m_files("unreadable-file", Severity::Error,
                      "cannot be read, or are symbolic links to files that do not exist. Make them "
                      "readable, or copy what they stand for beside the others, and import again.",
                      diagnostics)
            , m_folders("unreadable-folder", Severity::Error,
                        "were not read, as the folders that they are in cannot be entered, either. "
                        "Make these and what they hold readable, and import again.",
                        diagnostics)
        {
        }

        void addLink(const fs::path &path)
        {
            m_links.add(path,
                        "is a symbolic link to what lies outside of the folder, and was not "
                        "followed. If it is of the job, name it beside the folder: longpole import "
                        "FOLDER LINK.");
        }

        void addNoFile(const fs::path &path)
        {
            m_noFiles.add(
                path,
                "is a pipe, a socket, a device or the kernel's own, from which nothing is "
                "read. If a trace "
                "comes out of it, store that as a file and import again, or add it with "
                "longpole import --append.");
        }

        void addFile(const fs::path &path, const std::error_code &error)
        {
            const bool isDangling = error == std::errc::no_such_file_or_directory;
            m_files.add(path,
                        isDangling
                            ? "is a symbolic link to a file that does not exist. Copy the file "
                              "that it stands for beside the others and import again, or add "
                              "it with longpole import --append."
                            : "cannot be read (" + error.message()
                                + "). Make it readable and import again, or add it with longpole "
                                  "import --append.");
        }

        void addFolder(const fs::path &path, const std::error_code &error)
        {
            m_folders.add(path,
                          "cannot be entered (" + error.message()
                              + "): no file in it was read. Make the folder and its files readable "
                                "and import again, or add them with longpole import --append.");
        }

    private:
        LeftOutFiles m_links, m_noFiles, m_files, m_folders;
    };

} // namespace

std::vector<std::string> filesOfFolder(const fs::path &folder, Diagnostics &diagnostics,
                                       const JobControl &control)
{
    if (const std::error_code error = entering(folder))
        throw Error("cannot be entered: " + error.message()
                        + ". Make the folder and its files readable.",
                    { shownPath(folder), std::nullopt });
    if (const std::string_view kind = pseudoFileSystemOf(folder); !kind.empty())
        throw Error("is in a file system of the kernel's own (" + std::string(kind)
                        + "), in which no traces are stored. Name the files or folders of traces.",
                    { shownPath(folder), std::nullopt });
    LeftOut leftOut(diagnostics);
    std::vector<std::string> files;
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
            leftOut.addFile(path, error);
        } else if (isLink && leadsOut(path, folder)) {
            if (!isInEnvironment(path, folder))
                leftOut.addLink(path);
        } else if (fs::is_directory(status) && !isLink) {
            if (const std::error_code entered = entering(path)) {
                it.disable_recursion_pending();
                leftOut.addFolder(path, entered);
            } else if (!pseudoFileSystemOf(path).empty()) {
                it.disable_recursion_pending();
                leftOut.addNoFile(path);
            }
        } else if (fs::is_regular_file(status)) {
            files.push_back(path.native());
        } else if (!fs::is_directory(status)) {
            leftOut.addNoFile(path);
        }
    }
    return files;
}

} // namespace core
