#include "tests/support/unit_test.h"

#include <QCoreApplication>

int main(int argc, char **argv)
{
    return tests::runNamedTest<QCoreApplication>(argc, argv);
}
