#include "core/project/writable_project.h"

#include "core/base/error.h"
#include "core/base/file_exists.h"
#include "core/project/migration.h"
#include "core/project/schema.h"
#include "core/project/unfinished_import.h"

namespace core {

namespace {

    OpenMode modeFor(const std::filesystem::path &path, bool append)
    {
        if (!fileExists(path) && append)
            throw Error("there is no such project to add to; check its name, or leave out --append "
                        "to create it",
                        { path.string(), {} });
        if (!fileExists(path))
            return OpenMode::Create;
        if (!append)
            throw Error("the project exists already; choose another name, or add to it with "
                        "--append",
                        { path.string(), {} });
        return OpenMode::ReadWrite;
    }

} // namespace

WritableProject::WritableProject(const std::filesystem::path &path, bool append,
                                 std::vector<std::string> inputs)
    : m_path(path)
    , m_inputs(std::move(inputs))
    , m_db(std::make_unique<Database>(path, modeFor(path, append)))
{
    rollBackKilledWrite(path);
    // A killed import may have left nothing but the file's name.
    if (std::filesystem::file_size(path) == 0)
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
    // Before WAL: a kill then leaves an empty file or a project, nothing between.
    m_db->execute("PRAGMA page_size = 16384");
    createSchema(*m_db);
    prepareForWriting();
}

void WritableProject::openExisting()
{
    const int version = checkIsProject(*m_db);
    {
        const Transaction probe(*m_db); // says at once if it cannot be written
    }
    if (version != ProjectVersion) {
        m_db = std::make_unique<Database>(m_path, OpenMode::Read);
        readAsCurrent(*m_db, version);
    }
    m_wasUnfinished = readUnfinishedImport(*m_db).has_value();
}

bool WritableProject::begin()
{
    if (m_isWriting)
        return false;
    m_db.reset();
    m_db = std::make_unique<Database>(m_path, OpenMode::ReadWrite);
    bringUpToDate(*m_db);
    prepareForWriting();
    return true;
}

void WritableProject::prepareForWriting()
{
    Statement(*m_db, "PRAGMA journal_mode = WAL").run();
    m_db->execute("PRAGMA synchronous = NORMAL");
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
