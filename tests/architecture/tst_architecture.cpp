#include "tests/architecture/include_rules.h"
#include "tests/architecture/shown_text.h"
#include "tests/architecture/type_names.h"

#include <QTest>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

using namespace tests;

namespace {

const std::filesystem::path root = LONGPOLE_SOURCE_DIR;

std::ptrdiff_t lineCount(const std::string &content)
{
    return std::count(content.begin(), content.end(), '\n');
}

/// Prints every violation as "file:line: rule"; the returned summary is for QVERIFY2, which cuts
/// long messages.
QByteArray report(const std::vector<Violation> &violations)
{
    for (const Violation &violation : violations) {
        std::fprintf(stderr, "%s\n", violation.text().c_str());
    }
    return QByteArray::number(static_cast<qulonglong>(violations.size()))
        + " places break a rule, listed above";
}

/// What stands between blanks and brackets.
std::set<std::string> wordsOf(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '(' || c == ')'; }, ' ');
    std::istringstream stream(text);
    return { std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>() };
}

/// The modules that the sources were configured with; without the ui its files are left out.
ModuleEdges configuredEdges()
{
    return parseModuleEdges(
        readFile(std::filesystem::path(LONGPOLE_BINARY_DIR) / "module_edges.txt"));
}

bool isConfigured(const std::string &top, const ModuleEdges &edges)
{
    return std::any_of(edges.begin(), edges.end(),
                       [&](const auto &edge) { return edge.first.rfind(top, 0) == 0; });
}

} // namespace

class TestArchitecture : public QObject
{
    Q_OBJECT

private slots:
    void everyRuleFindsItsViolation_data();
    void everyRuleFindsItsViolation();
    void everyIncludeFollowsADeclaredEdge();
    void noModuleDependsOnItselfThroughOthers();
    void everyTopLevelFolderHasAShortReadme();
    void noFileIsLongerThan600Lines();
    void everyTestIsBuilt();
    void typesOfAHeaderAreFound();
    void noTwoTypesHaveOneName();
    void namesThatWouldBeRichTextAreFound_data();
    void namesThatWouldBeRichTextAreFound();
    void noNameIsRichText();
};

void TestArchitecture::everyRuleFindsItsViolation_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("include");
    QTest::addColumn<QByteArray>("expected"); // a part of the message, empty = allowed

    const auto row = [](const char *file, const char *include, const char *expected) {
        QTest::addRow("%s includes %s", file, include)
            << QByteArray(file) << QByteArray(include) << QByteArray(expected);
    };
    row("core/graph/graph.cpp", "\"core/graph/graph.h\"", "");
    row("core/graph/graph.cpp", "\"core/base/error.h\"", "");
    row("core/graph/graph.cpp", "\"core/replay/replay.h\"", "does not name core/replay in DEPENDS");
    row("core/replay/replay.cpp", "\"core/base/error.h\"", "does not name core/base in DEPENDS");
    row("core/graph/graph.cpp", "\"ui/session/session.h\"", "core never includes ui");
    row("core/graph/graph.cpp", "\"graph.h\"", "start at the root");
    row("core/new/new.cpp", "\"core/base/error.h\"", "in no module");
    row("core/graph/graph.cpp", "<QString>", "no Qt outside core/bundle");
    row("core/graph/graph.cpp", "<qstring.h>", "no Qt outside core/bundle");
    row("core/bundle/zip.cpp", "<QString>", "");
    row("core/bundle/zip.cpp", "<QtGui/QColor>", "Qt6::Core only");
    row("core/bundle/zip.cpp", "<quazip.h>", "");
    row("core/graph/graph.cpp", "<queue>", "");
    row("core/base/zip.cpp", "<quazip/quazip.h>", "wrapped by core/bundle");
    row("core/sqlite/statement.cpp", "<sqlite3.h>", "");
    row("core/graph/graph.cpp", "<zlib.h>", "zlib is wrapped");
    row("ui/views/summary/summary_view.cpp", "<sqlite3.h>", "wrapped by core/sqlite");
    row("ui/views/summary/summary_view.cpp", "\"ui/views/timeline/timeline_view.h\"",
        "never includes another view");
    row("ui/views/summary/summary_view.cpp", "\"ui/views/summary/summary_page.h\"", "");
    row("ui/views/view_list.cpp", "\"ui/views/summary/summary_view.h\"", "");
    row("ui/main_window/main_window.cpp", "\"ui/views/summary/summary_view.h\"",
        "names a particular view");
    row("ui/main_window/main_window.cpp", "<QtConcurrent>", "Job of ui/jobs");
    row("ui/main_window/main_window.cpp", "<QPromise>", "Job of ui/jobs");
    row("ui/jobs/job.h", "<QtConcurrent/QtConcurrentRun>", "");
    row("collectors/nccl/plugin.cpp", "\"core/base/error.h\"", "include collectors only");
    row("collectors/nccl/plugin.cpp", "<QString>", "no Qt");
    row("core/graph/graph.cpp", "\"tests/support/shared_data.h\"", "only tests");
    row("tests/core/graph/tst_graph.cpp", "\"ui/session/session.h\"", "");
    row("app/cli_main.cpp", "\"core/graph/graph.h\"", "");
}

