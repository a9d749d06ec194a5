#include "core/pipeline/pipeline.h"
#include "ui/main_window/main_window.h"
#include "ui/session/session.h"

#include <QAbstractScrollArea>
#include <QAccessible>
#include <QTemporaryDir>
#include <QTest>

class TestAccessibleNames : public QObject
{
    Q_OBJECT

private slots:
    void whateverTakesTheFocusHasAName();
};

namespace {

QString nameOf(QWidget &widget)
{
    const QAccessibleInterface *face = QAccessible::queryAccessibleInterface(&widget);
    return face == nullptr ? QString() : face->text(QAccessible::Name);
}

/// Of the library's own making, inside of a control that has the name.
bool isPartOfControl(const QWidget &widget)
{
    const auto *area = qobject_cast<const QAbstractScrollArea *>(widget.parentWidget());
    return widget.objectName().startsWith(QLatin1String("qt_"))
        || (area != nullptr && area->viewport() == &widget);
}

} // namespace

/// A screen reader tells what Tab has come to.
void TestAccessibleNames::whateverTakesTheFocusHasAName()
{
    const QTemporaryDir folder;
    const QString project = folder.filePath(QStringLiteral("p.longpole"));
    core::importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" },
                       project.toStdString(), {}, {});
    ui::Session session;
    ui::MainWindow window(session, false);
    window.show();
    session.openProject(project);
    QTRY_VERIFY_WITH_TIMEOUT(session.diagnosis() != nullptr, 60'000);
    QStringList nameless;
    const auto ids = window.workspaceIds();
    for (const QString &id : ids) {
        window.showWorkspace(id);
        const auto widgets = window.workspace(id)->findChildren<QWidget *>();
        for (QWidget *widget : widgets)
            if (widget->isVisible() && (widget->focusPolicy() & Qt::TabFocus)
                && !isPartOfControl(*widget) && nameOf(*widget).isEmpty())
                nameless << id + QLatin1Char(' ') + QLatin1String(widget->metaObject()->className())
                        + QLatin1String(" in ")
                        + QLatin1String(widget->parentWidget()->metaObject()->className());
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1String("; "))));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestAccessibleNames)
#include "tst_accessible_names.moc"
