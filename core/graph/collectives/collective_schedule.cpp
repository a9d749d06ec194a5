#include "core/graph/collectives/collective_schedule.h"

#include "core/graph/build/schedule_builder.h"
#include "core/graph/collectives/binary_trees.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace core {

namespace {

    using Positions = std::vector<std::uint32_t>;

    constexpr std::size_t MostRanks = 1 << 15; ///< whose square fits an index
    constexpr std::uint64_t MostBytes = std::uint64_t { 1 } << 48; ///< of a rank; more is damage

    /// The ranks of each host, hosts in the order of their first ranks.
    std::vector<Positions> ranksOfHosts(const std::vector<std::uint32_t> &hosts)
    {
        std::map<std::uint32_t, std::size_t> indexOf;
        std::vector<Positions> ranks;
        for (std::uint32_t i = 0; i < hosts.size(); ++i) {
            const auto [entry, isNew] = indexOf.try_emplace(hosts[i], ranks.size());
            if (isNew)
                ranks.emplace_back();
            ranks[entry->second].push_back(i);
        }
        return ranks;
    }

    Positions ringOrder(const std::vector<Positions> &hosts)
    {
        Positions order;
        for (const Positions &ranks : hosts)
            order.insert(order.end(), ranks.begin(), ranks.end());
        return order;
    }

    /// By position in the group: its parent. Hosts' first ranks are joined by `trees`.
    TreeParents withChains(const std::vector<Positions> &hosts, const TreeParents &tree)
    {
        TreeParents parents(ringOrder(hosts).size());
        for (std::size_t h = 0; h < hosts.size(); ++h) {
            if (tree[h])
                parents[hosts[h].front()] = hosts[*tree[h]].front();
            for (std::size_t i = 1; i < hosts[h].size(); ++i)
                parents[hosts[h][i]] = hosts[h][i - 1];
        }
        return parents;
    }

    Positions depthsOf(const TreeParents &parents)
    {
        Positions depths(parents.size(), 0);
        for (std::size_t i = 0; i < parents.size(); ++i)
            for (auto up = parents[i]; up; up = parents[*up])
                ++depths[i];
        return depths;
    }

    /// One piece of the data: chunks that run through the algorithm together.
    struct Piece
    {
        std::uint32_t firstChunk, channel;
    };

    class Scheduler
    {
    public:
        explicit Scheduler(const ScheduleRequest &request)
            : m_request(request)
            , m_bytes(std::min(request.bytes, MostBytes))
            , m_ranks(static_cast<std::uint32_t>(request.hosts.size()))
            , m_hosts(ranksOfHosts(request.hosts))
            , m_ring(ringOrder(m_hosts))
        {
        }

        CollectiveSchedule schedule()
        {
            const std::string_view kind = m_request.kind;
            if (kind == "all_reduce" || kind == "barrier")
                addAllReduce();
            else if (kind == "all_gather")
                addPieces(m_ranks, m_ranks * m_bytes, (m_ranks - 1) * m_ranks,
                          &Scheduler::addGatherRound);
            else if (kind == "reduce_scatter")
                addPieces(m_ranks, m_bytes, (m_ranks - 1) * m_ranks, &Scheduler::addReduceRound);
            else if (kind == "all_to_all")
                addPieces(m_ranks * m_ranks, m_ranks * m_bytes, (m_ranks - 1) * m_ranks,
                          &Scheduler::addAllToAll);
            else if (kind == "broadcast" || kind == "reduce")
                addPieces(1, m_bytes, m_ranks - 1, &Scheduler::addChain);
            else if (kind == "gather" || kind == "scatter")
                addPieces(m_ranks, m_ranks * m_bytes, m_ranks - 1, &Scheduler::addStar);
            return m_builder.build(m_members ? m_members : m_ranks);
        }

    private:
        using AddPiece = void (Scheduler::*)(const Piece &);