void TestArchitecture::everyRuleFindsItsViolation()
{
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, include);
    QFETCH(QByteArray, expected);
    const ModuleEdges edges = parseModuleEdges("core/base:\n"
                                               "core/graph: core/base\n"
                                               "core/replay: core/graph\n"
                                               "core/bundle: core/base\n"
                                               "core/sqlite: core/base\n"
                                               "core/project: core/base\n"
                                               "ui/jobs: core/base\n"
                                               "ui/session: core/base\n"
                                               "ui/views: ui/session\n"
                                               "ui/main_window: ui/views\n");
    const std::string content = "#pragma once\n\n#  include " + include.toStdString() + " // why\n";

    const auto violations = checkIncludes(file.toStdString(), content, edges);

    if (expected.isEmpty()) {
        QVERIFY2(violations.empty(), report(violations).constData());
        return;
    }
    QCOMPARE(violations.size(), std::size_t(1));
    QCOMPARE(violations.front().line, 3);
    const QByteArray text = QByteArray::fromStdString(violations.front().text());
    QVERIFY2(text.contains(expected), text.constData());
}

void TestArchitecture::everyIncludeFollowsADeclaredEdge()
{
    const ModuleEdges edges = configuredEdges();
    QVERIFY(edges.contains("core/base"));
    std::vector<Violation> violations;
    for (const std::string &file : sourceFiles(root)) {
        if (file.rfind("ui/", 0) == 0 && !isConfigured("ui/", edges)) {
            continue; // built without the ui
        }
        const auto found = checkIncludes(file, readFile(root / file), edges);
        violations.insert(violations.end(), found.begin(), found.end());
    }
    QVERIFY2(violations.empty(), report(violations).constData());
}

void TestArchitecture::noModuleDependsOnItselfThroughOthers()
{
    const ModuleEdges edges = configuredEdges();
    for (const auto &[module, direct] : edges) {
        std::set<std::string> reached = direct;
        std::vector<std::string> open(direct.begin(), direct.end());
        while (!open.empty()) {
            const std::string next = open.back();
            open.pop_back();
            QVERIFY2(edges.contains(next), (module + " depends on unknown " + next).c_str());
            for (const std::string &further : edges.at(next)) {
                if (reached.insert(further).second) {
                    open.push_back(further);
                }
            }
        }
        QVERIFY2(!reached.contains(module), (module + " depends on itself").c_str());
    }
}

void TestArchitecture::everyTopLevelFolderHasAShortReadme()
{
    for (const char *folder :
         { "app", "collectors", "core", "packaging", "resources", "tests", "translations", "ui" }) {
        const std::filesystem::path file = root / folder / "README.md";
        QVERIFY2(std::filesystem::exists(file), (file.string() + " is missing").c_str());
        const std::ptrdiff_t lines = lineCount(readFile(file));
        QVERIFY2(
            lines <= 40,
            (file.string() + " has " + std::to_string(lines) + " lines, 40 are the limit").c_str());
    }
}

