#include "core/base/error.h"
#include "core/project/saved_strategies.h"
#include "core/project/schema/schema.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

using core::SavedStrategy;

class SavedStrategiesTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        core::Database db(path(), core::OpenMode::Create);
        core::createSchema(db);
    }
    void cleanup() { std::filesystem::remove(path()); }

    void aNewProjectHasNone() { QVERIFY(core::savedStrategies(path()).empty()); }

    void keepsTheOrder()
    {
        const std::int64_t first = core::saveStrategy(path(), { 0, "one", "{}" });
        const std::int64_t second = core::saveStrategy(path(), { 0, "two", "{\"a\": 1}" });
        QVERIFY(first != second);
        const std::vector<SavedStrategy> wanted { { first, "one", "{}" },
                                                  { second, "two", "{\"a\": 1}" } };
        QVERIFY(core::savedStrategies(path()) == wanted);
    }

    void renamesAndRemoves()
    {
        const std::int64_t first = core::saveStrategy(path(), { 0, "one", "{}" });
        const std::int64_t second = core::saveStrategy(path(), { 0, "two", "{}" });
        QCOMPARE(core::saveStrategy(path(), { first, "uno", "{}" }), first);
        core::removeStrategy(path(), second);
        const std::vector<SavedStrategy> wanted { { first, "uno", "{}" } };
        QVERIFY(core::savedStrategies(path()) == wanted);
        core::removeStrategy(path(), second); // is gone already
    }

    void comesBackInItsPlace()
    {
        const std::int64_t first = core::saveStrategy(path(), { 0, "one", "{}" });
        core::saveStrategy(path(), { 0, "two", "{}" });
        core::removeStrategy(path(), first);
        core::saveStrategy(path(), { first, "one", "{}" });
        QCOMPARE(core::savedStrategies(path()).front().name, std::string("one"));
    }

    void namesWhatIsMissing()
    {
        QVERIFY_THROWS_EXCEPTION(core::Error, core::savedStrategies("nowhere.longpole"));
        QVERIFY_THROWS_EXCEPTION(core::Error, core::removeStrategy("nowhere.longpole", 1));
    }

private:
    std::filesystem::path path() const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / "job.longpole";
    }

    QTemporaryDir m_folder;
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(SavedStrategiesTest)
#include "tst_saved_strategies.moc"