        /// As many pieces of `chunks` chunks as it takes to have none larger than wanted, each with
        /// `transfers` transfers. Pieces are dealt out in turn, to two trees or to servers: a
        /// multiple of `least`, so that all get as many.
        void addPieces(std::uint64_t chunks, std::uint64_t bytes, std::uint64_t transfers,
                       AddPiece addPiece, std::uint64_t least = 1)
        {
            if (transfers * least > m_request.mostTransfers)
                return;
            const auto wholeRounds
                = [least](std::uint64_t pieces) { return pieces / least * least; };
            const std::uint64_t most
                = wholeRounds(m_request.mostTransfers / std::max<std::uint64_t>(1, transfers));
            const std::uint64_t limit = std::max<std::uint64_t>(1, m_request.chunkBytes);
            const std::uint64_t ofLimit
                = bytes / chunks / limit + (bytes / chunks % limit != 0 ? 1 : 0);
            const std::uint64_t wanted = wholeRounds(
                std::max<std::uint64_t>({ 1, m_request.channels, ofLimit }) + least - 1);
            const std::uint64_t pieces = std::min(wanted, most);
            m_builder.split(bytes, pieces * chunks, pieces < wanted);
            for (std::uint64_t i = 0; i < pieces; ++i)
                (this->*addPiece)({ static_cast<std::uint32_t>(i * chunks),
                                    static_cast<std::uint32_t>(
                                        i % std::max<std::uint32_t>(1, m_request.channels)) });
        }

        void addAllReduce()
        {
            const std::uint64_t n = m_ranks, hosts = m_hosts.size();
            switch (m_request.algorithm) {
            case CollectiveAlgorithm::Tree:
                if (4 * (n - 1) > m_request.mostTransfers)
                    return; // before the trees of so many ranks are made
                setTrees();
                addPieces(1, m_bytes, 2 * (n - 1), &Scheduler::addTree, 2);
                return;
            case CollectiveAlgorithm::ParameterServer:
                m_members = m_ranks + m_request.servers;
                // Each pull waits for all pushes: the edges count, too.
                addPieces(1, m_bytes, std::uint64_t { n } * (n + 2), &Scheduler::addPushPull,
                          m_request.servers);
                return;
            case CollectiveAlgorithm::ColocatedServers:
                addPieces(n, m_bytes, n * (n - 1) * (n + 1), &Scheduler::addSharedLinks);
                return;
            case CollectiveAlgorithm::Hierarchical:
                if (hosts > 1 && hosts < n) {
                    addHierarchical();
                    return;
                }
                [[fallthrough]];
            case CollectiveAlgorithm::Ring:
                addPieces(n, m_bytes, 2 * (n - 1) * n, &Scheduler::addRing);
            }
        }

        void addHierarchical()
        {
            const std::uint64_t n = m_ranks, hosts = m_hosts.size();
            const std::size_t local = m_hosts.front().size();
            const bool isEven
                = std::all_of(m_hosts.begin(), m_hosts.end(),
                              [local](const Positions &ranks) { return ranks.size() == local; });
            if (isEven)
                addPieces(n, m_bytes, 2 * (local - 1) * n + 2 * (hosts - 1) * n,
                          &Scheduler::addShardedLevels);
            else
                addPieces(hosts, m_bytes, 2 * (n - hosts) + 2 * (hosts - 1) * hosts,
                          &Scheduler::addLevels);
        }

        /// A ring over some members, each with a block of the data.
        struct Ring
        {
            Positions members; ///< in the order of the ring
            Positions blocks; ///< by place in the ring
            std::uint32_t firstChunk; ///< of block 0
            std::uint32_t chunksOfBlock;
            std::uint32_t channel;
        };

        static Ring ringOf(Positions members, std::uint32_t firstChunk, std::uint32_t chunksOfBlock,
                           std::uint32_t channel)
        {
            Positions blocks(members.size());
            std::iota(blocks.begin(), blocks.end(), 0U);
            return { std::move(members), std::move(blocks), firstChunk, chunksOfBlock, channel };
        }
        /// All ranks; the block of each is what it has at the end of a reduce-scatter and at the
        /// beginning of an all-gather.
        Ring ringOfAll(const Piece &piece) const
        {
            return { m_ring, m_ring, piece.firstChunk, 1, piece.channel };
        }

