#include "added_file.h"
#include "core/project/project_file.h"
#include "core/project/read/project_reader.h"
#include "core/project/schema/migration.h"
#include "core/project/schema/schema.h"
#include "core/project/write/clocks_by_hand.h"
#include "core/project/write/unfinished_import.h"

#include <QTest>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>

using namespace core;
using tests::addFile;
using tests::readBytes;
using tests::TemporaryProject;

namespace {

void writeText(const std::filesystem::path &path, const std::string &text)
{
    std::ofstream(path, std::ios::binary) << text;
}

QString messageOf(const std::function<void()> &work)
{
    try {
        work();
        return QStringLiteral("no error");
    } catch (const Error &error) {
        return QString::fromUtf8(error.what());
    }
}

QString openingError(const std::filesystem::path &path)
{
    return messageOf([&path] { const ProjectReader reader(path); });
}

void addProject(const std::filesystem::path &path, std::size_t slices = 10)
{
    ProjectWriter writer(path, false);
    QVERIFY(addFile(writer, "a", 0, slices));
    writer.finish();
}

void setVersion(const std::filesystem::path &path, int version)
{
    Database(path, OpenMode::ReadWrite).execute("PRAGMA user_version = " + std::to_string(version));
}

std::int64_t integerOf(const std::filesystem::path &path, std::string_view sql)
{
    Database db(path, OpenMode::Read);
    return db.integer(sql);
}

std::string backupOf(const std::filesystem::path &path, int version)
{
    return path.string() + ".v" + std::to_string(version) + ".bak";
}

std::ptrdiff_t filesBeside(const std::filesystem::path &path)
{
    const auto folder = std::filesystem::directory_iterator(path.parent_path());
    return std::distance(begin(folder), end(folder));
}

/// Uses everything of a project. Damage may throw Error, and nothing else.
bool readsOrFailsCleanly(const std::filesystem::path &path)
{
    try {
        const ProjectReader reader(path);
        const Trace trace = reader.readTrace({});
        for (const Track &track : trace.tracks) {
            reader.readWindow(track.id, track.range, 0);
            reader.readWindow(track.id, track.range, track.range.durationNs() / 500 + 1);
            reader.slice(track.firstSlice);
        }
        reader.findByName("op1", 100);
        reader.query("SELECT *, length(args) FROM slice", 100'000, {});
        return true;
    } catch (const Error &) {
        return true;
    } catch (...) {
        return false;
    }
}

/// A descriptor of a file that is not closed before its end: that would drop the process's locks.
class KeptOpen
{
public:
    explicit KeptOpen(const std::filesystem::path &path)
        : m_descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC))
    {
    }
    ~KeptOpen() { ::close(m_descriptor); }
    KeptOpen(const KeptOpen &) = delete;
    KeptOpen &operator=(const KeptOpen &) = delete;

    /// Whether SQLite holds a lock, also one of this process. Its bytes:
    /// https://www.sqlite.org/src/file/src/os.h, PENDING_BYTE.
    bool isLocked() const
    {
        struct flock lock = {};
        lock.l_type = F_WRLCK;
        lock.l_whence = SEEK_SET;
        lock.l_start = 0x40000000;
        lock.l_len = 512;
        return ::fcntl(m_descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    }

private:
    int m_descriptor;
};

} // namespace

class TestProjectFile : public QObject
{
    Q_OBJECT

private slots:
    void aFinishedProjectIsOneFile();
    void whatIsNoProjectIsRefusedByName_data();
    void whatIsNoProjectIsRefusedByName();
    void anotherVersionIsRefusedAndLeftAsItIs_data();
    void anotherVersionIsRefusedAndLeftAsItIs();
    void anotherProgramsDatabaseIsRefused();
    void lookingAtAProjectKeepsTheLocksOnIt();
    void anUpgradeKeepsACopyAndIsDoneOnce();
    void anUpgradeThatFailsChangesNothing();
    void withoutACopyThereIsNoUpgrade();
    void noMigrationConcernsAVersionThatItDoesNotKnow();
    void whatAKilledProgramHadBegunIsUndone();
    void anExistingProjectIsNotOverwritten();
    void damageIsAnErrorNeverACrash();
};

void TestProjectFile::aFinishedProjectIsOneFile()
{
    const TemporaryProject file;
    addProject(file.path);
    QCOMPARE(filesBeside(file.path), 1);
}

