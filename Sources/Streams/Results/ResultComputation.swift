import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import HoldfastStoreService

/// One computation of a followed result: compared with the result that its followers know, and written once for all of them.
/// On a worker's thread.
struct ResultComputation: Sendable {
    /// The outcome of a computation.
    struct Outcome: Sendable {
        /// The version that was read.
        var version: UInt64
        var result: LiveResult
        /// The events of the changes; empty if nothing has changed.
        var changes: [SharedBytes] = []
        /// The events of the whole result, if they are wanted.
        var snapshot: [SharedBytes] = []
        /// The reason why the followers' result is void, if it is.
        var reset: ResetReason?
    }

    /// The result that the followers know, and a version up to which it is right.
    typealias Known = (result: LiveResult, through: UInt64)

    let stream: CheckedStream
    let served: ServedStore
    let framing: any EventFraming
    let known: Known?
    /// Counts whole results until their clients have read them.
    let budget: ResultBudget
    /// One of the clients that need the whole result; nil if no client does.
    let newcomer: ClientKey?

    /// Computes the result on a view.
    ///
    /// - Returns: Nil if the view has another schema or is another principal's, or if too much is unread.
    /// - Throws: ``RequestFault`` if a limit is exceeded or storage fails.
    func run(in read: ReadTransaction) throws(RequestFault) -> Outcome? {
        guard let followed = stream.result, stream.isChecked(for: read) else { return nil }
        // Many computations may have been submitted before one of them was counted.
        if isTight { return nil }
        let version = try served.mappingStoreErrors(read.state().version)
        var outcome = Outcome(version: version, result: LiveResult())
        let writer = ResultWriter(
            stream: stream, read: read, version: version, served: served, framing: framing)
        switch followed {
        case .aggregate(let query, let text):
            let value = try value(query, text, in: read)
            outcome.result.value = SipHash128.number(value.bytes)
            outcome.snapshot = [budget.hold(writer.value(value))]
            if known.map({ $0.result.value != outcome.result.value }) ?? false {
                outcome.changes = outcome.snapshot
            }
            return outcome
        case .list(let sort, let limit): outcome.result.sections = [try list(sort, limit, in: read)]
        case .sections(let query): outcome.result.sections = try sections(query, in: read)
        }
        if stream.observed.visibility != nil {
            outcome.result.contents = contents(of: outcome, in: read)
        }
        if let known {
            switch try missed(since: known.through, in: read) {
            case .reset(let reason): outcome.reset = reason
            case .events(let events, let candidates):
                let observed = stream.observed
                let changed = candidates.values.filter { candidate in
                    observed.event(of: candidate, was: true, is: true) != nil
                        && !outcome.result.isSame(candidate.identity.key, as: known.result)
                }
                let difference = ResultDifference(
                    from: known.result, to: outcome.result,
                    changed: Set(changed.map(\.identity.key)))
                outcome.changes = try writer.changes(difference, outcome.result, candidates, events)
            }
        }
        if newcomer != nil {
            let snapshot = try writer.snapshot(outcome.result)
            // Other results may have been counted meanwhile.
            if isTight { return nil }
            outcome.snapshot = snapshot.map { budget.hold($0) }
        }
        return outcome
    }

    /// Whether a client needs the whole result and there is no room for it any more.
    private var isTight: Bool { newcomer.map { budget.isTight(for: $0) } ?? false }

    /// Hashes each object as it is shown.
    private func contents(of outcome: Outcome, in read: ReadTransaction) -> [UInt64: Int] {
        let buffer = ByteBuffer(capacity: 1024)
        var writer = stream.makeWriter(to: buffer, of: read, served.limits)
        guard let classIndex = stream.observed.classIndex, let selection = stream.selection else {
            return [:]
        }
        var contents: [UInt64: Int] = [:]
        for key in outcome.result.sections.lazy.flatMap(\.objects) {
            guard let row = read.row(classIndex: classIndex, key: key) else { continue }
            buffer.removeAll()
            writer.write(row, key: key, selection)
            var hasher = Hasher()
            hasher.combine(bytes: buffer.bytes)
            contents[key] = hasher.finalize()
        }
        return contents
    }

