#pragma once

#include <QTest>

// One program runs the tests of one folder, one at a time: build/dev/tests/tests_core_graph
// tst_graph.

namespace tests {

/// Runs the test of one unit with Qt Test's arguments and returns what the program returns.
using RunTest = int (*)(int argc, char **argv);

/// Adds the test of a source to the program's list, under the source's name without folder and
/// suffix. Always true.
bool listTest(const char *sourceFile, RunTest run);

/// The test that argv[1] names; null after a word on stderr if there is none.
RunTest namedTest(int argc, char **argv);

template <typename Test>
int runTest(int argc, char **argv)
{
    Test test;
    return QTest::qExec(&test, argc, argv);
}

/// Body of main(): everything after the program's own name is as if the test were a program.
template <typename Application>
int runNamedTest(int argc, char **argv)
{
    const RunTest run = namedTest(argc, argv);
    if (run == nullptr)
        return 2;
    --argc;
    ++argv;
    Application application(argc, argv);
    Application::setAttribute(Qt::AA_Use96Dpi, true); // as QTEST_MAIN does
    return run(argc, argv);
}

} // namespace tests

/// Stands at the end of tst_graph.cpp, before its .moc: TestClass is the test called tst_graph.
#define LONGPOLE_TEST(TestClass)                                                                   \
    [[maybe_unused]] static const bool is##TestClass##Listed                                       \
        = tests::listTest(__FILE__, &tests::runTest<TestClass>);
