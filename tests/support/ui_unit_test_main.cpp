#include "tests/support/unit_test.h"

#include <QApplication>

int main(int argc, char **argv)
{
    return tests::runNamedTest<QApplication>(argc, argv);
}
