#include "core/change/schedules/recv_order.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace core;

namespace {

using Order = std::vector<std::size_t>;

Order inOrderOfNumbers(std::size_t recvs)
{
    Order order(recvs);
    std::iota(order.begin(), order.end(), std::size_t { 0 });
    return order;
}

/// Of all orders.
double leastMakespan(const RecvModel &model)
{
    Order order = inOrderOfNumbers(model.recvTimes.size());
    double least = recvMakespan(model, order);
    while (std::next_permutation(order.begin(), order.end()))
        least = std::min(least, recvMakespan(model, order));
    return least;
}

/// Recvs that share a priority as they are numbered.
Order ticOrder(const RecvModel &model)
{
    const std::vector<std::int32_t> priorities = ticPriorities(model);
    Order order = inOrderOfNumbers(priorities.size());
    std::stable_sort(order.begin(), order.end(), [&priorities](std::size_t a, std::size_t b) {
        return priorities[a] < priorities[b];
    });
    return order;
}

double timeUpTo100(std::mt19937_64 &random)
{
    return static_cast<double>(1 + random() % 100);
}

/// Numbers of recvs say nothing of their order.
RecvModel renumbered(RecvModel model, std::mt19937_64 &random)
{
    Order numbers = inOrderOfNumbers(model.recvTimes.size());
    for (std::size_t i = numbers.size(); i > 1; --i)
        std::swap(numbers[i - 1], numbers[random() % i]);
    std::vector<double> recvTimes(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        recvTimes[numbers[i]] = model.recvTimes[i];
    model.recvTimes = recvTimes;
    for (RecvModel::Op &op : model.ops) {
        for (std::size_t &recv : op.recvs)
            recv = numbers[recv];
        std::sort(op.recvs.begin(), op.recvs.end());
    }
    return model;
}

/// A model of 2 to 7 tensors in blocks of one to three branches, as of an Inception: each branch is
/// an op with a tensor of its own, needs the block before, and an op joins the branches.
RecvModel layeredModel(std::mt19937_64 &random)
{
    RecvModel model;
    const std::size_t layers = 2 + random() % 6;
    Order before;
    for (std::size_t recv = 0; recv < layers;) {
        const std::size_t wanted = 1 + (random() % 2 == 0 ? random() % 3 : 0);
        const std::size_t branches = std::min(wanted, layers - recv);
        Order joined = before;
        for (std::size_t branch = 0; branch < branches; ++branch, ++recv) {
            Order needed = before;
            needed.push_back(recv);
            joined.push_back(recv);
            model.recvTimes.push_back(timeUpTo100(random));
            model.ops.push_back({ timeUpTo100(random), needed });
        }
        if (branches > 1)
            model.ops.push_back({ timeUpTo100(random), joined });
        before = joined;
    }
    return renumbered(std::move(model), random);
}

/// Ops that need any of 2 to 7 recvs, and what an op before them needs.
RecvModel anyModel(std::mt19937_64 &random)
{
    RecvModel model;
    const std::size_t recvs = 2 + random() % 6, ops = 1 + random() % (2 * recvs);
    for (std::size_t i = 0; i < recvs; ++i)
        model.recvTimes.push_back(timeUpTo100(random));
    for (std::size_t i = 0; i < ops; ++i) {
        Order needed { random() % recvs };
        if (i > 0 && random() % 2 == 0) {
            const Order &other = model.ops[random() % i].recvs;
            needed.insert(needed.end(), other.begin(), other.end());
        }
        std::sort(needed.begin(), needed.end());
        needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
        model.ops.push_back({ timeUpTo100(random), needed });
    }
    return model;
}

/// The same model with all recvs that an op needs beside it.
RecvModel writtenOut(RecvModel model)
{
    for (RecvModel::Op &op : model.ops) {
        if (op.after != RecvModel::NoOther)
            op.recvs.insert(op.recvs.end(), model.ops[op.after].recvs.begin(),
                            model.ops[op.after].recvs.end());
        std::sort(op.recvs.begin(), op.recvs.end());
        op.recvs.erase(std::unique(op.recvs.begin(), op.recvs.end()), op.recvs.end());
        op.after = RecvModel::NoOther;
    }
    return model;
}

/// Up to 40 recvs. Each op is after an earlier one, mostly the last, and needs up to two more.
RecvModel deepModel(std::mt19937_64 &random)
{
    RecvModel model;
    const std::size_t recvs = 2 + random() % 39;
    Order numbers = inOrderOfNumbers(recvs);
    std::shuffle(numbers.begin(), numbers.end(), random);
    for (std::size_t i = 0; i < recvs; ++i)
        model.recvTimes.push_back(timeUpTo100(random));
    for (std::size_t next = 0; next < recvs;) {
        RecvModel::Op op { static_cast<double>(random() % 50), {} };
        for (std::uint64_t more = random() % 3; more > 0 && next < recvs; --more)
            op.recvs.push_back(numbers[next++]);
        std::sort(op.recvs.begin(), op.recvs.end());
        const std::size_t ops = model.ops.size();
        if (ops > 0 && random() % 5 != 0)
            op.after = random() % 4 == 0 ? random() % ops : ops - 1;
        model.ops.push_back(op);
    }
    return model;
}

/// TicTac's algorithms as they are written: all properties anew each turn, of all recvs of each op.
struct ByDefinition
{
    const RecvModel &model;
    std::vector<char> isOutstanding = std::vector<char>(model.recvTimes.size(), 1);
    std::vector<double> alone = {}, withOthers = {};

    void setProperties(const std::vector<double> &recvTimes)
    {
        alone.assign(recvTimes.size(), 0);
        withOthers.assign(recvTimes.size(), std::numeric_limits<double>::infinity());
        for (const RecvModel::Op &op : model.ops) {
            Order left;
            double time = 0;
            for (const std::size_t recv : op.recvs)
                if (isOutstanding[recv] != 0) {
                    left.push_back(recv);
                    time += recvTimes[recv];
                }
            if (left.size() == 1)
                alone[left.front()] += op.time;
            for (const std::size_t recv : left)
                if (left.size() > 1)
                    withOthers[recv] = std::min(withOthers[recv], time);
        }
    }

    bool goesBefore(std::size_t a, std::size_t b) const
    {
        const double first = std::min(alone[b], model.recvTimes[a]);
        const double other = std::min(alone[a], model.recvTimes[b]);
        return first != other ? first < other : withOthers[a] < withOthers[b];
    }

    Order tac()
    {
        Order order;
        while (order.size() < isOutstanding.size()) {
            setProperties(model.recvTimes);
            auto best = static_cast<std::size_t>(
                std::find(isOutstanding.begin(), isOutstanding.end(), 1) - isOutstanding.begin());
            bool isBetter = true;
            for (int walk = 0; isBetter && walk < 3; ++walk) {
                isBetter = false;
                for (std::size_t recv = 0; recv < isOutstanding.size(); ++recv)
                    if (isOutstanding[recv] != 0 && goesBefore(recv, best)) {
                        best = recv;
                        isBetter = true;
                    }
            }
            order.push_back(best);
            isOutstanding[best] = 0;
        }
        return order;
    }

    /// How many recvs have a lesser M+, with one unit of time each.
    std::vector<std::int32_t> tic()
    {
        setProperties(std::vector<double>(model.recvTimes.size(), 1));
        std::vector<std::int32_t> priorities;
        for (const double one : withOthers)
            priorities.push_back(static_cast<std::int32_t>(
                std::count_if(withOthers.begin(), withOthers.end(),
                              [one](double other) { return other < one; })));
        return priorities;
    }
};

/// How near an order comes to the best one.
struct Nearness
{
    int best = 0; ///< models of which it is
    double worst = 1; ///< its makespan, of the least

    void add(double makespan, double least)
    {
        best += makespan <= least * (1 + 1e-12) ? 1 : 0;
        worst = std::max(worst, makespan / least);
    }
};

template <class Model>
std::pair<Nearness, Nearness> ticAndTac(const Model &modelOf)
{
    std::mt19937_64 random(1);
    Nearness tic, tac;
    for (int i = 0; i < 1000; ++i) {
        const RecvModel model = modelOf(random);
        const double least = leastMakespan(model);
        tic.add(recvMakespan(model, ticOrder(model)), least);
        tac.add(recvMakespan(model, tacOrder(model)), least);
    }
    qInfo("TIC best of %d, worst %.3f; TAC best of %d, worst %.3f", tic.best, tic.worst, tac.best,
          tac.worst);
    return { tic, tac };
}

} // namespace

class RecvOrderTest : public QObject
{
    Q_OBJECT

private slots:
    void opsRunAsWhatTheyNeedComes();
    void twoRecvsAreInTheBetterOrder();
    void aCircleOfTiesEnds();
    void aChainIsReceivedInItsOrder();
    void ticGivesOnePriorityToWhatItDoesNotTellApart();
    void ordersAreThoseOfTheDefinition();
    void aCancelledOrderEnds();
    void ordersOfLayeredModels();
    void ordersOfAnyModels();
};

/// The second recv ends at 30, its op then runs for 5; the first op is done at 25.
void RecvOrderTest::opsRunAsWhatTheyNeedComes()
{
    const RecvModel model { { 10, 20 }, { { 15, { 0 } }, { 5, { 0, 1 } } } };
    QCOMPARE(recvMakespan(model, { 0, 1 }), 35.0);
    QCOMPARE(recvMakespan(model, { 1, 0 }), 50.0);
    QCOMPARE(recvMakespan({ { 10, 20 }, {} }, { 0, 1 }), 30.0);
}

/// Section 4.3, case 1, T12: the makespan of A before B is M_A + max(P_A, M_B) + P_B.
void RecvOrderTest::twoRecvsAreInTheBetterOrder()
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 200'000; ++i) {
        const auto time = [&random] { return static_cast<double>(random() % 100); };
        const double m[] = { time(), time() }, p[] = { time(), time() };
        const double first = m[0] + std::max(p[0], m[1]) + p[1];
        const double other = m[1] + std::max(p[1], m[0]) + p[0];
        const RecvModel model { { m[0], m[1] }, { { p[0], { 0 } }, { p[1], { 1 } } } };
        const Order order = tacOrder(model);
        const double found = order.front() == 0 ? first : other;
        QCOMPARE(found, std::min(first, other));
        QCOMPARE(recvMakespan(model, order), found);
    }
}

