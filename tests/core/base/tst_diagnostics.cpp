#include "core/base/diagnostics.h"

#include <QtTest>

using namespace core;

class DiagnosticsTest : public QObject
{
    Q_OBJECT

private slots:
    /// Of a damaged archive what the damage caused was told first, with its own remedy.
    void damagedDataComeBeforeWhatTheyCause()
    {
        Diagnostics diagnostics;
        diagnostics.count("no-sync", Severity::Info, { "a.json.gz", {} }, "");
        diagnostics.count("bad-time", Severity::Error, { "a.json.gz", 3 }, "");
        diagnostics.count("bad-duration", Severity::Error, { "a.json.gz", 2 }, "");
        diagnostics.count("unreadable-rest", Severity::Error, { "a.json.gz", 9 }, "");
        QStringList codes;
        for (const Diagnostic &one : diagnostics.list())
            codes.append(QString::fromStdString(one.code));
        QCOMPARE(codes.join(QLatin1Char(' ')),
                 QStringLiteral("unreadable-rest bad-duration bad-time no-sync"));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(DiagnosticsTest)
#include "tst_diagnostics.moc"
