#include "ui/widgets/byte_spin_box.h"

#include <QLineEdit>
#include <QTest>

#include <memory>

using ui::ByteSpinBox;

/// Bytes were shown as bytes only, however many: "5,242,880 B".
class TestByteSpinBox : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_box = std::make_unique<ByteSpinBox>();
        m_box->setLocale(QLocale(QLocale::English, QLocale::UnitedStates));
        m_box->setRange(0, 1e12);
        m_box->setSpecialValueText(QStringLiteral("no limit"));
    }

    void bytesAreShownInTheUnitThatTellsThemExactly_data()
    {
        QTest::addColumn<double>("bytes");
        QTest::addColumn<QString>("text");
        const auto row = [](double bytes, const char *text) {
            QTest::newRow(text) << bytes << QString::fromLatin1(text);
        };
        row(0, "no limit");
        row(1, "1 B");
        row(200'000, "200,000 B");
        row(1024, "1 KiB");
        row(65'536, "64 KiB");
        row(5 * 1024 * 1024, "5 MiB");
        row(1536 * 1024, "1,536 KiB");
        row(4.0 * 1024 * 1024 * 1024, "4 GiB");
    }

    void bytesAreShownInTheUnitThatTellsThemExactly()
    {
        QFETCH(const double, bytes);
        QFETCH(const QString, text);
        m_box->setValue(1'234'567);
        m_box->setValue(bytes);
        QCOMPARE(m_box->text(), text);
        m_box->interpretText(); // as when the field is left
        QCOMPARE(m_box->value(), bytes);
    }

    void whatIsTypedMayHaveAnyUnit_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<double>("bytes");
        const auto row = [](const char *typed, double bytes) {
            QTest::newRow(typed) << QString::fromLatin1(typed) << bytes;
        };
        row("300000", 300'000);
        row("300,001", 300'001);
        row("64 KiB", 65'536);
        row("64kib", 65'536);
        row("64 k", 65'536);
        row("1.5 MiB", 1'572'864);
        row("2 GiB", 2'147'483'648);
        row("7 B", 7);
        row("64 KX", 65'536); // no unit begins so: the key is not taken
        row("KiB", 77);
    }

    void whatIsTypedMayHaveAnyUnit()
    {
        QFETCH(const QString, typed);
        QFETCH(const double, bytes);
        m_box->setValue(77);
        auto *line = m_box->findChild<QLineEdit *>();
        line->selectAll();
        QTest::keyClicks(line, typed);
        QTest::keyClick(line, Qt::Key_Return);
        QCOMPARE(m_box->value(), bytes);
    }

private:
    std::unique_ptr<ByteSpinBox> m_box;
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestByteSpinBox)
#include "tst_byte_spin_box.moc"
