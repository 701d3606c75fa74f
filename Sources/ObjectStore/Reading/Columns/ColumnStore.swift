import HoldfastQuery
import HoldfastRows
import HoldfastStorage
import Synchronization

/// The columns of a store: the values of properties that are scanned again and again, in memory.
///
/// A column belongs to a commit. The keys of the rows that later commits change are remembered, so that a snapshot of any commit
/// can tell which of a column's values are not its own. It reads those rows and makes a column of its own that shares every other
/// chunk, and leaves it to the next snapshot if it is newer. Thread-safe.
///
/// Benchmark rows: `aggregates`, `scan`.
package final class ColumnStore: Sendable {
    /// The chunks of one column as of one commit.
    struct Version {
        var commit: UInt64
        var chunks: [ColumnChunk?]
    }

    private struct Resident {
        var version: Version
        var byteCount: Int
        var lastUse: UInt64
    }

    /// The columns of one class.
    private struct ClassColumns {
        /// The generation of a class's columns: another one when they are rebuilt.
        var id: UInt64
        /// The commits with changes that are not in ``log``.
        var trackedFrom: UInt64
        var residents: [Int: Resident] = [:]
        /// The changes of later commits, in their order.
        var log: [(commit: UInt64, key: UInt64)] = []
        /// The properties with columns under construction.
        var building: Set<Int> = []
    }

    private struct Column: Hashable {
        var rowSpace: UInt32
        var member: Int
    }

    private struct State {
        /// The newest commit with noted changes, even if it is not complete yet.
        var lastCommit: UInt64?
        var classes: [UInt32: ClassColumns] = [:]
        /// How often columns that are not there were wanted; negative for one that had no room, which is asked for in vain
        /// so often.
        var uses: [Column: Int] = [:]
        var clock: UInt64 = 0
    }

    /// When columns are kept.
    package let options: ColumnOptions
    let meter = ColumnMeter()
    private let state = Mutex(State())

    init(_ options: ColumnOptions) { self.options = options }

    /// The bytes that columns take at present.
    package var byteCount: Int { meter.byteCount }

    // MARK: Commits

    /// Notes the changes of a commit, once for each part of it. The writer calls it before the commit can be seen.
    ///
    /// Cost: a lock; for each changed row of a class with columns its key.
    func note(_ batch: StorageBatch, commit: UInt64) {
        state.withLock { state in
            let last = state.lastCommit
            state.lastCommit = commit
            guard !state.classes.isEmpty else { return }
            // A missing number is a commit of another writer.
            guard commit == last || commit == last.map({ $0 + 1 }) else {
                state.classes = [:]
                return
            }
            for range in batch.removedRanges
            where range.upper.map({ $0.first ?? 0 >= StoreKey.Tag.row }) ?? true {
                state.classes = [:]
            }
            // Rows are the last kind of key.
            for change in batch.changes.reversed() {
                guard change.key.first == StoreKey.Tag.row else { break }
                guard change.key.count == StoreKey.rowByteCount else { continue }
                let space = UInt32(
                    bigEndian: change.key.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
                state.classes[space]?.log.append((commit, StoreKey.trailingObjectKey(change.key)))
            }
            for (space, columns) in state.classes
            where columns.log.count > options.changedKeyCountMax {
                Self.trim(space, &state, options.changedKeyCountMax / 2)
            }
        }
    }

    /// Forgets changes that all columns of a class have, or else the columns.
    private static func trim(_ space: UInt32, _ state: inout State, _ countMax: Int) {
        guard let columns = state.classes[space] else { return }
        let oldest = columns.residents.values.map(\.version.commit).min() ?? 0
        let kept = columns.log.filter { $0.commit > oldest }
        if kept.count > countMax || columns.residents.isEmpty {
            state.classes[space] = nil
        } else {
            state.classes[space]?.log = kept
            state.classes[space]?.trackedFrom = max(columns.trackedFrom, oldest)
        }
    }

    /// Drops every column, because a commit changes the meaning of rows. The writer calls it before the commit can be seen.
    func dropAll(commit: UInt64) {
        state.withLock { state in state = State(lastCommit: commit, clock: state.clock) }
    }

    // MARK: Reading

    /// The work that a query has to do to get its columns.
    private struct Request {
        var rowClass: RowClass
        /// The class's columns; nil if it has no columns and gets no columns now.
        var id: UInt64?
        /// The present columns, of any commit.
        var present: [Int: Version] = [:]
        /// The columns that are to be built.
        var missing: [Int] = []
        /// The keys with values that differ between the present columns and the snapshot.
        var changedKeys: [UInt64] = []
    }

    /// Whether a column may be had or built.
    func mayHave(_ reference: ColumnReference, _ rowClass: RowClass) -> Bool {
        guard options.byteCountMax > 0 else { return false }
        let column = Column(rowSpace: rowClass.rowSpace, member: reference.member)
        return state.withLock { state in
            guard let uses = state.uses[column], uses < 0 else { return true }
            state.uses[column] = uses + 1
            return false
        }
    }

    func hasColumns(_ rowClass: RowClass) -> Bool {
        options.byteCountMax > 0
            && state.withLock { !($0.classes[rowClass.rowSpace]?.residents.isEmpty ?? true) }
    }

    /// Adds the present column, of any commit; false if there is no column.
    ///
    /// Nothing counts as a use before ``touch(_:_:)``.
    func find(
        _ reference: ColumnReference, in transaction: ReadTransaction,
        _ found: inout ResidentColumns
    ) -> Bool {
        if found.chunks[reference] != nil { return true }
        return state.withLock { Self.find(reference, in: transaction, $0, &found) }
    }

    private static func find(
        _ reference: ColumnReference, in transaction: ReadTransaction, _ state: borrowing State,
        _ found: inout ResidentColumns
    ) -> Bool {
        guard transaction.commit <= state.lastCommit ?? 0,
            let columns = state.classes[transaction.rows.classes[reference.classIndex].rowSpace],
            transaction.commit >= columns.trackedFrom,
            let version = columns.residents[reference.member]?.version
        else { return false }
        found.chunks[reference] = version.chunks
        let commit = transaction.commit
        if version.commit == commit { return true }
        let start = columns.log.firstPosition { $0.commit > min(commit, version.commit) }
        let end = columns.log.firstPosition { $0.commit > max(commit, version.commit) }
        found.staleRowCount = max(found.staleRowCount, end - start)
        return true
    }

    /// The columns of a snapshot where they are all there and nothing has changed; else nil.
    private func unchanged(
        _ references: Set<ColumnReference>, in transaction: ReadTransaction
    ) -> [ColumnReference: [ColumnChunk?]]? {
        state.withLock { state in
            var found = ResidentColumns()
            for reference in references {
                guard Self.find(reference, in: transaction, state, &found), found.staleRowCount == 0
                else { return nil }
            }
            Self.touch(references, transaction.rows, &state)
            return found.chunks
        }
    }

    /// Notes that columns are used, which keeps them longer than others.
    func touch(_ references: some Sequence<ColumnReference>, _ schema: RowSchema) {
        state.withLock { Self.touch(references, schema, &$0) }
    }

    private static func touch(
        _ references: some Sequence<ColumnReference>, _ schema: RowSchema, _ state: inout State
    ) {
        state.clock += 1
        for reference in references {
            let space = schema.classes[reference.classIndex].rowSpace
            state.classes[space]?.residents[reference.member]?.lastUse = state.clock
        }
    }

    /// The maximum size of a class behind links, as a multiple of the scanned class: all of it is evaluated, while rows would
    /// read only the linked objects.
    static let farRatioMax = 16

    /// How often a column that had no room is asked for until it is tried again.
    private static let refusalCount = 1000

    /// Counts a use of columns that were not there: a scan read many rows instead.
    func countUse(_ references: Set<ColumnReference>, _ schema: RowSchema) {
        state.withLock { state in
            for reference in references {
                let space = schema.classes[reference.classIndex].rowSpace
                state.uses[Column(rowSpace: space, member: reference.member), default: 0] += 1
            }
        }
    }

    /// The columns of a snapshot, as far as they are there or this use has them built.
    ///
    /// - `scanned`: The class that is scanned, which has to be large enough; others are reached by its links.
    /// - `counts`: Whether it is a use that reads all rows where there are no columns.
    func columns(
        _ references: Set<ColumnReference>, of scanned: RowClass, in transaction: ReadTransaction,
        counts: Bool
    ) throws(StoreError) -> [ColumnReference: [ColumnChunk?]] {
        if let present = unchanged(references, in: transaction) { return present }
        var found: [ColumnReference: [ColumnChunk?]] = [:]
        let commit = transaction.commit
        // The scanned class comes first, because values behind its links are of no use without it.
        let classes = Dictionary(grouping: references, by: \.classIndex)
            .sorted { a, b in a.key == scanned.index && b.key != scanned.index }
        var countRange = options.objectCountMin...Int.max
        for (classIndex, references) in classes {
            let rowClass = transaction.rows.classes[classIndex]
            if classIndex != scanned.index {
                guard let present = found[.presence(scanned.index)] else { break }
                let keyCount = max(1 << 16, present.count << ColumnChunk.keyCountLog2)
                countRange = 0...keyCount * Self.farRatioMax
            }
            let members = references.map(\.member)
            let request = state.withLock {
                Self.request(rowClass, members, commit, counts: counts, options, &$0)
            }
            guard let id = request.id else { continue }
            var isPublished = false
            defer { if !isPublished { end(request, id) } }
            let update = ColumnUpdate(transaction: transaction, rowClass: rowClass, meter: meter)
            var versions = try update.versions(request.present, request.changedKeys)
            let built = try build(request, update, countRange)
            versions.merge(built) { old, _ in old }
            isPublished = true
            publish(versions, request, id)
            for (member, version) in versions {
                found[ColumnReference(classIndex: classIndex, member: member)] = version.chunks
            }
        }
        return found
    }

    private static func request(
        _ rowClass: RowClass, _ members: [Int], _ commit: UInt64, counts: Bool,
        _ options: ColumnOptions, _ state: inout State
    ) -> Request {
        var request = Request(rowClass: rowClass)
        let last = state.lastCommit ?? commit
        state.lastCommit = last
        // A commit of another writer, with unknown changes.
        guard commit <= last else { return request }
        state.clock += 1
        let space = rowClass.rowSpace
        var missing: [Int] = []
        for member in members {
            if let resident = state.classes[space]?.residents[member] {
                request.present[member] = resident.version
                state.classes[space]?.residents[member]?.lastUse = state.clock
                continue
            }
            let column = Column(rowSpace: space, member: member)
            if counts { state.uses[column, default: 0] += 1 }
            guard state.uses[column, default: 0] >= options.useCountMin,
                state.classes[space]?.building.contains(member) != true
            else { continue }
            missing.append(member)
        }
        if state.classes[space] == nil {
            guard !missing.isEmpty else { return request }
            state.classes[space] = ClassColumns(id: state.clock, trackedFrom: last)
        }
        guard let columns = state.classes[space], commit >= columns.trackedFrom else {
            request.present = [:]
            return request
        }
        request.id = columns.id
        request.missing = missing
        state.classes[space]?.building.formUnion(missing)
        let commits = request.present.values.map(\.commit) + [commit]
        if let first = commits.min(), let last = commits.max(), first < last {
            let start = columns.log.firstPosition { $0.commit > first }
            let end = columns.log.firstPosition { $0.commit > last }
            request.changedKeys = Set(columns.log[start..<end].lazy.map(\.key)).sorted()
        }
        return request
    }

    private func build(
        _ request: Request, _ update: ColumnUpdate, _ countRange: ClosedRange<Int>
    ) throws(StoreError) -> [Int: Version] {
        guard !request.missing.isEmpty else { return [:] }
        let outcome = try update.build(request.missing, objectCounts: countRange) {
            meter.byteCount <= options.byteCountMax || makeRoom(keeping: request)
        }
        if case .built(let versions) = outcome { return versions }
        if case .tooLarge = outcome {
            state.withLock { state in
                for member in request.missing {
                    let column = Column(rowSpace: request.rowClass.rowSpace, member: member)
                    state.uses[column] = -Self.refusalCount
                }
            }
        }
        return [:]
    }

    /// Notes that the requested columns are not being built.
    private func end(_ request: Request, _ id: UInt64) {
        state.withLock { state in
            guard state.classes[request.rowClass.rowSpace]?.id == id else { return }
            state.classes[request.rowClass.rowSpace]?.building.subtract(request.missing)
        }
    }

    /// Leaves columns to later queries, unless there are newer ones.
    private func publish(_ versions: [Int: Version], _ request: Request, _ id: UInt64) {
        let space = request.rowClass.rowSpace
        state.withLock { state in
            guard state.classes[space]?.id == id else { return }
            state.classes[space]?.building.subtract(request.missing)
            let trackedFrom = state.classes[space]?.trackedFrom ?? 0
            // The changes since an older version are not known any more.
            for (member, version) in versions where version.commit >= trackedFrom {
                let present = state.classes[space]?.residents[member]?.version.commit
                guard present.map({ $0 < version.commit }) ?? true else { continue }
                state.classes[space]?.residents[member] = Resident(
                    version: version,
                    byteCount: version.chunks.reduce(0) { $0 + ($1?.totalByteCount ?? 0) },
                    lastUse: state.clock)
            }
        }
        if meter.byteCount > options.byteCountMax { _ = makeRoom(keeping: nil) }
    }

    // MARK: Room

    /// Drops the columns that were not used for longest until the rest fits.
    ///
    /// - Returns: Whether it does now.
    private func makeRoom(keeping request: Request?) -> Bool {
        // Chunks are freed after the lock. Chunks that a query still uses are freed later.
        var dropped: [Resident] = []
        state.withLock { state in
            var excess = meter.byteCount - options.byteCountMax
            while excess > 0 {
                var oldest: (space: UInt32, member: Int, use: UInt64)?
                for (space, columns) in state.classes {
                    for (member, resident) in columns.residents
                    where resident.lastUse < oldest?.use ?? .max {
                        if let request, space == request.rowClass.rowSpace,
                            request.present[member] != nil
                        {
                            continue
                        }
                        oldest = (space, member, resident.lastUse)
                    }
                }
                guard let oldest,
                    let resident = state.classes[oldest.space]?.residents.removeValue(
                        forKey: oldest.member)
                else { break }
                dropped.append(resident)
                excess -= resident.byteCount
                if let columns = state.classes[oldest.space], columns.residents.isEmpty,
                    columns.building.isEmpty
                {
                    state.classes[oldest.space] = nil
                }
                state.uses[Column(rowSpace: oldest.space, member: oldest.member)] = 0
            }
        }
        dropped = []
        return meter.byteCount <= options.byteCountMax
    }
}
