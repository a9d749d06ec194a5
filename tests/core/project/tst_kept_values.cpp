#include "added_file.h"
#include "core/base/error.h"
#include "core/model/clocks.h"
#include "core/project/kept_values.h"
#include "core/project/schema/schema.h"

#include <QTest>

#include <filesystem>

using namespace core;

/// Text and bytes under keys of a window's own.
class TestKeptValues : public QObject
{
    Q_OBJECT

private slots:
    void aValueIsReadAsItWasKept();
    void bytesAreKeptCompressed();
    void damagedBytesAreAnError();
    void theStampTellsDataFromWhatIsKept();
    void nothingIsKeptWhereNothingCanBeWritten();
};

namespace {

struct NewProject
{
    NewProject()
    {
        Database db(file.path, OpenMode::Create);
        createSchema(db);
    }
    void run(const std::string &sql) const
    {
        Database(file.path, OpenMode::ReadWrite).execute(sql);
    }

    tests::TemporaryProject file;
};

} // namespace

void TestKeptValues::aValueIsReadAsItWasKept()
{
    const NewProject project;
    QVERIFY(!keptValue(project.file.path, "timeline"));
    keepValue(project.file.path, "timeline", "{\"a\":\"\u00e9\"}");
    keepValue(project.file.path, "other", "x");
    QCOMPARE(*keptValue(project.file.path, "timeline"), std::string("{\"a\":\"\u00e9\"}"));
    keepValue(project.file.path, "timeline", "");
    QCOMPARE(*keptValue(project.file.path, "timeline"), std::string());
    QCOMPARE(*keptValue(project.file.path, "other"), std::string("x"));
}

void TestKeptValues::bytesAreKeptCompressed()
{
    const NewProject project;
    QVERIFY(!keptBytes(project.file.path, "findings"));
    const std::string bytes = std::string(1'000'000, '\0') + "end";
    keepBytes(project.file.path, "findings", bytes);
    QVERIFY(*keptBytes(project.file.path, "findings") == bytes);
    QVERIFY(std::filesystem::file_size(project.file.path) < 500'000);
}

void TestKeptValues::damagedBytesAreAnError()
{
    const NewProject project;
    for (const char *value :
         { "x''", "x'0102'", "x'ffffffffffffffff00'", "x'050000000000000001'" }) {
        project.run(std::string("REPLACE INTO property VALUES ('kept.findings', ") + value + ")");
        QVERIFY_THROWS_EXCEPTION(Error, keptBytes(project.file.path, "findings"));
    }
}

void TestKeptValues::theStampTellsDataFromWhatIsKept()
{
    const NewProject project;
    const std::uint64_t before = contentStamp(project.file.path);
    keepValue(project.file.path, "timeline", "x");
    QCOMPARE(contentStamp(project.file.path), before);
    std::uint64_t last = before;
    for (const char *sql :
         { "INSERT INTO source_file (name, format, stored_bytes) VALUES ('a', 'kineto', 1)",
           "UPDATE source_file SET fingerprint = 'b'",
           "INSERT INTO worker VALUES (0, 0, 'host', NULL)", "UPDATE worker SET world_size = 2",
           "REPLACE INTO property VALUES ('alignment.method', 'x')" }) {
        project.run(sql);
        QVERIFY2(contentStamp(project.file.path) != last, sql);
        last = contentStamp(project.file.path);
        QCOMPARE(contentStamp(project.file.path), last);
    }
}

void TestKeptValues::nothingIsKeptWhereNothingCanBeWritten()
{
    const NewProject project;
    std::filesystem::remove(project.file.path);
    QVERIFY_THROWS_EXCEPTION(Error, keepValue(project.file.path, "timeline", "x"));
    QVERIFY(!std::filesystem::exists(project.file.path));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestKeptValues)
#include "tst_kept_values.moc"