void TestProjectFile::whatIsNoProjectIsRefusedByName_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("message");
    QTest::newRow("empty") << QByteArray()
                           << QStringLiteral("which was interrupted. To begin again");
    QTest::newRow("trace") << QByteArray("{\"traceEvents\": []}") << QStringLiteral("a JSON file");
    QTest::newRow("gzip") << QByteArray("\x1f\x8b\x08 more") << QStringLiteral("a gzip file");
    QTest::newRow("zip") << QByteArray("PK\x03\x04 more") << QStringLiteral("a .zip archive");
    QTest::newRow("noise") << QByteArray(5000, 'x') << QStringLiteral("something else");
}

void TestProjectFile::whatIsNoProjectIsRefusedByName()
{
    QFETCH(const QByteArray, content);
    QFETCH(const QString, message);
    const TemporaryProject file;
    writeText(file.path, content.toStdString());
    const QString error = openingError(file.path);
    QVERIFY2(error.contains(message), qPrintable(error));
    QVERIFY2(error.contains(QString::fromStdString(file.path)), qPrintable(error));
    std::filesystem::remove(file.path);
    QVERIFY(openingError(file.path).contains(QStringLiteral("no such project file")));
}

void TestProjectFile::anotherVersionIsRefusedAndLeftAsItIs_data()
{
    QTest::addColumn<int>("version");
    for (const int version : { 0, ProjectVersion + 1, 8, 99 })
        QTest::addRow("%d", version) << version;
}

void TestProjectFile::anotherVersionIsRefusedAndLeftAsItIs()
{
    QFETCH(const int, version);
    const TemporaryProject file;
    addProject(file.path);
    setVersion(file.path, version);
    const std::string before = readBytes(file.path);
    const std::function<void()> openings[] = { [&] { const ProjectReader reader(file.path); },
                                               [&] { ProjectWriter(file.path, true).finish(); },
                                               [&] { saveClocksByHand(file.path, {}, {}); },
                                               [&] { giveUpUnfinishedImport(file.path); } };
    for (const auto &open : openings) {
        const QString error = messageOf(open);
        for (const QString &words :
             { QStringLiteral("another version of Longpole (file version %1").arg(version),
               QStringLiteral("import its traces again"), QString::fromStdString(file.path) })
            QVERIFY2(error.contains(words), qPrintable(error));
        QVERIFY(readBytes(file.path) == before);
        QCOMPARE(filesBeside(file.path), 1);
    }
}

void TestProjectFile::anotherProgramsDatabaseIsRefused()
{
    const TemporaryProject file;
    addProject(file.path);
    Database(file.path, OpenMode::ReadWrite).execute("PRAGMA application_id = 1");
    QVERIFY(openingError(file.path).contains(QStringLiteral("database of another program")));
}

/// The header was read past SQLite; closing the file let go of all locks that the process had on
/// it.
void TestProjectFile::lookingAtAProjectKeepsTheLocksOnIt()
{
    const TemporaryProject file;
    addProject(file.path);
    const KeptOpen looker(file.path);
    Database db(file.path, OpenMode::ReadWrite);
    QVERIFY(!looker.isLocked());
    db.execute("BEGIN IMMEDIATE");
    QVERIFY(looker.isLocked());
    QVERIFY(isProjectFile(file.path));
    QVERIFY(looker.isLocked());
    QCOMPARE(openingError(file.path), QStringLiteral("no error"));
    QVERIFY(looker.isLocked());
    checkIsProject(db);
    QVERIFY(looker.isLocked());
    db.execute("ROLLBACK");
    QVERIFY(!looker.isLocked());
}

void TestProjectFile::anUpgradeKeepsACopyAndIsDoneOnce()
{
    const TemporaryProject file;
    addProject(file.path);
    setVersion(file.path, ProjectVersion - 2);
    const std::string copy = backupOf(file.path, ProjectVersion - 2);
    writeText(copy, "of an earlier upgrade");
    const Migration steps[] = { { ProjectVersion - 2, "CREATE TABLE never (a)" },
                                { ProjectVersion - 1, "CREATE TABLE later (a)" },
                                { ProjectVersion, "INSERT INTO later VALUES (3)" } };
    for (int time = 0; time < 2; ++time) {
        bringUpToDate(file.path, steps);
        QCOMPARE(openingError(file.path), QStringLiteral("no error"));
        QCOMPARE(integerOf(file.path, "SELECT count(*) FROM later"), 1);
        QCOMPARE(integerOf(file.path, "SELECT count(*) FROM sqlite_schema WHERE name = 'never'"),
                 0);
        QCOMPARE(readBytes(copy), std::string("of an earlier upgrade"));
        QCOMPARE(integerOf(copy + "-2", "PRAGMA user_version"), ProjectVersion - 2);
        QCOMPARE(filesBeside(file.path), 3);
    }
}