/// (M, P, M+) of (2, 1, 3), (1, 1, 4) and (1, 2, none): each goes before the next, and the last
/// before the first.
void RecvOrderTest::aCircleOfTiesEnds()
{
    const RecvModel model {
        { 2, 1, 1, 1 },
        { { 1, { 0 } }, { 1, { 1 } }, { 2, { 2 } }, { 0, { 0, 3 } }, { 0, { 0, 1, 3 } } }
    };
    Order order = tacOrder(model);
    QCOMPARE(order.back(), std::size_t { 3 });
    QCOMPARE(recvMakespan(model, order), leastMakespan(model));
    std::sort(order.begin(), order.end());
    QCOMPARE(order, inOrderOfNumbers(4));
}

void RecvOrderTest::aChainIsReceivedInItsOrder()
{
    const RecvModel chain {
        { 9, 1, 5, 3 }, { { 1, { 3 } }, { 9, { 1, 3 } }, { 2, { 0, 1, 3 } }, { 4, { 0, 1, 2, 3 } } }
    };
    QCOMPARE(tacOrder(chain), (Order { 3, 1, 0, 2 }));
    QCOMPARE(ticOrder(chain).back(), std::size_t { 2 });
}

/// Of a chain the first two: an op needs both. A recv that no op shares is last.
void RecvOrderTest::ticGivesOnePriorityToWhatItDoesNotTellApart()
{
    const RecvModel model { { 1, 1, 1, 1 },
                            { { 1, { 0 } }, { 1, { 0, 1 } }, { 1, { 0, 1, 2 } }, { 1, { 3 } } } };
    QCOMPARE(ticPriorities(model), (std::vector<std::int32_t> { 0, 0, 2, 3 }));
}

