#include "core/project/write/writable_project.h"

#include "core/base/error.h"
#include "core/base/file_exists.h"
#include "core/base/link_target.h"
#include "core/base/sqlite_magic.h"
#include "core/project/project_file.h"
#include "core/project/schema/migration.h"
#include "core/project/schema/schema.h"
#include "core/project/write/unfinished_import.h"

#include <string_view>

namespace core {

namespace {

    namespace fs = std::filesystem;

    /// By its first bytes; true of what cannot be read, too.
    bool isDatabase(const fs::path &path)
    {
        try {
            return Database(path, OpenMode::Read).head(SqliteMagic.size()) == SqliteMagic;
        } catch (const Error &) {
            return true;
        }
    }

    [[noreturn]] void refuseExisting(const fs::path &path)
    {
        std::error_code unreadable;
        const bool isEmpty = fs::is_regular_file(path, unreadable)
            && fs::file_size(path, unreadable) == 0 && !unreadable;
        if (isEmpty || isUnfinishedProject(path))
            throw Error("the project exists already, and an import into it is unfinished. To go "
                        "on with it, "
                            + std::string(HowToGoOn)
                            + "; to begin anew, remove the project, or choose another name",
                        { path.string(), {} });
        if (!isDatabase(path))
            throw Error("a file of this name exists already, and it is no Longpole project; choose "
                        "another name",
                        { path.string(), {} });
        throw Error("the project exists already; choose another name, or add to it with --append",
                    { path.string(), {} });
    }

    /// Whether the project is to be created. Throws Error where it must not be, or must.
    bool isNew(const fs::path &path, bool append)
    {
        const bool exists = fileExists(path);
        if (!exists && append)
            throw Error("there is no such project to add to; check its name, or leave out --append "
                        "to create it",
                        { path.string(), {} });
        if (exists && !append)
            refuseExisting(path);
        return !exists;
    }

    /// A project gets its name only when it says what is imported into it: whoever kills an import
    /// before leaves a file of another name, which the next import removes.
    class NewProject
    {
    public:
        explicit NewProject(const fs::path &path)
            : m_target(linkTarget(path))
            , m_part(m_target.string() + ".import.part")
        {
            removePart();
        }
        ~NewProject() { removePart(); }
        NewProject(const NewProject &) = delete;
        NewProject &operator=(const NewProject &) = delete;

        void write(const std::vector<std::string> &inputs) const
        {
            Database db(m_part, OpenMode::Create);
            db.execute("PRAGMA page_size = 16384"); // before anything is there
            createSchema(db);
            Transaction marking(db);
            markUnfinishedImport(db, inputs);
            marking.commit();
        }
        void giveName() const { fs::rename(m_part, m_target); }

    private:
        void removePart() const
        {
            std::error_code ignored;
            for (const char *suffix : { "", "-journal" })
                fs::remove(m_part.string() + suffix, ignored);
        }

        fs::path m_target, m_part;
    };

    void createProject(const fs::path &path, const std::vector<std::string> &inputs)
    {
        try {
            const NewProject project(path);
            project.write(inputs);
            project.giveName();
        } catch (const Error &error) {
            throw Error(error.message(), { path.string(), {} });
        } catch (const fs::filesystem_error &error) {
            throw Error("cannot create the project: " + error.code().message(),
                        { path.string(), {} });
        }
    }

} // namespace

WritableProject::WritableProject(const fs::path &path, bool append, std::vector<std::string> inputs)
    : m_path(path)
    , m_inputs(std::move(inputs))
{
    if (isNew(path, append)) {
        createNew();
        return;
    }
    m_db = std::make_unique<Database>(path, OpenMode::ReadWrite);
    rollBackKilledWrite(path);
    if (fs::file_size(path) == 0) // of an import that was killed as it began
        createNew();
    else
        openExisting();
}

WritableProject::~WritableProject()
{
    if (!m_db) // it could not be opened for writing
        return;
    m_db->tryExecute("PRAGMA wal_checkpoint(TRUNCATE)");
    m_db->tryExecute("PRAGMA journal_mode = DELETE");
}

void WritableProject::createNew()
{
    m_db.reset();
    createProject(m_path, m_inputs);
    m_db = std::make_unique<Database>(m_path, OpenMode::ReadWrite);
    prepareForWriting();
}

void WritableProject::openExisting()
{
    bringUpToDate(m_path);
    checkIsProject(*m_db);
    {
        const Transaction probe(*m_db); // says at once if it cannot be written
    }
    m_wasUnfinished = readUnfinishedImport(*m_db).has_value();
}

bool WritableProject::begin()
{
    if (m_isWriting)
        return false;
    prepareForWriting();
    return true;
}

void WritableProject::prepareForWriting()
{
    Statement(*m_db, "PRAGMA journal_mode = WAL").run();
    m_db->execute("PRAGMA synchronous = FULL");
    m_db->execute("PRAGMA cache_size = -8192"); // KiB: chunks are written once and not read back
    m_db->execute("PRAGMA wal_autocheckpoint = 1000");
    Transaction marking(*m_db);
    markUnfinishedImport(*m_db, m_inputs);
    marking.commit();
    m_isWriting = true;
}

void WritableProject::checkpoint()
{
    try {
        Statement(*m_db, "PRAGMA wal_checkpoint(TRUNCATE)").run();
    } catch (const Error &error) {
        const std::string file = m_path.filename().string();
        const std::string &why = error.message();
        throw Error(why + (why.ends_with('.') ? "" : ".") + " What was read is kept in " + file
                        + "-wal: leave it beside " + file
                        + ", which is damaged without it, and copy neither of them alone. To "
                          "complete the project, free space, then "
                        + std::string(HowToGoOn) + '.',
                    { m_path.string(), {} });
    }
}

void WritableProject::leaveOneFile()
{
    checkpoint();
    // Fails only while someone reads the project; it then stays in WAL mode, as valid as before.
    m_db->tryExecute("PRAGMA journal_mode = DELETE");
}

} // namespace core