        /// Each block goes round from the place behind its own to its own, and every member adds
        /// its part. Returns the next step.
        std::uint32_t addReduceScatter(const Ring &ring, std::uint32_t step)
        {
            return addRound(ring, step, true);
        }
        /// Each block goes round from its own place. Returns the next step.
        std::uint32_t addAllGather(const Ring &ring, std::uint32_t step)
        {
            return addRound(ring, step, false);
        }
        /// In every step each member sends on the block that it got last.
        std::uint32_t addRound(const Ring &ring, std::uint32_t step, bool isReduced)
        {
            const auto n = static_cast<std::uint32_t>(ring.members.size());
            const std::uint32_t first = isReduced ? n - 1 : n; // block of place p: p - 1, or p
            for (std::uint32_t k = 0; k + 1 < n; ++k, ++step)
                for (std::uint32_t p = 0; p < n; ++p) {
                    const std::uint32_t block = ring.blocks[(p + first - k) % n];
                    m_builder.add({ ring.members[p], ring.members[(p + 1) % n],
                                    ring.firstChunk + block * ring.chunksOfBlock,
                                    ring.chunksOfBlock, ring.channel, step, 0, isReduced });
                }
            return step;
        }

        void addRing(const Piece &piece)
        {
            addAllGather(ringOfAll(piece), addReduceScatter(ringOfAll(piece), 0));
        }
        void addGatherRound(const Piece &piece) { addAllGather(ringOfAll(piece), 0); }
        void addReduceRound(const Piece &piece) { addReduceScatter(ringOfAll(piece), 0); }

        /// In step k every rank sends to the k-th behind it.
        void addAllToAll(const Piece &piece)
        {
            for (std::uint32_t k = 1; k < m_ranks; ++k)
                for (std::uint32_t r = 0; r < m_ranks; ++r)
                    send(piece, { r, (r + k) % m_ranks }, r * m_ranks + (r + k) % m_ranks, k - 1,
                         false);
        }

        /// From the root along the ring, or along the ring to the root.
        void addChain(const Piece &piece)
        {
            const bool isReduce = m_request.kind == "reduce";
            const auto root = static_cast<std::uint32_t>(
                std::find(m_ring.begin(), m_ring.end(), m_request.root) - m_ring.begin());
            for (std::uint32_t k = 0; k + 1 < m_ranks; ++k) {
                const std::uint32_t p = root + k + (isReduce ? 1 : 0);
                send(piece, { m_ring[p % m_ranks], m_ring[(p + 1) % m_ranks] }, 0, k, isReduce);
            }
        }

        void addStar(const Piece &piece)
        {
            const bool isGather = m_request.kind == "gather";
            const std::uint32_t root = m_request.root;
            for (std::uint32_t r = 0; r < m_ranks; ++r)
                if (r != root)
                    send(piece, isGather ? Hop { r, root } : Hop { root, r }, r, 0, false,
                         isGather);
        }

        void setTrees()
        {
            const DoubleTree trees = doubleBinaryTree(static_cast<std::uint32_t>(m_hosts.size()));
            for (const TreeParents &tree : { trees.first, trees.second }) {
                m_trees.push_back(withChains(m_hosts, tree));
                m_depths.push_back(depthsOf(m_trees.back()));
            }
        }

        /// Every other chunk goes through the second tree.
        void addTree(const Piece &piece)
        {
            const TreeParents &parents = m_trees[piece.firstChunk % 2];
            const Positions &depths = m_depths[piece.firstChunk % 2];
            const std::uint32_t height = *std::max_element(depths.begin(), depths.end());
            Positions order(m_ranks);
            std::iota(order.begin(), order.end(), 0U);
            std::stable_sort(
                order.begin(), order.end(),
                [&depths](std::uint32_t a, std::uint32_t b) { return depths[a] > depths[b]; });
            for (const std::uint32_t r : order)
                if (parents[r])
                    send(piece, { r, *parents[r] }, 0, height - depths[r], true);
            std::reverse(order.begin(), order.end());
            for (const std::uint32_t r : order)
                if (parents[r])
                    send(piece, { *parents[r], r }, 0, height + depths[r] - 1, false);
        }

        /// Every rank pushes its part to the partition's server and pulls the sum.
        void addPushPull(const Piece &piece)
        {
            const std::uint32_t server = m_ranks + piece.firstChunk % m_request.servers;
            for (std::uint32_t r = 0; r < m_ranks; ++r)
                send(piece, { r, server }, 0, 0, true, true);
            for (std::uint32_t r = 0; r < m_ranks; ++r)
                send(piece, { server, r }, 0, 1, false);
        }