void RecvOrderTest::ordersAreThoseOfTheDefinition()
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i) {
        const RecvModel model = i % 4 == 0 ? anyModel(random) : deepModel(random);
        const RecvModel whole = writtenOut(model);
        const Order order = tacOrder(model);
        QCOMPARE(order, ByDefinition { whole }.tac());
        QCOMPARE(tacOrder(whole), order);
        QCOMPARE(ticPriorities(model), ByDefinition { whole }.tic());
        QCOMPARE(recvMakespan(model, order), recvMakespan(whole, order));
    }
}

void RecvOrderTest::aCancelledOrderEnds()
{
    std::mt19937_64 random(1);
    const RecvModel model = deepModel(random);
    int checks = 0;
    double reported = -1;
    const JobControl control([&checks] { return ++checks > 2; },
                             [&reported](double fraction, std::string_view) {
                                 QVERIFY(fraction > reported && fraction <= 1);
                                 reported = fraction;
                             });
    QVERIFY_THROWS_EXCEPTION(Cancelled, tacOrder(model, control));
    QVERIFY(reported > 0);
}

/// TAC finds the best order of all of them. TIC knows no times: branches, and the first two of a
/// chain, are alike to it, and these are received as they happen to be numbered here.
void RecvOrderTest::ordersOfLayeredModels()
{
    const auto [tic, tac] = ticAndTac(&layeredModel);
    QVERIFY(tac.best >= 950);
    QVERIFY(tac.worst <= 1.15);
    QVERIFY(tic.best >= 350 && tic.best < tac.best);
    QVERIFY(tic.worst <= 1.7);
}

/// Greedy as it is, TAC misses some best orders where ops need whatever recvs.
void RecvOrderTest::ordersOfAnyModels()
{
    const auto [tic, tac] = ticAndTac(&anyModel);
    QVERIFY(tac.best >= 950);
    QVERIFY(tac.worst <= 1.2);
    QVERIFY(tic.best < tac.best);
}

LONGPOLE_TEST(RecvOrderTest)
#include "tst_recv_order.moc"
