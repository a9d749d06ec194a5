#include "core/bundle/bundle.h"
#include "core/bundle/folder_files.h"
#include "core/bundle/pseudo_folder.h"
#include "scratch_folder.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

using core::openBundle;

namespace {

/// The administrator may enter any folder: where the test runs as one it is another user meanwhile.
class AsOrdinaryUser
{
public:
    AsOrdinaryUser()
    {
        if (m_user == 0 && ::seteuid(Nobody) != 0)
            qFatal("the test cannot become an ordinary user");
    }
    ~AsOrdinaryUser()
    {
        if (::seteuid(m_user) != 0)
            qFatal("the test cannot become its own user again");
    }
    AsOrdinaryUser(const AsOrdinaryUser &) = delete;
    AsOrdinaryUser &operator=(const AsOrdinaryUser &) = delete;

private:
    static constexpr uid_t Nobody = 65534;
    uid_t m_user = ::geteuid();
};

} // namespace

/// What a folder holds beside files that can be read.
class FolderFilesTest : public QObject, private tests::ScratchFolder
{
    Q_OBJECT

private:
    /// One diagnostic of the code names the file.
    void checkLeftOut(const core::Bundle &bundle, const char *code, const QString &name) const
    {
        int found = 0;
        for (const core::Diagnostic &diagnostic : bundle.diagnostics().list())
            if (diagnostic.code == code) {
                QCOMPARE(diagnostic.file, fsPath(name).string());
                ++found;
            }
        QCOMPARE(found, 1);
    }

private slots:
    /// It was left out without a word, and with it the rank that it stands for.
    void aLinkThatLeavesTheFolderIsLeftOut()
    {
        write(QStringLiteral("outside.json"), "secret");
        write(QStringLiteral("links/in.json"), "in");
        QFile::link(path(QStringLiteral("outside.json")), path(QStringLiteral("links/out.json")));
        QFile::link(path(QStringLiteral("links/in.json")), path(QStringLiteral("links/same.json")));
        QFile::link(path(QStringLiteral("nowhere")), path(QStringLiteral("links/dangling.json")));
        const auto bundle = openBundle({ fsPath(QStringLiteral("links")) });
        QCOMPARE(names(*bundle), QStringList { QStringLiteral("links/in.json") });
        checkLeftOut(*bundle, "link-left-out", QStringLiteral("links/out.json"));
        // Named beside the folder, it is read.
        const auto both = openBundle(
            { fsPath(QStringLiteral("links")), fsPath(QStringLiteral("links/out.json")) });
        QCOMPARE(both->items().size(), 2U);
    }

    /// /proc was read file by file: a hundred messages, and some of its files never end.
    void aFolderOfTheKernelsOwnIsRefused()
    {
        if (core::pseudoFileSystemOf("/proc").empty())
            QSKIP("/proc is none here");
        try {
            openBundle({ "/proc" });
            QFAIL("it was opened");
        } catch (const core::Error &error) {
            const QString text = QString::fromUtf8(error.what());
            QVERIFY2(text.contains(QStringLiteral("of the kernel's own (proc), in which no")),
                     qPrintable(text));
        }
        QVERIFY(core::pseudoFileSystemOf(fsPath(QStringLiteral("."))).empty());
    }

    /// A folder of a million links was a million warnings.
    void ofManyLinksTheFirstAreNamed()
    {
        write(QStringLiteral("outside.json"), "secret");
        write(QStringLiteral("many/in.json"), "in");
        const std::size_t all = core::MostLeftOutNamed + 3;
        for (std::size_t i = 0; i < all; ++i)
            QFile::link(path(QStringLiteral("outside.json")),
                        path(QStringLiteral("many/%1.json").arg(i)));
        const auto bundle = openBundle({ fsPath(QStringLiteral("many")) });
        std::size_t named = 0;
        std::uint64_t further = 0;
        for (const core::Diagnostic &diagnostic : bundle->diagnostics().list()) {
            QCOMPARE(diagnostic.code, std::string("link-left-out"));
            named += diagnostic.file.empty() ? 0 : 1;
            further += diagnostic.file.empty() ? diagnostic.count : 0;
        }
        QCOMPARE(named, core::MostLeftOutNamed);
        QCOMPARE(further, std::uint64_t { 3 });
    }

    /// A folder of a million links to nothing was a million errors.
    void ofManyUnreadableFilesTheFirstAreNamed()
    {
        write(QStringLiteral("dead/in.json"), "in");
        const std::size_t all = core::MostLeftOutNamed + 2;
        for (std::size_t i = 0; i < all; ++i)
            QFile::link(path(QStringLiteral("nowhere")),
                        path(QStringLiteral("dead/%1.json").arg(i)));
        const auto bundle = openBundle({ fsPath(QStringLiteral("dead")) });
        const std::vector<core::Diagnostic> found = bundle->diagnostics().list();
        QCOMPARE(found.size(), core::MostLeftOutNamed + 1);
        for (const core::Diagnostic &diagnostic : found) {
            QCOMPARE(diagnostic.code, std::string("unreadable-file"));
            QCOMPARE(diagnostic.count, std::uint64_t { diagnostic.file.empty() ? 2U : 1U });
            QVERIFY(diagnostic.severity == core::Severity::Error && !diagnostic.losesRecords);
        }
        QVERIFY(found.front().file.empty());
        QVERIFY(bundle->diagnostics().hasSkippedInput());
    }