void TestArchitecture::noFileIsLongerThan600Lines()
{
    std::vector<Violation> violations;
    for (const std::string &file : sourceFiles(root)) {
        const std::ptrdiff_t lines = lineCount(readFile(root / file));
        if (lines > 600) {
            violations.push_back(
                { file, static_cast<int>(lines), "the file's limit is 600 lines" });
        }
    }
    QVERIFY2(violations.empty(), report(violations).constData());
}

/// A folder of tests was once left out by mistake, and nothing failed.
void TestArchitecture::everyTestIsBuilt()
{
    std::vector<Violation> violations;
    for (const std::string &file : sourceFiles(root)) {
        const std::filesystem::path path(file);
        const std::filesystem::path list = path.parent_path() / "CMakeLists.txt";
        if (path.stem().string().rfind("tst_", 0) == 0
            && (!std::filesystem::exists(root / list)
                || !wordsOf(readFile(root / list)).contains(path.stem().string()))) {
            violations.push_back({ file, 0, "name it in " + list.string() });
        }
    }
    QVERIFY2(violations.empty(), report(violations).constData());
}

void TestArchitecture::typesOfAHeaderAreFound()
{
    const std::vector<std::string> expected { "core::Graph", "core::Tag", "core::View" };
    QCOMPARE(definedTypes("class Outside;\nnamespace core {\nstruct Other;\nstruct Graph\n{\n"
                          "    struct Inner\n    {\n    };\n};\nstruct Tag {};\n"
                          "enum class Kind { A };\ntemplate <>\nstruct hash<Graph>\n{\n};\n"
                          "class View final : public Graph\n{\n};\n} // namespace core\n"),
             expected);
}

/// Two classes DeviceActivity: which one a file meant, its includes told.
void TestArchitecture::noTwoTypesHaveOneName()
{
    std::vector<Violation> violations;
    std::map<std::string, std::string> headers; // by type
    for (const std::string &file : sourceFiles(root)) {
        const bool isHeader = file.ends_with(".h")
            && (file.starts_with("core/") || file.starts_with("ui/") || file.starts_with("app/"));
        for (const std::string &type :
             isHeader ? definedTypes(readFile(root / file)) : std::vector<std::string>()) {
            const auto [known, isNew] = headers.try_emplace(type, file);
            if (!isNew) {
                violations.push_back({ file, 0, known->second + " defines " + type + ", too" });
            }
        }
    }
    QVERIFY(headers.size() > 100);
    QVERIFY2(violations.empty(), report(violations).constData());
}

void TestArchitecture::namesThatWouldBeRichTextAreFound_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("violations");
    const auto row = [](const char *content, int count) {
        QTest::newRow(content) << QByteArray(content) << count;
    };
    row("a->setToolTip(name);", 1);
    row("a->setToolTip(toolTipParagraphs(name));", 0);
    row("a->setToolTip(tr(\"Close\"));", 0);
    row("a->setToolTip(tr(\"Close %1\").arg(name));", 1);
    row("a->setToolTip(b->toolTip());", 0);
    row("QToolTip::showText(at, row->label, this);", 1);
    row("    case Qt::ToolTipRole:\n        return text(row);\n    case X:\n", 1);
    row("    case Qt::ToolTipRole:\n        if (a)\n            return toolTipParagraphs(b);\n"
        "        return c;\n    default:\n        return d;\n",
        1);
    row("    case Qt::ToolTipRole:\n        return a ? QVariant() : toolTipParagraphs(b);\n", 0);
    row("auto *name = new QLabel(text, this);", 1);
    row("auto *icon = new QLabel(this);", 0);
}

void TestArchitecture::namesThatWouldBeRichTextAreFound()
{
    QFETCH(QByteArray, content);
    QFETCH(int, violations);
    QCOMPARE(static_cast<int>(checkShownText("ui/a.cpp", content.toStdString()).size()),
             violations);
}

/// An op named <img src="/dev/zero"> froze the window when it was pointed at.
void TestArchitecture::noNameIsRichText()
{
    std::vector<Violation> violations;
    for (const std::string &file : sourceFiles(root)) {
        if (!file.starts_with("ui/"))
            continue;
        const auto found = checkShownText(file, readFile(root / file));
        violations.insert(violations.end(), found.begin(), found.end());
    }
    QVERIFY2(violations.empty(), report(violations).constData());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestArchitecture)
#include "tst_architecture.moc"
