#include "added_file.h"
#include "core/project/project_file.h"
#include "core/project/read/project_reader.h"
#include "core/project/schema/schema.h"

#include <QTest>

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <random>

using namespace core;
using tests::addFile;
using tests::TemporaryProject;

namespace {

void writeText(const std::filesystem::path &path, const std::string &text)
{
    std::ofstream(path, std::ios::binary) << text;
}

std::string readBytes(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    return { std::istreambuf_iterator<char>(file), {} };
}

QString openingError(const std::filesystem::path &path)
{
    try {
        const ProjectReader reader(path);
        return QStringLiteral("no error");
    } catch (const Error &error) {
        return QString::fromUtf8(error.what());
    }
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
    void aNewerVersionIsRefused();
    void lookingAtAProjectKeepsTheLocksOnIt();
    void migrationsAreAppliedInOrderAndOnce();
    void anExistingProjectIsNotOverwritten();
    void damageIsAnErrorNeverACrash();
};

void TestProjectFile::aFinishedProjectIsOneFile()
{
    const TemporaryProject file;
    ProjectWriter writer(file.path, false);
    QVERIFY(addFile(writer, "a", 0, 100));
    writer.finish();
    const auto folder = std::filesystem::directory_iterator(file.path.parent_path());
    QCOMPARE(std::distance(begin(folder), end(folder)), 1);
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

void TestProjectFile::aNewerVersionIsRefused()
{
    const TemporaryProject file;
    {
        ProjectWriter writer(file.path, false);
        QVERIFY(addFile(writer, "a", 0, 10));
        writer.finish();
    }
    std::string bytes = readBytes(file.path);
    bytes[63] = 99; // user_version: 4 bytes at 60, big-endian
    writeText(file.path, bytes);
    QVERIFY(openingError(file.path).contains(QStringLiteral("newer Longpole (file version 99")));
    bytes[63] = ProjectVersion;
    bytes[71] = 0; // application_id: 4 bytes at 68
    writeText(file.path, bytes);
    QVERIFY(openingError(file.path).contains(QStringLiteral("database of another program")));
}

/// The header was read past SQLite; closing the file let go of all locks that the process had on
/// it.
void TestProjectFile::lookingAtAProjectKeepsTheLocksOnIt()
{
    const TemporaryProject file;
    {
        ProjectWriter writer(file.path, false);
        QVERIFY(addFile(writer, "a", 0, 10));
        writer.finish();
    }
    const KeptOpen looker(file.path);
    Database db(file.path, OpenMode::ReadWrite);
    QVERIFY(!looker.isLocked());
    db.execute("BEGIN IMMEDIATE");
    QVERIFY(looker.isLocked());
    QVERIFY(isProjectFile(file.path));
    QVERIFY(looker.isLocked());
    QCOMPARE(openingError(file.path), QStringLiteral("no error"));
    QVERIFY(looker.isLocked());
    QCOMPARE(checkIsProject(db), ProjectVersion);
    QVERIFY(looker.isLocked());
    db.execute("ROLLBACK");
    QVERIFY(!looker.isLocked());
}

void TestProjectFile::migrationsAreAppliedInOrderAndOnce()
{
    const TemporaryProject file;
    Database db(file.path, OpenMode::Create);
    createSchema(db);
    const int now = ProjectVersion;
    const Migration steps[] = { { now, "CREATE TABLE never (a)" },
                                { now + 1, "CREATE TABLE later (a)" },
                                { now + 2, "INSERT INTO later VALUES (3)" } };
    migrate(db, now, steps);
    migrate(db, static_cast<int>(db.integer("PRAGMA user_version")), steps);
    QCOMPARE(db.integer("PRAGMA user_version"), now + 2);
    QCOMPARE(db.integer("SELECT count(*) FROM later"), 1);
    QCOMPARE(db.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'never'"), 0);
    const Migration failing[] = { { now + 3,
                                    "INSERT INTO later VALUES (4); INSERT INTO nowhere DEFAULT "
                                    "VALUES" } };
    QVERIFY_THROWS_EXCEPTION(Error, migrate(db, now + 2, failing));
    QCOMPARE(db.integer("PRAGMA user_version"), now + 2);
    QCOMPARE(db.integer("SELECT count(*) FROM later"), 1);
}

void TestProjectFile::anExistingProjectIsNotOverwritten()
{
    const TemporaryProject file;
    writeText(file.path, "precious");
    // It was called a project that exists, to which could be added.
    const auto refusal = [&file](bool append) {
        try {
            const ProjectWriter writer(file.path, append);
        } catch (const Error &error) {
            return QString::fromUtf8(error.what());
        }
        return QString();
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
    {
        ProjectWriter writer(file.path, false);
        QVERIFY(addFile(writer, "a", 0, 3'000));
        writer.finish();
    }
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

QTEST_GUILESS_MAIN(TestProjectFile)
#include "tst_project_file.moc"