    void aFolderThatALinkLeadsOutToIsNamed()
    {
        write(QStringLiteral("elsewhere/rank1.json"), "1");
        write(QStringLiteral("linked/sub/rank0.json"), "0");
        QFile::link(path(QStringLiteral("elsewhere")), path(QStringLiteral("linked/out")));
        QFile::link(path(QStringLiteral("linked")), path(QStringLiteral("linked/sub/loop")));
        const auto bundle = openBundle({ fsPath(QStringLiteral("linked")) });
        QCOMPARE(names(*bundle), QStringList { QStringLiteral("linked/sub/rank0.json") });
        QCOMPARE(bundle->diagnostics().list().size(), 1U);
        checkLeftOut(*bundle, "link-left-out", QStringLiteral("linked/out"));
    }

    void theLinksOfAVirtualEnvironmentAreNotNamed()
    {
        write(QStringLiteral("python"), "an interpreter");
        write(QStringLiteral("job/rank0.json"), "0");
        write(QStringLiteral("job/venv/pyvenv.cfg"), "home = /usr/bin");
        QDir().mkpath(path(QStringLiteral("job/venv/bin")));
        QFile::link(path(QStringLiteral("python")), path(QStringLiteral("job/venv/bin/python3")));
        QVERIFY(openBundle({ fsPath(QStringLiteral("job")) })->diagnostics().list().empty());
        QFile::link(path(QStringLiteral("python")), path(QStringLiteral("job/rank1.json")));
        checkLeftOut(*openBundle({ fsPath(QStringLiteral("job")) }), "link-left-out",
                     QStringLiteral("job/rank1.json"));
    }

    void whatIsNoFileIsNamed()
    {
        write(QStringLiteral("pipes/rank0.json"), "0");
        QCOMPARE(::mkfifo(path(QStringLiteral("pipes/rank1.json")).toStdString().c_str(), 0600), 0);
        const auto bundle = openBundle({ fsPath(QStringLiteral("pipes")) });
        QCOMPARE(names(*bundle), QStringList { QStringLiteral("pipes/rank0.json") });
        checkLeftOut(*bundle, "no-file", QStringLiteral("pipes/rank1.json"));
    }

    void aLinkToNothingIsNamed()
    {
        write(QStringLiteral("dangling/rank0.json"), "0");
        QFile::link(path(QStringLiteral("nowhere")), path(QStringLiteral("dangling/rank1.json")));
        const auto bundle = openBundle({ fsPath(QStringLiteral("dangling")) });
        QCOMPARE(names(*bundle), QStringList { QStringLiteral("dangling/rank0.json") });
        const std::vector<core::Diagnostic> found = bundle->diagnostics().list();
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].code, "unreadable-file");
        QCOMPARE(found[0].file, fsPath(QStringLiteral("dangling/rank1.json")).string());
        QVERIFY(found[0].message.find("does not exist") != std::string::npos);
        QVERIFY(bundle->diagnostics().hasSkippedInput());
    }

    void aFolderThatCannotBeEnteredIsNamed()
    {
        write(QStringLiteral("closed/rank0/trace.json"), "0");
        write(QStringLiteral("closed/rank1/trace.json"), "1");
        QVERIFY(QFile::setPermissions(m_dir.path(),
                                      QFile::permissions(m_dir.path()) | QFile::ReadGroup
                                          | QFile::ExeGroup | QFile::ReadOther | QFile::ExeOther));
        const QString folder = path(QStringLiteral("closed/rank1"));
        const auto before = QFile::permissions(folder);
        QVERIFY(QFile::setPermissions(folder, {}));
        {
            const AsOrdinaryUser user;
            const auto bundle = openBundle({ fsPath(QStringLiteral("closed")) });
            QCOMPARE(names(*bundle), QStringList { QStringLiteral("closed/rank0/trace.json") });
            const std::vector<core::Diagnostic> found = bundle->diagnostics().list();
            QCOMPARE(found.size(), 1U);
            QCOMPARE(found[0].code, "unreadable-folder");
            QCOMPARE(found[0].file, folder.toStdString());
            QVERIFY(bundle->diagnostics().hasSkippedInput());
            QVERIFY_THROWS_EXCEPTION(core::Error, openBundle({ folder.toStdString() }));
        }
        QVERIFY(QFile::setPermissions(folder, before));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(FolderFilesTest)
#include "tst_folder_files.moc"
