#include "core/import/importer.h"

#include <QFile>
#include <QTest>

#include <map>
#include <set>
#include <string>
#include <typeindex>

using core::importers;

class TestImporterList : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesDiffer();
    void everyImporterIsFuzzed();
};

void TestImporterList::namesDiffer()
{
    std::set<std::string_view> names;
    for (const auto &importer : importers())
        QVERIFY2(names.insert(importer->name()).second, std::string(importer->name()).c_str());
}

void TestImporterList::everyImporterIsFuzzed()
{
    QFile file(QStringLiteral(LONGPOLE_SOURCE_DIR "/tests/fuzz/CMakeLists.txt"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const std::string targets = file.readAll().toStdString();
    std::map<std::type_index, std::pair<std::string, bool>>
        isFuzzed; // one name of a class suffices
    for (const auto &importer : importers()) {
        const core::Importer &one = *importer;
        const std::string name(one.name());
        auto &entry = isFuzzed[std::type_index(typeid(one))];
        entry.first = name;
        entry.second |= targets.find("\nadd_importer_fuzzer(" + name + " ") != std::string::npos;
    }
    for (const auto &[type, entry] : isFuzzed)
        QVERIFY2(entry.second,
                 ("tests/fuzz/CMakeLists.txt has no line for " + entry.first).c_str());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestImporterList)
#include "tst_importer_list.moc"
