import Bytes
import Query
import Rows

/// How many rows of a class's sample satisfy the condition of a query, and those of the sources that may find
/// its objects.
struct SampleCounts {
    /// So many matches are enough: more would not change the choice.
    private static let matchCountMax = 16

    /// The rows that are tested first; then as many as were tested before.
    private static let firstCount = 8

    /// How many rows were tested.
    private(set) var testedCount = 0
    /// How many of them satisfy the whole condition.
    private(set) var matchCount = 0
    /// How many entries were read beside the rows, most of them behind links.
    private(set) var followedCount = 0
    /// A bit for each source that finds a row.
    private var masks: [UInt64] = []

    private let sample: ClassSample
    private let predicate: Predicate
    /// What tests rows; made when the first is tested.
    private var tests: (whole: Matcher, sources: [SourceTest])?
    /// What it costs to have those.
    private let startCost: Int
    /// What it costs to test a row, without what it leads to.
    private let step: Int
    private var next = 0

    /// - `rowCost`: What a row costs to be tested in a scan, without what it leads to.
    init(_ sample: ClassSample, _ predicate: Predicate, _ sources: [PlanSource], rowCost: Int) {
        self.sample = sample
        self.predicate = predicate
        let matcherCount = sources.count { $0.needsLookUps } + 1
        startCost = matcherCount * QueryCost.matcher
        step = QueryCost.sampledRow * (1 + sources.count) + matcherCount * rowCost
    }

    /// What testing costs, that of the next rows too, see ``QueryCost``.
    var costOfNext: Int {
        startCost + followedCount * QueryCost.followed
            + (testedCount + max(Self.firstCount, testedCount)) * step
    }

    /// Tests some rows; false when enough of them match, or none is left.
    mutating func test(
        _ candidates: [PlanCandidate], in transaction: ReadTransaction, until deadline: UInt64
    ) throws(StoreError) -> Bool {
        let (whole, sources) =
            tests ?? (
                predicate.makeMatcher(transaction.rows, source: transaction, until: deadline),
                candidates.prefix(64).map {
                    SourceTest($0, sample.rowClass, transaction, until: deadline)
                }
            )
        tests = (whole, sources)
        let before = transaction.entriesRead
        let end = min(next + max(Self.firstCount, testedCount), sample.entries.count)
        while next < end, matchCount < Self.matchCountMax, !transaction.isLate {
            let entry = sample.entries[next]
            next += 1
            guard let row = try sample.row(entry, in: transaction) else { continue }
            testedCount += 1
            if whole.matches(row: row, key: entry.key, source: transaction) {
                matchCount += 1
                masks.append(.max)
                continue
            }
            var mask: UInt64 = 0
            for (index, test) in sources.enumerated()
            where test.finds(row, entry.key, transaction) {
                mask |= 1 << UInt64(index)
            }
            if mask != 0 { masks.append(mask) }
        }
        followedCount += transaction.entriesRead - before
        return next == end && next < sample.entries.count && matchCount < Self.matchCountMax
    }

    /// How many rows all of some sources find, by their positions.
    func count(_ sources: [Int]) -> Int {
        var wanted: UInt64 = 0
        for source in sources where source < 64 { wanted |= 1 << UInt64(source) }
        return masks.reduce(0) { $0 + ($1 & wanted == wanted ? 1 : 0) }
    }

    /// What a part of the sample is of a whole class.
    func scaled(_ count: Int, to total: Int) -> Int {
        guard testedCount > 0 else { return total }
        // Where none was met there may still be half a one.
        return count == 0
            ? total / (2 * testedCount) : QueryCost.times(count, total) / testedCount
    }
}

/// Whether a source finds a row.
private struct SourceTest {
    private let member: Int
    private let ranges: [OrderedKeyRange]
    private let matcher: Matcher?
    private let rowClass: RowClass
    private let buffer = ByteBuffer(capacity: 64)

    init(
        _ candidate: PlanCandidate, _ rowClass: RowClass, _ transaction: ReadTransaction,
        until deadline: UInt64
    ) {
        self.rowClass = rowClass
        switch candidate.source {
        case .primaryKey(let ranges):
            (member, self.ranges, matcher) = (rowClass.primaryKeyIndex ?? -1, ranges, nil)
        case .index(let member, let ranges):
            (self.member, self.ranges, matcher) = (member, ranges, nil)
        case .words, .points, .links, .all, .any:
            member = -1
            ranges = []
            matcher = candidate.condition.makeMatcher(
                transaction.rows, source: transaction, until: deadline)
        }
    }

    func finds(_ row: RowView, _ key: UInt64, _ transaction: ReadTransaction) -> Bool {
        if let matcher { return matcher.matches(row: row, key: key, source: transaction) }
        guard member >= 0 else { return false }
        buffer.removeAll()
        OrderedKey.append(
            rowClass.field(member, in: row), rowClass.members[member].storage.element, transaction,
            to: buffer)
        let value = buffer.bytes
        return ranges.contains { range in
            range.lower.withUnsafeBytes { compareKeys($0, value) <= 0 }
                && range.upper.withUnsafeBytes { compareKeys(value, $0) < 0 }
        }
    }
}