void TestProjectFile::anUpgradeThatFailsChangesNothing()
{
    const TemporaryProject file;
    addProject(file.path);
    setVersion(file.path, ProjectVersion - 1);
    const std::string before = readBytes(file.path);
    const Migration steps[]
        = { { ProjectVersion, "CREATE TABLE later (a); INSERT INTO nowhere DEFAULT VALUES" } };
    QVERIFY(messageOf([&] {
                bringUpToDate(file.path, steps);
            }).contains(QStringLiteral("no such table: nowhere")));
    QVERIFY(readBytes(file.path) == before);
}

void TestProjectFile::withoutACopyThereIsNoUpgrade()
{
    const TemporaryProject file;
    addProject(file.path);
    setVersion(file.path, ProjectVersion - 1);
    std::filesystem::create_directories(backupOf(file.path, ProjectVersion - 1)
                                        + ".part/in the way");
    const std::string before = readBytes(file.path);
    const Migration steps[] = { { ProjectVersion, "CREATE TABLE later (a)" } };
    const QString error = messageOf([&] { bringUpToDate(file.path, steps); });
    for (const QString &words :
         { QStringLiteral("older Longpole"), QStringLiteral("you may write to it") })
        QVERIFY2(error.contains(words), qPrintable(error));
    QVERIFY(readBytes(file.path) == before);
}

void TestProjectFile::noMigrationConcernsAVersionThatItDoesNotKnow()
{
    const TemporaryProject file;
    addProject(file.path);
    const Migration steps[] = { { ProjectVersion, "CREATE TABLE later (a)" } };
    for (const int version : { ProjectVersion - 2, ProjectVersion, ProjectVersion + 1 }) {
        setVersion(file.path, version);
        const std::string before = readBytes(file.path);
        bringUpToDate(file.path, steps);
        QVERIFY(readBytes(file.path) == before);
        QCOMPARE(filesBeside(file.path), 1);
    }
}

void TestProjectFile::whatAKilledProgramHadBegunIsUndone()
{
    const TemporaryProject file;
    addProject(file.path);
    if (const pid_t child = fork(); child == 0) {
        Database db(file.path, OpenMode::ReadWrite);
        db.execute("PRAGMA cache_size = 1; BEGIN; DELETE FROM slice_hot; CREATE TABLE half AS WITH "
                   "RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
                   "SELECT i FROM n");
        raise(SIGKILL);
    } else {
        waitpid(child, nullptr, 0);
    }
    QCOMPARE(filesBeside(file.path), 2); // its journal
    QCOMPARE(ProjectReader(file.path).readTrace({}).slices.at(0).size(), 10U);
    QCOMPARE(filesBeside(file.path), 1);
}

void TestProjectFile::anExistingProjectIsNotOverwritten()
{
    const TemporaryProject file;
    writeText(file.path, "precious");
    const auto refusal = [&file](bool append) {
        return messageOf([&] { const ProjectWriter writer(file.path, append); });
    };
    QVERIFY2(refusal(false).contains(QStringLiteral("it is no Longpole project; choose another ")),
             qPrintable(refusal(false)));
    QVERIFY2(refusal(true).contains(QStringLiteral("name one that longpole import has made")),
             qPrintable(refusal(true)));
    QCOMPARE(readBytes(file.path), std::string("precious"));
}

/// Bytes flipped anywhere, and the end cut off: every reading function either works or says so.
void TestProjectFile::damageIsAnErrorNeverACrash()
{
    const TemporaryProject file;
    addProject(file.path, 3'000);
    const std::string intact = readBytes(file.path);
    QVERIFY(readsOrFailsCleanly(file.path));
    std::mt19937 random(5);
    for (int i = 0; i < 100; ++i) {
        std::string damaged = intact;
        for (int flip = 0; flip < 1 + i % 8; ++flip)
            damaged[100 + random() % (damaged.size() - 100)] = static_cast<char>(random());
        if (i % 10 == 0)
            damaged.resize(random() % damaged.size());
        writeText(file.path, damaged);
        QVERIFY(readsOrFailsCleanly(file.path));
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestProjectFile)
#include "tst_project_file.moc"
