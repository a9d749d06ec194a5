#include "core/base/error.h"
#include "core/base/file_exists.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <string>

using namespace core;
namespace fs = std::filesystem;

/// Files of which it is asked whether they are there.
class TestFileExists : public QObject
{
    Q_OBJECT

private slots:
    void tellsWhatIsThere();
    void whatCannotBeToldIsAnErrorWithARemedy_data();
    void whatCannotBeToldIsAnErrorWithARemedy();

private:
    fs::path pathOf(const std::string &name) const
    {
        return m_folder.path().toStdString() + "/" + name;
    }

    QTemporaryDir m_folder;
};

void TestFileExists::tellsWhatIsThere()
{
    std::ofstream(pathOf("file")) << "x";
    QVERIFY(fileExists(pathOf("file")));
    QVERIFY(fileExists(pathOf("")));
    QVERIFY(!fileExists(pathOf("none")));
    QVERIFY(!fileExists(pathOf("file/below")));
    fs::create_symlink("none", pathOf("dangling"));
    QVERIFY(!fileExists(pathOf("dangling")));
}

void TestFileExists::whatCannotBeToldIsAnErrorWithARemedy_data()
{
    QTest::addColumn<QByteArray>("name");
    fs::create_symlink("loop", pathOf("loop"));
    QTest::newRow("a link to itself") << QByteArray("loop");
    QTest::newRow("too long a name") << QByteArray(300, 'a');
}

/// `filesystem error: status: Permission denied [...]` was all that the user was told.
void TestFileExists::whatCannotBeToldIsAnErrorWithARemedy()
{
    QFETCH(const QByteArray, name);
    try {
        fileExists(pathOf(name.toStdString()));
        QFAIL("no error");
    } catch (const Error &error) {
        const std::string text = error.what();
        QVERIFY2(text.starts_with(pathOf(name.toStdString()).string()), text.c_str());
        QVERIFY2(text.find("Check its name") != text.npos, text.c_str());
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestFileExists)
#include "tst_file_exists.moc"
