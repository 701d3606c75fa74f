import HoldfastBytes
import HoldfastQuery
import HoldfastRows

/// The numbers of rows of a class's sample that satisfy the condition of a query, and those of the sources that may
/// find its objects.
struct SampleCounts {
    /// So many matches are enough: more would not change the choice.
    private static let matchCountMax = 16

    /// The rows that are tested first; then as many as were tested before.
    private static let firstCount = 8

    /// The number of rows tested.
    private(set) var testedCount = 0
    /// The number of them that satisfy the whole condition.
    private(set) var matchCount = 0
    /// The number of entries read beside the rows, most of them behind links.
    private(set) var followedCount = 0
    /// A bit for each source that finds a row.
    private var masks: [UInt64] = []

    private let sample: ClassSample
    private let predicate: Predicate
    private let candidates: [PlanCandidate]
    /// The tests of rows; made when the first is tested.
    private var tests: (whole: Matcher, sources: [SourceTest])?
    /// The cost of making those.
    private let startCost: Int
    /// The cost of testing a row, without that of following its links.
    private let step: Int
    private var next = 0

    init(_ sample: ClassSample, _ predicate: Predicate, _ candidates: [PlanCandidate]) {
        self.sample = sample
        self.predicate = predicate
        self.candidates = candidates
        let matcherCount = candidates.count { $0.source.needsLookUps } + 1
        startCost = matcherCount * QueryCost.matcher
        step =
            QueryCost.sampledRow * (1 + candidates.count)
            + matcherCount * (QueryCost.scannedRow + QueryCost.test(predicate))
    }

    /// The cost of testing, that of the next rows included, see ``QueryCost``.
    var costOfNext: Int {
        startCost + followedCount * QueryCost.followed
            + (testedCount + max(Self.firstCount, testedCount)) * step
    }

    /// Tests some rows; false when enough of them match, or none is left.
    mutating func test(in transaction: ReadTransaction) throws(StoreError) -> Bool {
        let (whole, sources) =
            tests ?? (
                predicate.makeMatcher(transaction.rows, source: transaction),
                candidates.prefix(64).map { candidate in
                    let source = candidate.isBare ? transaction.unrestricted : transaction
                    let matcher = candidate.condition?.makeMatcher(
                        transaction.rows, source: source)
                    return SourceTest(
                        source: candidate.source, matcher: matcher, rowClass: sample.rowClass,
                        transaction: source)
                }
            )
        tests = (whole, sources)
        let before = transaction.entriesRead
        let end = min(next + max(Self.firstCount, testedCount), sample.entries.count)
        while next < end, matchCount < Self.matchCountMax, !transaction.isLate {
            let entry = sample.entries[next]
            next += 1
            guard let stored = try sample.row(entry, in: transaction) else { continue }
            testedCount += 1
            // Each source finds all that match, so that most rows need no more than its test.
            var mask: UInt64 = 0
            var isFound = true
            for (index, test) in sources.enumerated() where !test.readsShown {
                if test.finds(stored, entry.key) {
                    mask |= 1 << UInt64(index)
                } else {
                    isFound = false
                }
            }
            // What is not shown is not tested, since nothing may tell of it; what is there now is judged.
            if isFound || sources.contains(where: \.readsShown),
                let shown = transaction.showsPart
                    ? try transaction.find(sample.rowClass, key: entry.key) : stored
            {
                if isFound, whole.matches(row: shown, key: entry.key, source: transaction) {
                    matchCount += 1
                    masks.append(.max)
                    continue
                }
                for (index, test) in sources.enumerated()
                where test.readsShown && test.finds(shown, entry.key) {
                    mask |= 1 << UInt64(index)
                }
            }
            if mask != 0 { masks.append(mask) }
        }
        // Of rows that the query may never come to.
        transaction.budget.forgetPattern()
        followedCount += transaction.entriesRead - before
        return next == end && next < sample.entries.count && matchCount < Self.matchCountMax
    }

    /// Counts the rows that all of some sources find, by their positions.
    func count(_ sources: [Int]) -> Int {
        var wanted: UInt64 = 0
        for source in sources where source < 64 { wanted |= 1 << UInt64(source) }
        return masks.reduce(0) { $0 + ($1 & wanted == wanted ? 1 : 0) }
    }

    /// Scales a count in the sample to the whole class.
    func scaled(_ count: Int, to total: Int) -> Int {
        guard testedCount > 0 else { return total }
        // Where none was met there may still be half a one.
        return count == 0
            ? total / (2 * testedCount) : QueryCost.times(count, total) / testedCount
    }
}

/// Whether a source finds a row.
private struct SourceTest {
    let source: PlanSource
    /// Tests rows where the source is no index.
    let matcher: Matcher?
    let rowClass: RowClass
    let transaction: ReadTransaction
    let buffer = ByteBuffer(capacity: 64)

    /// Whether it is asked of what is shown. A rule is asked of what is stored, which indexes are of too.
    var readsShown: Bool {
        if case .index = source { return false }
        return transaction.sighted != nil
    }

    /// Whether it finds a row, as that is shown or stored.
    func finds(_ row: RowView, _ key: UInt64) -> Bool {
        guard case .index(let member, let ranges) = source else {
            return matcher?.matches(row: row, key: key, source: transaction) ?? false
        }
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