    // MARK: Results

    private func list(
        _ sort: [SortKey], _ limit: Int, in read: ReadTransaction
    ) throws(RequestFault) -> LiveResult.Section {
        var section = LiveResult.Section()
        guard let classIndex = stream.observed.classIndex else { return section }
        let query = ObjectQuery(
            classIndex: classIndex, predicate: stream.observed.predicate, sort: sort,
            expectedCount: limit)
        let execution = try served.mappingStoreErrors(
            QueryExecution(query, in: read, limits: served.queryLimits(of: read)))
        try served.mappingStoreErrors(
            execution.run(limit: limit) { key, _ in
                section.objects.append(key)
                return true
            })
        section.count = section.objects.count
        return section
    }

    private func sections(
        _ query: CheckedSections, in read: ReadTransaction
    ) throws(RequestFault) -> [LiveResult.Section] {
        let execution = SectionExecution(
            query.sections, in: read, limits: served.queryLimits(of: read))
        let page = try served.mappingStoreErrors(execution.run())
        let reader = SectionKeyReader(query.sections.key, isAscending: true, schema: read.rows)
        let buffer = ByteBuffer(capacity: 64)
        var writer = stream.makeWriter(to: buffer, of: read, served.limits)
        return page.sections.map { section in
            buffer.removeAll()
            writer.write(
                reader.value(row: section.any.row, key: section.any.key, source: read),
                query.sections.key.path)
            return LiveResult.Section(
                key: buffer.array, count: section.count, objects: section.objects.map(\.key))
        }
    }

    private func value(
        _ query: CheckedAggregate, _ text: QueryText, in read: ReadTransaction
    ) throws(RequestFault) -> ByteBuffer {
        let buffer = ByteBuffer(capacity: 256)
        let view = PageView(
            served: served, read: read, names: stream.names,
            quotesLargeInts: stream.definition.quotesLargeInts, pin: nil, for: .program)
        let reply = try AggregatePage(view: view, query: query, text: text).write(to: buffer)
        guard reply.next == nil else { throw .tooManyGroups(query.limit) }
        return buffer
    }

    // MARK: Changes

    private enum Missed {
        /// The events of the changes, with the candidates by their object keys.
        case events(CatchUpEvents, [UInt64: ObservedCandidate])
        /// The followers' result is void.
        case reset(ResetReason)
    }

    /// Finds the objects in the change log since a version.
    private func missed(
        since version: UInt64, in read: ReadTransaction
    ) throws(RequestFault) -> Missed {
        let changes: FoldedChanges
        do throws(FoldedChanges.Gap) {
            changes = try FoldedChanges(
                after: version, in: read, recordCountMax: FoldCache.recordCountMax,
                classes: stream.observed.pastClasses)
        } catch { return .reset(try ResetReason(error, served)) }
        if stream.isReset(by: changes) { return .reset(.schemaChanged) }
        if try changes.through < served.mappingStoreErrors(read.state().version) {
            return .reset(.fellBehind)
        }
        return try served.evaluate(on: read) {
            let events = CatchUpEvents(of: stream.observed, changes, since: version, in: read)
            let found = events.candidates().lazy.map { ($0.identity.key, $0) }
            return .events(events, Dictionary(found) { first, _ in first })
        }
    }
}

extension RequestFault {
    /// A followed aggregate has more groups than a stream sends.
    fileprivate static func tooManyGroups(_ countMax: Int) -> RequestFault {
        RequestFault(
            .invalid, "too-many-groups",
            "A followed aggregate has at most \(countMax) groups, and this one has more; "
                + "narrow the filter, or group by something with fewer values.")
    }
}