        /// Each rank's server sums one chunk. In step k every rank pushes to the k-th behind it, so
        /// that no server receives from two at once, then every server sends its sum there. Both
        /// go over the sender's one link.
        void addSharedLinks(const Piece &piece)
        {
            for (const bool isPush : { true, false })
                for (std::uint32_t k = 1; k < m_ranks; ++k)
                    for (std::uint32_t r = 0; r < m_ranks; ++r) {
                        const std::uint32_t to = (r + k) % m_ranks;
                        send(piece, { r, to }, isPush ? to : r, (isPush ? 0 : m_ranks - 1) + k - 1,
                             isPush);
                    }
        }

        /// Hosts with equally many ranks: each rank of a host has the sum of one shard, which those
        /// of the other hosts with the same shard reduce among themselves.
        void addShardedLevels(const Piece &piece)
        {
            const auto hosts = static_cast<std::uint32_t>(m_hosts.size());
            const auto local = static_cast<std::uint32_t>(m_hosts.front().size());
            for (const Positions &ranks : m_hosts)
                addReduceScatter(ringOf(ranks, piece.firstChunk, hosts, piece.channel), 0);
            std::uint32_t next = 0;
            for (std::uint32_t s = 0; s < local; ++s) {
                Positions ranks;
                for (const Positions &host : m_hosts)
                    ranks.push_back(host[s]);
                const Ring ring
                    = ringOf(std::move(ranks), piece.firstChunk + s * hosts, 1, piece.channel);
                next = addAllGather(ring, addReduceScatter(ring, local - 1));
            }
            for (const Positions &ranks : m_hosts)
                addAllGather(ringOf(ranks, piece.firstChunk, hosts, piece.channel), next);
        }

        /// Hosts that differ: the sum of each host is its first rank's, and goes in a ring between
        /// these.
        void addLevels(const Piece &piece)
        {
            std::size_t largest = 0;
            Positions firsts;
            for (const Positions &ranks : m_hosts) {
                largest = std::max(largest, ranks.size());
                firsts.push_back(ranks.front());
            }
            for (const Positions &ranks : m_hosts)
                for (std::size_t i = ranks.size() - 1; i > 0; --i)
                    sendPiece(ranks[i], ranks[i - 1], piece, largest - 1 - i, true);
            const Ring ring = ringOf(std::move(firsts), piece.firstChunk, 1, piece.channel);
            const std::uint32_t step = addAllGather(
                ring, addReduceScatter(ring, static_cast<std::uint32_t>(largest - 1)));
            for (const Positions &ranks : m_hosts)
                for (std::size_t i = 1; i < ranks.size(); ++i)
                    sendPiece(ranks[i - 1], ranks[i], piece, step + i - 1, false);
        }

        /// The chunks of all hosts.
        void sendPiece(std::uint32_t from, std::uint32_t to, const Piece &piece, std::size_t step,
                       bool isReduced)
        {
            m_builder.add({ from, to, piece.firstChunk, static_cast<std::uint32_t>(m_hosts.size()),
                            piece.channel, static_cast<std::uint32_t>(step), 0, isReduced });
        }

        struct Hop
        {
            std::uint32_t from, to;
        };
        /// The piece's chunk number `chunk`.
        void send(const Piece &piece, Hop hop, std::uint32_t chunk, std::uint32_t step,
                  bool isReduced, bool isHeldByReceiver = false)
        {
            m_builder.add({ hop.from, hop.to, piece.firstChunk + chunk, 1, piece.channel, step, 0,
                            isReduced, isHeldByReceiver });
        }

        const ScheduleRequest &m_request;
        std::uint64_t m_bytes;
        std::uint32_t m_ranks;
        std::uint32_t m_members = 0; ///< 0: the ranks
        std::vector<Positions> m_hosts;
        Positions m_ring;
        std::vector<TreeParents> m_trees; ///< [2], by position
        std::vector<Positions> m_depths;
        ScheduleBuilder m_builder;
    };

} // namespace

CollectiveSchedule collectiveSchedule(const ScheduleRequest &request)
{
    if (request.hosts.size() < 2 || request.hosts.size() > MostRanks)
        return {};
    return Scheduler(request).schedule();
}

} // namespace core
