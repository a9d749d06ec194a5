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

    void addLeftOut(const char *code, const fs::path &path, const char *message,
                    Diagnostics &diagnostics)
    {
        diagnostics.count(code, Severity::Warning, { shownPath(path), std::nullopt }, message);
    }

    void addLinkOut(const fs::path &path, Diagnostics &diagnostics)
    {
        addLeftOut(
            "link-left-out", path,
            "is a symbolic link to what lies outside of the folder, and was not followed. If "
            "it is of the job, name it beside the folder: longpole import FOLDER LINK.",
            diagnostics);
    }

    void addNoFile(const fs::path &path, Diagnostics &diagnostics)
    {
        addLeftOut(
            "no-file", path,
            "is a pipe, a socket or a device, from which nothing is read. If a trace comes out "
            "of it, store that as a file and import again, or add it with longpole import "
            "--append.",
            diagnostics);
    }

} // namespace

std::vector<fs::path> filesOfFolder(const fs::path &folder, Diagnostics &diagnostics,
                                    const JobControl &control)
{
    if (const std::error_code error = entering(folder))
        throw Error("cannot be entered: " + error.message()
                        + ". Make the folder and its files readable.",
                    { shownPath(folder), std::nullopt });
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
                addLinkOut(path, diagnostics);
        } else if (fs::is_directory(status) && !isLink) {
            if (const std::error_code entered = entering(path)) {
                it.disable_recursion_pending();
                addUnreadableFolder(path, entered, diagnostics);
            }
        } else if (fs::is_regular_file(status)) {
            files.push_back(path);
        } else if (!fs::is_directory(status)) {
            addNoFile(path, diagnostics);
        }
    }
    return files;
}

} // namespace core
