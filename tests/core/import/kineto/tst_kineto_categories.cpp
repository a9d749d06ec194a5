#include "core/import/kineto/kineto_categories.h"

#include <QTest>

using namespace core;

class KinetoCategoriesTest : public QObject
{
    Q_OBJECT

private slots:
    void categoriesOfEveryAcceleratorAreKnown_data()
    {
        QTest::addColumn<QByteArray>("category");
        QTest::addColumn<QByteArray>("track");
        const auto row = [](const char *name, const char *category, const char *track) {
            QTest::newRow(name) << QByteArray(category) << QByteArray(track);
        };
        row("cuda_driver", "runtime", "host_thread");
        row("mtia_runtime", "runtime", "host_thread");
        row("glow_runtime", "runtime", "host_thread");
        row("xpu_runtime", "runtime", "host_thread");
        row("xpu_driver", "runtime", "host_thread");
        row("privateuse1_runtime", "runtime", "host_thread");
        row("privateuse1_driver", "runtime", "host_thread");
        row("mtia_ccp_events", "kernel", "stream");
        row("hpu_op", "kernel", "stream");
        row("collective_comm", "comm_kernel", "stream");
        row("gpu_memcpy", "memcpy", "stream");
        row("gpu_memset", "memset", "stream");
        row("cuda_sync", "sync", "stream_sync");
        row("cuda_event", "sync", "stream_sync");
        row("xpu_sync", "sync", "stream_sync");
        row("mtia_insight", "other", "annotation");
        row("xpu_scope_profiler", "other", "annotation");
        row("cuda_profiler_range", "other", "annotation");
        row("not yet invented", "other", "other");
    }
    void categoriesOfEveryAcceleratorAreKnown()
    {
        QFETCH(QByteArray, category);
        QFETCH(QByteArray, track);
        const KinetoCategory found = kinetoCategory(QTest::currentDataTag());
        QCOMPARE(QByteArray(categoryName(found.category).data()), category);
        QCOMPARE(QByteArray(trackKindName(found.track).data()), track);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(KinetoCategoriesTest)
#include "tst_kineto_categories.moc"
